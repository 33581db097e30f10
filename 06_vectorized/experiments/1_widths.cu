// How much must a thread request before it waits? Two arrays are added, one float for each thread,
// two or four, as a float4 or as four floats whose loads come first, in blocks of four sizes.
//
//     nvcc -O3 -arch=native 1_widths.cu && ./a.out
//     ../../cudacc/cudacc -O2 1_widths.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 26, CPU_N = 1 << 18, BLOCK_SIZES = 4 }; // 128 (the article's) to 1024

// ---- Kernels -----------------------------------------------------------------------------------
// add_float, add_float4 and add_unrolled4 are in elementwise.h. All take any n.

// Half the threads, 8 bytes for each access. Expect it between float and float4.
__global__ void add_float2(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        float2 p = ((const float2 *)a)[i], q = ((const float2 *)b)[i];
        ((float2 *)out)[i] = make_float2(p.x + q.x, p.y + q.y);
    }
    if (i < n % 2)
        out[n - 1] = a[n - 1] + b[n - 1];
}

// Twice as much as float4, in 4-byte accesses. Expect no more: the memory is busy by then.
__global__ void add_unrolled8(float *out, const float *a, const float *b, size_t n) {
    add_unrolled(out, a, b, n, 8);
}

// SAXPY moves as many bytes, and reads where it writes. Expect the same gain.
__global__ void saxpy_float(float *y, const float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2.0f * x[i] + y[i];
}

__global__ void saxpy_float4(float *y, const float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = ((const float4 *)x)[i], q = ((const float4 *)y)[i];
        ((float4 *)y)[i] = make_float4(2 * p.x + q.x, 2 * p.y + q.y, 2 * p.z + q.z, 2 * p.w + q.w);
    }
    if (i < n % 4)
        y[n - 1 - i] = 2.0f * x[n - 1 - i] + y[n - 1 - i];
}

