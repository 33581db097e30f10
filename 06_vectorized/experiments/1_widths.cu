// Adding two arrays, one float for each thread, does not reach the memory's rate. Four floats for
// each thread do: as a float4, or as four floats whose loads come first. What counts is how much a
// thread asks for before it waits, not the width of the instruction.
//
//     nvcc -O3 1_widths.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 1_widths.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 28, CPU_N = 1 << 18 };

static const unsigned block_sizes[] = {128, 256, 512, 1024}; // the article's is 128
enum { BLOCK_SIZES = (int)(sizeof block_sizes / sizeof block_sizes[0]) };

// ---- Kernels -----------------------------------------------------------------------------------
// add_float, add_float4 and add_unrolled4 are in elementwise.h. All of these take any n.

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

// The same bytes for each thread as float2 and float4, in 4-byte accesses. Expect the same rates.
__global__ void add_unrolled2(float *out, const float *a, const float *b, size_t n) {
    add_unrolled(out, a, b, n, 2);
}

__global__ void add_unrolled8(float *out, const float *a, const float *b, size_t n) {
    add_unrolled(out, a, b, n, 8);
}

// Both at once: two float4 of each array. Expect no more than float4, the memory is busy by then.
__global__ void add_float4_unrolled2(float *out, const float *a, const float *b, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x * 2 + threadIdx.x, second = first + blockDim.x;
    const float4 *a4 = (const float4 *)a, *b4 = (const float4 *)b;
    if (second < n / 4) {
        float4 p = a4[first], q = b4[first], r = a4[second], s = b4[second];
        ((float4 *)out)[first] = sum4(p, q);
        ((float4 *)out)[second] = sum4(r, s);
    } else if (first < n / 4) {
        ((float4 *)out)[first] = sum4(a4[first], b4[first]);
    }
    add_rest(out, a, b, n, first);
}

// SAXPY moves as many bytes, and reads where it writes. Expect the same gain. (The third parameter
// is there so that all kernels are launched alike.)
__global__ void saxpy_float(float *y, const float *x, const float *, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2.0f * x[i] + y[i];
}

__global__ void saxpy_float4(float *y, const float *x, const float *, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = ((const float4 *)x)[i], q = ((const float4 *)y)[i];
        ((float4 *)y)[i] = make_float4(2 * p.x + q.x, 2 * p.y + q.y, 2 * p.z + q.z, 2 * p.w + q.w);
    }
    if (i < n % 4)
        y[n - 1 - i] = 2.0f * x[n - 1 - i] + y[n - 1 - i];
}

// ---- Variants ----------------------------------------------------------------------------------
enum {
    FLOAT,
    FLOAT2,
    FLOAT4,
    FLOAT4_QUARTER,
    UNROLLED2,
    UNROLLED4,
    UNROLLED8,
    FLOAT4_UNROLLED2,
    SAXPY,
    SAXPY4,
    VARIANTS
};

// Elements for each thread, the share of the block, bytes in flight for each thread: of both
// arrays.
static const struct shape shapes[VARIANTS] = {
    {add_float, 1, 1, 8, 0},      {add_float2, 2, 1, 16, 0},           {add_float4, 4, 1, 32, 0},
    {add_float4, 4, 4, 32, 0},    {add_unrolled2, 2, 1, 16, 0},        {add_unrolled4, 4, 1, 32, 0},
    {add_unrolled8, 8, 1, 64, 0}, {add_float4_unrolled2, 8, 1, 64, 0}, {saxpy_float, 1, 1, 8, 0},
    {saxpy_float4, 4, 1, 32, 0},
};

LAUNCH(float, add_float, &shapes[FLOAT])
LAUNCH(float2, add_float2, &shapes[FLOAT2])
LAUNCH(float4, add_float4, &shapes[FLOAT4])
LAUNCH(float4_quarter, add_float4, &shapes[FLOAT4_QUARTER])
LAUNCH(unrolled2, add_unrolled2, &shapes[UNROLLED2])
LAUNCH(unrolled4, add_unrolled4, &shapes[UNROLLED4])
LAUNCH(unrolled8, add_unrolled8, &shapes[UNROLLED8])
LAUNCH(float4_unrolled2, add_float4_unrolled2, &shapes[FLOAT4_UNROLLED2])
LAUNCH(saxpy, saxpy_float, &shapes[SAXPY])
LAUNCH(saxpy4, saxpy_float4, &shapes[SAXPY4])

