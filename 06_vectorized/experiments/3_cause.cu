// Why are four floats for each thread faster than one? Three things change at once: there are fewer
// blocks, fewer instructions for each byte, and more bytes in flight. Here one changes at a time.
//
//     nvcc -O3 -arch=native 3_cause.cu && ./a.out
//     ../../cudacc/cudacc -O2 3_cause.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 26, CPU_N = 1 << 17, BLOCK_SIZES = 4 }; // 128 to 1024

// ---- Kernels -----------------------------------------------------------------------------------
// add_float, add_float4 and add_unrolled4 are in elementwise.h.

// The loads, stores and guards of add_unrolled4 in another order: each sum is stored before the
// next loads. They cannot move up: for all the compiler knows out[i] may be the next a[i]. So a
// thread has one load of each array in flight, as in add_float.
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

// add_in_turn4, and a promise: no other pointer leads to where `out` leads. Now the compiler may
// move all loads up, before the first store. Expect add_unrolled4's rate if it does.
__global__ void add_in_turn4_restrict(float *__restrict__ out, const float *__restrict__ a,
                                      const float *__restrict__ b, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x, step = blockDim.x;
    if (first + 3 * step < n) {
        for (unsigned k = 0; k < 4; k++)
            out[first + k * step] = a[first + k * step] + b[first + k * step];
    } else {
        for (size_t i = first; i < n; i += step)
            out[i] = a[i] + b[i];
    }
}

// As many threads as fit on the device, each in a loop over the grid: no block comes or goes.
__global__ void add_loop(float *out, const float *a, const float *b, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = a[i] + b[i];
}

// What it takes to start the blocks and end them, and nothing else.
__global__ void do_nothing(float *, const float *, const float *, size_t) {}

static void launch_loop(const struct arrays *x, unsigned block, size_t shared) {
    const struct in_flight loop = {(const void *)add_loop, 8, 0, 4, 4};
    unsigned grid = run.device.multiProcessorCount * blocks_at_a_time(&loop, block, shared);
    add_loop<<<grid, block, shared, run.stream>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

enum { ONE, IN_TURN, RESTRICT, AT_ONCE, FLOAT4, LOOP, NOTHING, VARIANTS };
enum { ROWS = VARIANTS * BLOCK_SIZES };
static const struct variant variants[VARIANTS] = {
    {"1 float", launch<add_float, 1>, sum_reference, 128, 0, 12, 1, 0, "where we start"},
    {"4 floats in turn", launch<add_in_turn4, 4>, sum_reference, 128, 0, 12, 1, 0,
     "1/4 of the blocks"},
    {"in turn, __restrict__", launch<add_in_turn4_restrict, 4>, sum_reference, 128, 0, 12, 1, 0,
     "as 4 floats at once"},
    {"4 floats at once", launch<add_unrolled4, 4>, sum_reference, 128, 0, 12, 1, 0,
     "and 4 times in flight"},
    {"float4", launch<add_float4, 4>, sum_reference, 128, 0, 12, 1, 0, "1/4 of the instructions"},
    {"loop, 1 at a time", launch_loop, sum_reference, 128, 0, 12, 1, 0, "no turnover"},
    {"blocks that do nothing", launch<do_nothing, 1>, nothing_reference, 128, 0, 0, 0, 1,
     "their turnover"},
};

static const struct in_flight in_flight[VARIANTS] = {
    {(const void *)add_float, 8, 0, 4, 4},
    {(const void *)add_in_turn4, 8, 0, 4, 4},
    {(const void *)add_in_turn4_restrict, 32, 0, 4, 4},
    {(const void *)add_unrolled4, 32, 0, 4, 4},
    {(const void *)add_float4, 32, 0, 16, 16},
    {(const void *)add_loop, 8, 0, 4, 4},
    {(const void *)do_nothing, 0, 0, 0, 0},
};

// ---- Findings ----------------------------------------------------------------------------------
// The time of one variant to another's in the k-th block size: 128, 256, 512, 1024.
static double factor(const struct work *works, int to, int from, int k) {
    return works[from * BLOCK_SIZES + k].row.median_ms / works[to * BLOCK_SIZES + k].row.median_ms;
}

// One thing changed, from one variant to another; 3 % is the least that we call an effect.
static void say_effect(const char *name, const struct work *works, const char *what, int from,
                       int to) {
    double f[BLOCK_SIZES], most = 0;
    for (int k = 0; k < BLOCK_SIZES; k++)
        f[k] = factor(works, to, from, k), most = fmax(most, f[k]);
    if (most > 1.03)
        finding(name, most,
                "%s, '%s' is %.3f times as fast as '%s' in blocks of 128, %.3f in 256, %.3f in 512 "
                "and %.3f in 1024: it counts.",
                what, variants[to].name, f[0], variants[from].name, f[1], f[2], f[3]);
    else
        finding(name, most,
                "%s, '%s' is %.3f times as fast as '%s' in blocks of 128, %.3f in 256, %.3f in 512 "
                "and %.3f in 1024: no gain.",
                what, variants[to].name, f[0], variants[from].name, f[1], f[2], f[3]);
}

static void say_findings(const struct work *works) {
    say_effect("fewer_blocks", works, "With 1/4 of the blocks", ONE, IN_TURN);
    say_effect("no_turnover", works, "Without turnover of blocks", ONE, LOOP);
    say_effect("bytes_in_flight", works, "With 4 times the bytes in flight", IN_TURN, AT_ONCE);
    say_effect("restrict", works, "With __restrict__", IN_TURN, RESTRICT);
    say_effect("instructions", works, "With 1/4 of the instructions", AT_ONCE, FLOAT4);
    const struct work *loop = &works[LOOP * BLOCK_SIZES], *one = &works[ONE * BLOCK_SIZES];
    finding("large_blocks", one[3].row.median_ms / one[1].row.median_ms,
            "Blocks of 1024 that come and go take %.3f times as long as blocks of 256; blocks that "
            "stay take %.3f times as long.",
            one[3].row.median_ms / one[1].row.median_ms,
            loop[3].row.median_ms / loop[1].row.median_ms);
    finding("nothing_percent", 100 * factor(works, ONE, NOTHING, 0),
            "Blocks of 128 that do nothing take %.0f %% of the time of '1 float', blocks of 256 "
            "%.0f %%.",
            100 * factor(works, ONE, NOTHING, 0), 100 * factor(works, ONE, NOTHING, 1));
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    static struct variant table[ROWS];
    static struct work works[ROWS];
    run_begin(argc, argv, "06_vectorized/cause",
              "Bytes in flight, turnover of blocks, instructions: which makes float4 faster?",
              "variant n block parameter value median_ms spread_pct gb_per_s flag check",
              "elements", NO_ERRORS);
    vary_blocks(table, variants, VARIANTS, BLOCK_SIZES);
    check_sizes(table, ROWS);
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    x.same_for_all = 1;
    measure_table(works, table, ROWS, &x);
    for (int i = 0; i < ROWS; i++)
        describe(&works[i], &in_flight[i / BLOCK_SIZES]);
    for (int i = NOTHING * BLOCK_SIZES; i < ROWS; i++) {
        double us = run.on_cpu ? 1 : 1e3 * works[i].row.median_ms;
        works[i].row.parameter = run.on_cpu ? "blocks" : "blocks/us";
        works[i].row.value = round((double)blocks(x.n, table[i].block) / us);
        works[i].row.flag = NULL;
    }
    print_table(works, ROWS);
    if (run.samples)
        say_findings(works);
    arrays_free(&x);
    return run_end();
}
