// Why are four floats for each thread faster than one? Three things change at once: there are fewer
// blocks, fewer instructions for each byte, and more bytes in flight. Here one changes at a time.
//
//     nvcc -O3 3_cause.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_cause.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 28, CPU_N = 1 << 17, BLOCK_SIZES = 2 }; // 128 and 256
enum { MOST_RESIDENT = 32 }; // blocks on a multiprocessor: more than fit, so as many as fit

// ---- Kernels -----------------------------------------------------------------------------------
// add_float, add_float4 and add_unrolled4 are in elementwise.h.

// The same loads, stores and guards as add_unrolled4, in another order: each sum is stored before
// the next loads. They cannot move up: for all the compiler knows out[i] may be the next a[i], as
// nothing here is __restrict__. So a thread has one load of each array in flight, as in add_float.
__global__ void add_in_turn4(float *out, const float *a, const float *b, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x, step = blockDim.x;
    if (first + 3 * step < n) {
        for (unsigned k = 0; k < 4; k++)
            out[first + k * step] = a[first + k * step] + b[first + k * step];
    } else {
        for (size_t i = first; i < n; i += step)
            out[i] = a[i] + b[i];
    }
}

// As many threads as fit on the device, each in a loop over the grid: no block has to make room for
// the next. One load of each array in flight.
__global__ void add_loop(float *out, const float *a, const float *b, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = a[i] + b[i];
}

// What it takes to start the blocks and end them, and nothing else.
__global__ void do_nothing() {}

