// Why are four floats for each thread faster than one? Three things change at once: there are fewer
// blocks, fewer instructions for each byte, and more bytes in flight. Here one changes at a time.
//
//     nvcc -O3 3_cause.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_cause.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 28, CPU_N = 1 << 17 };

static const unsigned block_sizes[] = {128, 256};
enum { BLOCK_SIZES = (int)(sizeof block_sizes / sizeof block_sizes[0]) };

// ---- Kernels -----------------------------------------------------------------------------------
// add_float, add_float4 and add_unrolled4 are in elementwise.h.

// The same loads, stores and guards as add_unrolled4, in another order: each sum is stored before
// the next loads. They cannot move up: for all the compiler knows out[i] may be the next a[i]
// (nobody has said __restrict__). So a thread has one load of each array in flight, as in
// add_float.
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

static void launch_nothing(void *context) {
    const struct work *work = (const struct work *)context;
    do_nothing<<<(unsigned)((work->data->n + work->block - 1) / work->block), work->block>>>();
    CUDA_CHECK(cudaGetLastError());
}

// ---- Variants ----------------------------------------------------------------------------------
enum { ONE, IN_TURN, AT_ONCE, FLOAT4, SMALL, LOOP, VARIANTS };

static const struct shape shapes[VARIANTS] = {
    {add_float, 1, 1, 8, 0},   {add_in_turn4, 4, 1, 8, 0}, {add_unrolled4, 4, 1, 32, 0},
    {add_float4, 4, 1, 32, 0}, {add_float4, 4, 4, 32, 0},  {add_loop, 1, 1, 8, 32},
};
LAUNCH(one, add_float, &shapes[ONE])
LAUNCH(in_turn, add_in_turn4, &shapes[IN_TURN])
LAUNCH(at_once, add_unrolled4, &shapes[AT_ONCE])
LAUNCH(float4, add_float4, &shapes[FLOAT4])
LAUNCH(small, add_float4, &shapes[SMALL])
LAUNCH(loop, add_loop, &shapes[LOOP])

static const struct variant variants[VARIANTS] = {
    {"1 float", launch_one, add_reference, 12, 1, 0, "where we start"},
    {"4 floats in turn", launch_in_turn, add_reference, 12, 1, 0, "1/4 of the blocks, else as 1"},
    {"4 floats at once", launch_at_once, add_reference, 12, 1, 0,
     "and 4 times the bytes in flight"},
    {"float4", launch_float4, add_reference, 12, 1, 0, "and 1/4 of the instructions"},
    {"float4, small block", launch_small, add_reference, 12, 1, 0, "as many blocks as 1 float"},
    {"loop, 1 at a time", launch_loop, add_reference, 12, 1, 0, "no turnover, else as 1"},
};

// Bytes in flight in another way: fewer threads on a multiprocessor. The kernels ask for shared
// memory that they do not use, so much that 4, 2 and 1 blocks of 256 threads fit. (GPU only.)
enum { LEVELS = 4, LADDER = 2 * LEVELS };
static const int ladder_kernel[] = {IN_TURN, AT_ONCE};