static const struct variant variants[VARIANTS] = {
    {"float", launch_float, add_reference, 12, 1, 0, "too few bytes in flight"},
    {"float2", launch_float2, add_reference, 12, 1, 0, "twice as many"},
    {"float4, 1/4 of the grid", launch_float4, add_reference, 12, 1, 0, "the memory's rate"},
    {"float4, 1/4 of the block", launch_float4_quarter, add_reference, 12, 1, 0,
     "the same, unless the block gets too small to fill a multiprocessor"},
    {"2 floats", launch_unrolled2, add_reference, 12, 1, 0, "as float2"},
    {"4 floats", launch_unrolled4, add_reference, 12, 1, 0, "as float4"},
    {"8 floats", launch_unrolled8, add_reference, 12, 1, 0, "no more than float4"},
    {"2 float4", launch_float4_unrolled2, add_reference, 12, 1, 0, "no more than float4"},
    {"saxpy float", launch_saxpy, saxpy_reference, 12, 2, 1, "as float"},
    {"saxpy float4", launch_saxpy4, saxpy_reference, 12, 2, 1, "as float4"},
};

// ---- Conclude ----------------------------------------------------------------------------------
// What the rates say: they may be any.
static void conclude(const struct run *run, struct work works[][BLOCK_SIZES]) {
    char formula[128];
    double peak = peak_gb_per_s((int)run->device_number, formula, sizeof formula);
    double apart[3] = {0, 0, 0}; // least and most of 4 floats / float4, over block sizes
    const struct row *best = &works[0][0].row;
    for (int i = 0; i < VARIANTS * BLOCK_SIZES; i++) {
        const struct row *row = &works[i / BLOCK_SIZES][i % BLOCK_SIZES].row;
        best = row->gb_per_s > best->gb_per_s ? row : best;
    }
    run_say(run, "Fastest: %s in blocks of %zu with %.1f GB/s%s", best->variant, best->block,
            best->gb_per_s, peak > 0 ? "," : ".");
    if (peak > 0)
        run_say(run, "%.1f %% of the theoretical peak (%s).", 100 * best->gb_per_s / peak, formula);
    run_say(run, "Times as fast as one float for each thread:");
    for (int k = 0; k < BLOCK_SIZES; k++) {
        double one = works[FLOAT][k].row.gb_per_s;
        double four = works[UNROLLED4][k].row.gb_per_s / works[FLOAT4][k].row.gb_per_s;
        run_say(run,
                "  block %4u: float2 %.2f, 2 floats %.2f, float4 %.2f, 4 floats %.2f; saxpy float4 "
                "%.2f",
                block_sizes[k], works[FLOAT2][k].row.gb_per_s / one,
                works[UNROLLED2][k].row.gb_per_s / one, works[FLOAT4][k].row.gb_per_s / one,
                works[UNROLLED4][k].row.gb_per_s / one,
                works[SAXPY4][k].row.gb_per_s / works[SAXPY][k].row.gb_per_s);
        apart[0] = k == 0 || four < apart[0] ? four : apart[0];
        apart[1] = fmax(apart[1], four);
    }
    run_say(
        run, "4 floats, loads first, reach %.3f to %.3f of float4's rate: %s.", apart[0], apart[1],
        apart[0] >= 0.97 && apart[1] <= 1.03 ? "here the width of the access makes no difference"
        : apart[0] >= 0.97                   ? "here float4 is nowhere faster"
                                             : "here the width of the access counts");
    apart[2] = works[FLOAT4_QUARTER][0].row.gb_per_s / works[FLOAT4][0].row.gb_per_s;
    run_say(run, "float4 in blocks of 32 instead of 128: %.3f of the rate.", apart[2]);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "06_vectorized",
    "widths",
    "A thread that asks for 16 bytes of each array keeps the memory busy; one that asks for 4 does "
    "not.",
    "variant n block parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    size_t n = run_size(&run, GPU_N, CPU_N, 5 * sizeof(float));
    struct data data = data_create(n);
    static struct work works[VARIANTS][BLOCK_SIZES];
    struct task tasks[VARIANTS * BLOCK_SIZES];
    for (int i = 0; i < VARIANTS; i++) {
        for (int k = 0; k < BLOCK_SIZES; k++) {
            struct work *work = &works[i][k];
            work->variant = &variants[i];
            work->shape = &shapes[i];
            work->data = &data;
            work->block = block_sizes[k];
        }
    }
    measure_works(&run, works[0], tasks, VARIANTS * BLOCK_SIZES);
    print_works(&run, works[0], VARIANTS * BLOCK_SIZES);
    if (!run.quick)
        conclude(&run, works);
    measure_free(tasks, VARIANTS * BLOCK_SIZES);
    data_free(&data);
    return run_end(&run);
}