static void launch_saxpy(const struct arrays *x, unsigned block, size_t) {
    saxpy_float<<<blocks(x->n, block), block, 0, run.stream>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_saxpy4(const struct arrays *x, unsigned block, size_t) {
    saxpy_float4<<<blocks(x->n, 4 * block), block, 0, run.stream>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Variants ----------------------------------------------------------------------------------
enum { FLOAT, FLOAT2, FLOAT4, SMALL, FOUR, EIGHT, SAXPY, SAXPY4, VARIANTS };
enum { ROWS = VARIANTS * BLOCK_SIZES };
static const struct variant variants[VARIANTS] = {
    {"float", launch<add_float, 1>, sum_reference, 128, 0, 12, 1, 0, "too few bytes in flight"},
    {"float2", launch<add_float2, 2>, sum_reference, 128, 0, 12, 1, 0, "twice as many"},
    {"float4, 1/4 of the grid", launch<add_float4, 4>, sum_reference, 128, 0, 12, 1, 0,
     "the memory's rate"},
    {"float4, 1/4 of the block", launch<add_float4, 4>, sum_reference, 32, 0, 12, 1, 0,
     "the same, unless the block gets too small to fill a multiprocessor"},
    {"4 floats", launch<add_unrolled4, 4>, sum_reference, 128, 0, 12, 1, 0, "as float4"},
    {"8 floats", launch<add_unrolled8, 8>, sum_reference, 128, 0, 12, 1, 0, "no more than float4"},
    {"saxpy float", launch_saxpy, saxpy_reference, 128, 0, 12, 2, 1, "as float"},
    {"saxpy float4", launch_saxpy4, saxpy_reference, 128, 0, 12, 2, 1, "as float4"},
};

static const struct in_flight in_flight[VARIANTS] = {
    {(const void *)add_float, 8, 0, 4, 4},      {(const void *)add_float2, 16, 0, 8, 8},
    {(const void *)add_float4, 32, 0, 16, 16},  {(const void *)add_float4, 32, 0, 16, 16},
    {(const void *)add_unrolled4, 32, 0, 4, 4}, {(const void *)add_unrolled8, 64, 0, 4, 4},
    {(const void *)saxpy_float, 8, 0, 4, 4},    {(const void *)saxpy_float4, 32, 0, 16, 16},
};

// ---- Findings ----------------------------------------------------------------------------------
// Rates of one variant to another's in the k-th block size: 128, 256, 512, 1024.
static double ratio(const struct work *works, int variant, int to, int k) {
    return works[variant * BLOCK_SIZES + k].row.gb_per_s / works[to * BLOCK_SIZES + k].row.gb_per_s;
}

static void say_speedup(const char *name, const struct work *works, int variant, int to) {
    finding(
        name, ratio(works, variant, to, 1),
        "In blocks of 128, 256, 512 and 1024, '%s' is %.2f, %.2f, %.2f and %.2f times as fast as "
        "'%s'.",
        variants[variant].name, ratio(works, variant, to, 0), ratio(works, variant, to, 1),
        ratio(works, variant, to, 2), ratio(works, variant, to, 3), variants[to].name);
}

static void say_findings(const struct work *works) {
    double least = INFINITY, most = 0;
    const struct row *best = &works[0].row;
    for (int i = 0; i < ROWS; i++)
        best = works[i].row.gb_per_s > best->gb_per_s ? &works[i].row : best;
    for (int k = 0; k < BLOCK_SIZES; k++) {
        least = fmin(least, ratio(works, FOUR, FLOAT4, k));
        most = fmax(most, ratio(works, FOUR, FLOAT4, k));
    }
    finding("fastest_gb_per_s", best->gb_per_s,
            "The fastest, '%s' in blocks of %zu, reaches %.1f GB/s.", best->variant, best->block,
            best->gb_per_s);
    say_speedup("float2_speedup", works, FLOAT2, FLOAT);
    say_speedup("float4_speedup", works, FLOAT4, FLOAT);
    say_speedup("saxpy_float4_speedup", works, SAXPY4, SAXPY);
    if (least >= 0.97 && most <= 1.03)
        finding("four_floats_share", least,
                "4 floats, loads first, reach %.3f to %.3f of float4's rate: here the width of the "
                "access makes no difference.",
                least, most);
    else
        finding("four_floats_share", least,
                "4 floats, loads first, reach %.3f to %.3f of float4's rate: here the width of the "
                "access makes a difference.",
                least, most);
}

static void say_requests(size_t n) {
    double one = load_requests(&in_flight[FLOAT], n), four = load_requests(&in_flight[FLOAT4], n);
    finding_if(one * in_flight[0].apart == four * in_flight[FLOAT4].apart, "float4_requests", four,
               "To load %zu floats of both arrays takes %.0f requests as float, %.0f as float2 and "
               "%.0f as float4, of 4, 8 and 16 sectors: as many sectors in all.",
               n, one, load_requests(&in_flight[FLOAT2], n), four);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    static struct variant table[ROWS];
    static struct work works[ROWS];
    run_begin(argc, argv, "06_vectorized/widths",
              "How much must a thread request before it waits, to keep the memory busy?",
              "variant n block parameter value median_ms spread_pct gb_per_s flag check",
              "elements", NO_ERRORS);
    vary_blocks(table, variants, VARIANTS, BLOCK_SIZES);
    check_sizes(table, ROWS);
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    for (int i = SAXPY * BLOCK_SIZES; i < ROWS; i++)
        works[i].footprint = 2 * sizeof(float) * x.n; // y is an input, too
    measure_table(works, table, ROWS, &x);
    for (int i = 0; i < ROWS; i++)
        describe(&works[i], &in_flight[i / BLOCK_SIZES]);
    print_table(works, ROWS);
    if (run.samples)
        say_findings(works);
    if (run.on_cpu && x.n % 128 == 0)
        say_requests(x.n);
    arrays_free(&x);
    return run_end();
}