static size_t shared_for(const struct run *run, int blocks, const struct shape *shape) {
    size_t most = run->device.sharedMemPerBlockOptin,
           reserved = 1024; // for each block, by the system
    size_t bytes = run->device.sharedMemPerMultiprocessor / (size_t)blocks - reserved;
    bytes = bytes < most ? bytes : most;
    CUDA_CHECK(cudaFuncSetAttribute((const void *)shape->kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return bytes;
}

// ---- Conclude ----------------------------------------------------------------------------------
static const double THRESHOLD = 1.03; // times as fast: less than that is no effect

static double rate(struct work works[][BLOCK_SIZES], int variant, int k) {
    return works[variant][k].row.gb_per_s;
}

// One thing changed, from variant `from` to `to`; returns the greatest effect over block sizes.
static double say_effect(const struct run *run, struct work works[][BLOCK_SIZES], const char *what,
                         int from, int to) {
    double most = 0;
    for (int k = 0; k < BLOCK_SIZES; k++) {
        double factor = rate(works, to, k) / rate(works, from, k);
        run_say(run, "  %-27s %-17s -> %-19s  block %u: %.3f times as fast", k ? "" : what,
                variants[from].name, variants[to].name, block_sizes[k], factor);
        most = fmax(most, factor);
    }
    return most;
}

// What the rates say: they may be any.
static void conclude(const struct run *run, struct work works[][BLOCK_SIZES],
                     const struct work *ladder, const struct row *nothing) {
    run_say(run, "One thing at a time:");
    double blocks = say_effect(run, works, "fewer blocks", ONE, IN_TURN);
    blocks = fmax(blocks, say_effect(run, works, "no turnover of blocks", ONE, LOOP));
    double flight = say_effect(run, works, "4 times the bytes in flight", IN_TURN, AT_ONCE);
    double width = say_effect(run, works, "1/4 of the instructions", AT_ONCE, FLOAT4);
    say_effect(run, works, "4 times the blocks", FLOAT4, SMALL);
    for (int k = 0; k < BLOCK_SIZES; k++)
        run_say(run, "Blocks of %u that do nothing take %.0f %% of the time of '1 float'.",
                block_sizes[k], 100 * nothing[k].median_ms / works[ONE][k].row.median_ms);
    if (run->on_cpu) {
        run_say(
            run,
            "The CPU device has no loads in flight and no multiprocessors to fill: these are its "
            "loops.\nWhich cause it is, only a GPU can tell.");
        return;
    }
    run_say(run,
            "Faster by 3 %% or more somewhere: so bytes in flight %s, turnover of blocks %s,\nthe "
            "number of instructions %s.",
            flight > THRESHOLD ? "count" : "do not count",
            blocks > THRESHOLD ? "counts" : "does not", width > THRESHOLD ? "counts" : "does not");
    const struct row *least = &ladder[LEVELS - 1].row, *most = &ladder[LEVELS].row;
    double multiprocessors = run->device.multiProcessorCount;
    run_say(
        run,
        "Little's law: %.1f GB/s with %g KiB in flight on each multiprocessor mean that a load "
        "takes %.0f ns\n(two thirds of the bytes are loads). If a busy memory answered as fast, "
        "%.1f GB/s would need %.1f KiB.",
        least->gb_per_s, least->value,
        least->value * 1024 * multiprocessors / (least->gb_per_s * 2 / 3), most->gb_per_s,
        least->value * most->gb_per_s / least->gb_per_s);
}

// Launches as many blocks as '1 float' has, and prints a row for each block size.
static void measure_nothing(struct run *run, const struct data *data, struct row *rows) {
    struct work works[BLOCK_SIZES];
    struct task tasks[BLOCK_SIZES];
    for (int k = 0; k < BLOCK_SIZES; k++) {
        struct task task = {launch_nothing, &works[k], NULL, 0, 0};
        works[k].data = data;
        works[k].block = block_sizes[k];
        tasks[k] = task;
    }
    if (!run->quick)
        measure(run, tasks, BLOCK_SIZES, MEASURE_HOT);
    for (int k = 0; k < BLOCK_SIZES; k++) {
        rows[k] = run_row(run, "blocks that do nothing");
        rows[k].n = data->n;
        rows[k].block = block_sizes[k];
        rows[k].parameter = "blocks/us";
        if (!run->quick) {
            row_times(&rows[k], tasks[k].samples_ms, run->samples);
            rows[k].value = round((double)(data->n / block_sizes[k]) / rows[k].median_ms / 1e3);
        }
        run_print(run, &rows[k]);
    }
    if (!run->quick)
        measure_free(tasks, BLOCK_SIZES);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "06_vectorized",
    "cause",
    "Bytes in flight, turnover of blocks, number of instructions: which makes float4 faster?",
    "variant n block parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    size_t n = run_size(&run, GPU_N, CPU_N, 5 * sizeof(float));
    enum { WORKS = VARIANTS * BLOCK_SIZES };
    static struct work works[VARIANTS + LADDER][BLOCK_SIZES], *ladder = works[VARIANTS];
    struct task tasks[WORKS + LADDER];
    struct data data = data_create(n);
    size_t count = WORKS;
    for (int i = 0; i < WORKS; i++) {
        struct work *work = &works[i / BLOCK_SIZES][i % BLOCK_SIZES];
        work->variant = &variants[i / BLOCK_SIZES];
        work->shape = &shapes[i / BLOCK_SIZES];
        work->data = &data;
        work->block = block_sizes[i % BLOCK_SIZES];
    }
    for (int i = 0; i < LADDER && !run.on_cpu; i++, count++) {
        struct work *work = &ladder[i];
        work->variant = &variants[ladder_kernel[i / LEVELS]];
        work->shape = &shapes[ladder_kernel[i / LEVELS]];
        work->data = &data;
        work->block = 256;
        work->shared = i % LEVELS ? shared_for(&run, 8 >> (i % LEVELS), work->shape) : 0;
    }
    measure_works(&run, works[0], tasks, count);
    print_works(&run, works[0], count);
    struct row nothing[BLOCK_SIZES];
    measure_nothing(&run, &data, nothing);
    if (!run.quick)
        conclude(&run, works, ladder, nothing);
    measure_free(tasks, count);
    data_free(&data);
    return run_end(&run);
}