static void launch_in_turn(const struct arrays *x, unsigned block, size_t shared) {
    add_in_turn4<<<blocks(x->n, 4 * block), block, shared>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_loop(const struct arrays *x, unsigned block, size_t shared) {
    unsigned grid =
        resident_grid((const void *)add_loop, block, shared, MOST_RESIDENT, blocks(x->n, block));
    add_loop<<<grid, block, shared>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_nothing(const struct arrays *x, unsigned block, size_t) {
    do_nothing<<<blocks(x->n, block), block>>>();
    CUDA_CHECK(cudaGetLastError());
}

enum { ONE, IN_TURN, AT_ONCE, FLOAT4, SMALL, LOOP, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"1 float", launch_float, add_reference, 128, 0, 12, 1, 0, "where we start"},
    {"4 floats in turn", launch_in_turn, add_reference, 128, 0, 12, 1, 0,
     "1/4 of the blocks, else as 1"},
    {"4 floats at once", launch_unrolled4, add_reference, 128, 0, 12, 1, 0,
     "and 4 times the bytes in flight"},
    {"float4", launch_float4, add_reference, 128, 0, 12, 1, 0, "and 1/4 of the instructions"},
    {"float4, small block", launch_float4, add_reference, 32, 0, 12, 1, 0,
     "as many blocks as 1 float"},
    {"loop, 1 at a time", launch_loop, add_reference, 128, 0, 12, 1, 0, "no turnover, else as 1"},
};

static const struct variant nothing = {
    "blocks that do nothing", launch_nothing, NULL, 128, 0, 0, 0, 0, "the turnover of '1 float'"};

static const struct in_flight in_flight[VARIANTS] = {
    {(const void *)add_float, 8, 0},      {(const void *)add_in_turn4, 8, 0},
    {(const void *)add_unrolled4, 32, 0}, {(const void *)add_float4, 32, 0},
    {(const void *)add_float4, 32, 0},    {(const void *)add_loop, 8, MOST_RESIDENT},
};

// ---- Measure -----------------------------------------------------------------------------------
// Bytes in flight in another way: fewer threads on a multiprocessor. The kernels ask for shared
// memory that they do not use, so much that 4, 2 and 1 blocks of 256 threads fit. (GPU only.)
enum { LEVELS = 4, LADDER = 2 * LEVELS, ROWS = VARIANTS * BLOCK_SIZES };

// Which variant row i of the table is.
static int variant_of(size_t i) {
    return i < ROWS ? (int)i / BLOCK_SIZES : i < ROWS + LEVELS ? (int)IN_TURN : (int)AT_ONCE;
}

static size_t shared_for(int resident, const void *kernel) {
    const size_t most = run.device.sharedMemPerBlockOptin, reserved = 1024; // of each block
    size_t bytes = run.device.sharedMemPerMultiprocessor / (size_t)resident - reserved;
    bytes = bytes < most ? bytes : most;
    CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return bytes;
}

static size_t add_ladder(struct variant *table) {
    for (size_t i = 0; i < LADDER; i++) {
        int variant = variant_of(ROWS + i), level = (int)i % LEVELS;
        table[i] = variants[variant];
        table[i].block = 256;
        table[i].parameter = level ? shared_for(8 >> level, in_flight[variant].kernel) : 0;
    }
    return LADDER;
}

// Launches as many blocks as '1 float' has, and prints a row for each block size.
static void measure_nothing(struct arrays *x, struct row rows[BLOCK_SIZES]) {
    struct variant table[BLOCK_SIZES];
    struct work works[BLOCK_SIZES];
    struct task tasks[BLOCK_SIZES];
    vary_blocks(table, &nothing, 1, BLOCK_SIZES);
    for (int k = 0; k < BLOCK_SIZES; k++) {
        works[k].variant = &table[k], works[k].x = x;
        tasks[k] = task_of(launch_work, &works[k]);
    }
    if (run.samples)
        measure(tasks, BLOCK_SIZES, MEASURE_HOT);
    for (int k = 0; k < BLOCK_SIZES; k++) {
        struct row *row = &rows[k];
        *row = row_of(nothing.name);
        row->n = x->n, row->block = table[k].block;
        row->parameter = "blocks/us";
        row_times(row, tasks[k].samples_ms, tasks[k].samples);
        row->value = round((double)(x->n / row->block) / row->median_ms / 1e3);
        print_row(row);
    }
    measure_free(tasks, run.samples ? BLOCK_SIZES : 0);
}

// ---- Findings ----------------------------------------------------------------------------------
// One thing changed, from one variant to another; 3 % is the least that we call an effect.
static void say_effect(const char *name, const struct work *works, const char *what, int from,
                       int to) {
    double factor[BLOCK_SIZES], most = 0;
    for (int k = 0; k < BLOCK_SIZES; k++) {
        factor[k] =
            works[to * BLOCK_SIZES + k].row.gb_per_s / works[from * BLOCK_SIZES + k].row.gb_per_s;
        most = fmax(most, factor[k]);
    }
    if (most > 1.03)
        finding(
            name, most,
            "%s, '%s' is %.3f times as fast as '%s' in blocks of 128 and %.3f in 256: it counts.",
            what, variants[to].name, factor[0], variants[from].name, factor[1]);
    else
        finding(name, most,
                "%s, '%s' is %.3f times as fast as '%s' in blocks of 128 and %.3f in 256: no gain.",
                what, variants[to].name, factor[0], variants[from].name, factor[1]);
}

static void say_findings(const struct work *works, const struct row *none) {
    say_effect("fewer_blocks", works, "With 1/4 of the blocks", ONE, IN_TURN);
    say_effect("no_turnover", works, "Without turnover of blocks", ONE, LOOP);
    say_effect("bytes_in_flight", works, "With 4 times the bytes in flight", IN_TURN, AT_ONCE);
    say_effect("instructions", works, "With 1/4 of the instructions", AT_ONCE, FLOAT4);
    say_effect("more_blocks", works, "With 4 times the blocks", FLOAT4, SMALL);
    double share[BLOCK_SIZES];
    for (int k = 0; k < BLOCK_SIZES; k++)
        share[k] = 100 * none[k].median_ms / works[ONE * BLOCK_SIZES + k].row.median_ms;
    finding("nothing_percent", share[0],
            "Blocks of 128 that do nothing take %.0f %% of the time of '1 float', blocks of 256 "
            "%.0f %%.",
            share[0], share[1]);
    const struct row *least = &works[ROWS + LEVELS - 1].row, *most = &works[ROWS + LEVELS].row;
    double loads = least->gb_per_s * 2 / 3,
           bytes = least->value * 1024 * run.device.multiProcessorCount;
    finding(
        "latency_ns", bytes / loads,
        "Little's law: %.1f GB/s of loads with %g KiB in flight on each multiprocessor mean that "
        "a load takes %.0f ns.",
        loads, least->value, bytes / loads);
    finding("needed_kib", least->value * most->gb_per_s / least->gb_per_s,
            "If a busy memory answered as fast, %.1f GB/s of loads and stores would need %.1f KiB.",
            most->gb_per_s, least->value * most->gb_per_s / least->gb_per_s);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    static struct variant table[ROWS + LADDER];
    static struct work works[ROWS + LADDER];
    struct row none[BLOCK_SIZES];
    size_t count = ROWS;
    run_begin(
        argc, argv, "06_vectorized/cause",
        "Bytes in flight, turnover of blocks, number of instructions: which makes float4 faster?",
        "variant n block parameter value median_ms gb_per_s flag check", "elements", NO_ERRORS);
    vary_blocks(table, variants, VARIANTS, BLOCK_SIZES);
    if (check_sizes(table, ROWS))
        return run_end();
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    x.same_for_all = 1;
    if (!run.on_cpu)
        count += add_ladder(table + ROWS);
    measure_table(works, table, count, &x);
    for (size_t i = 0; i < count; i++)
        describe(&works[i], &in_flight[variant_of(i)]);
    print_works(works, count);
    measure_nothing(&x, none);
    if (run.samples && run.on_cpu)
        say("The CPU device has no loads in flight and no multiprocessors to fill: only a GPU can "
            "show the cause.");
    if (run.samples && !run.on_cpu)
        say_findings(works, none);
    arrays_free(&x);
    return run_end();
}
