// Do the bytes or the arithmetic limit a kernel? A ladder of kernels moves the same bytes with more
// and more multiply-adds. Its GFLOP/s climb while the memory is the limit and stay level when the
// arithmetic is: the roofline. SAXPY is the first step.
//
//     nvcc -O3 -arch=native 2_roofline.cu && ./a.out
//     ../../cudacc/cudacc -O2 2_roofline.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "peak.h"

enum { GPU_N = 1 << 25, CPU_N = 1 << 14, EACH = 4, BLOCK = 256, LEVEL = 90 };

// Multiply-adds for an element: from 1/12 flop/byte (double, 1) to 64 and more.
static const unsigned fmas[] = {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 384, 768};
enum { STEPS = (int)(sizeof fmas / sizeof fmas[0]) };

// ---- Kernels -----------------------------------------------------------------------------------
// Reads x and y and writes y, as SAXPY does, with `count` multiply-adds for an element instead of
// 1. Four elements for each thread: the memory has enough to do (chapter 06), and the arithmetic
// units get four chains that do not wait for each other. With a = 2 and c = 1 all results are
// exact.
template <typename T> __global__ void ladder(T *y, const T *x, T a, T c, size_t n, unsigned count) {
    size_t first = (size_t)blockIdx.x * blockDim.x * EACH + threadIdx.x;
    T v[EACH];
    for (unsigned j = 0; j < EACH; j++) {
        size_t i = first + j * blockDim.x;
        v[j] = i < n ? a * x[i] + y[i] : 0;
    }
#pragma unroll 16
    for (unsigned k = 1; k < count; k++)
        for (unsigned j = 0; j < EACH; j++)
            v[j] = v[j] * c + c;
    for (unsigned j = 0; j < EACH; j++) {
        size_t i = first + j * blockDim.x;
        if (i < n)
            y[i] = v[j];
    }
}

// x, y, and what y must become: 2x + y, and then 1 more with each further multiply-add.
template <typename T> __global__ void fill(T *y, T *x, T *expected, size_t n, unsigned count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = fill_value(i, 1), y[i] = fill_value(i, 2);
        expected[i] = 2 * fill_value(i, 1) + fill_value(i, 2) + (T)(count - 1);
    }
}

// ---- Steps of the ladder -----------------------------------------------------------------------
struct step {
    void *d_y, *d_x, *d_expected;
    unsigned count;
    char name[32];
    struct row row;
};

template <typename T> static void launch_step(void *context) {
    const struct step *s = (const struct step *)context;
    if (s->row.n > 0)
        ladder<<<blocks(s->row.n, BLOCK * EACH), BLOCK, 0, run.stream>>>(
            (T *)s->d_y, (const T *)s->d_x, (T)2, (T)1, s->row.n, s->count);
    CUDA_CHECK(cudaGetLastError());
}

template <typename T> static void check_step(struct step *s) {
    if (s->row.n > 0)
        fill<<<blocks(s->row.n, BLOCK), BLOCK>>>((T *)s->d_y, (T *)s->d_x, (T *)s->d_expected,
                                                 s->row.n, s->count);
    CUDA_CHECK(cudaGetLastError());
    launch_step<T>(s);
    if (count_mismatches_on_device(s->d_expected, s->d_y, s->row.n, sizeof(T), s->name) +
        count_guard_damage(s->d_y, s->row.n * sizeof(T), s->name))
        s->row.check = "FAIL";
}

// The first `count` steps on n elements of T, called `type`: their rows.
template <typename T>
static void climb(struct step *steps, size_t count, const char *type, size_t n) {
    struct task tasks[STEPS];
    T *d[3];
    for (int i = 0; i < 3; i++)
        d[i] = (T *)guarded_malloc(n * sizeof(T));
    for (size_t i = 0; i < count; i++) {
        struct step *s = &steps[i];
        s->d_y = d[0], s->d_x = d[1], s->d_expected = d[2], s->count = fmas[i];
        snprintf(s->name, sizeof s->name, "%s, %u FMA", type, fmas[i]);
        s->row = row_of(s->name);
        s->row.dtype = type, s->row.n = n, s->row.block = BLOCK, s->row.check = "ok";
        s->row.bytes = 3 * sizeof(T) * n, s->row.flops = 2 * fmas[i] * n;
        s->row.parameter = "flop/byte";
        s->row.value = round(2e4 * fmas[i] / (3 * sizeof(T))) / 1e4;
        check_step<T>(s);
        tasks[i] = task_of(launch_step<T>, s);
    }
    if (run.samples)
        measure(tasks, count, MEASURE_HOT);
    for (size_t i = 0; i < count && run.samples; i++)
        row_measured(&steps[i].row, &tasks[i], 2 * sizeof(T) * n), check_step<T>(&steps[i]);
    for (size_t i = 0; i < count; i++)
        print_row(&steps[i].row);
    measure_free(tasks, run.samples ? count : 0);
    for (int i = 0; i < 3; i++)
        guarded_free(d[i]);
}

// ---- Roofs -------------------------------------------------------------------------------------
// Where the two roofs of the steps meet, and where SAXPY stands below them.
static void conclude(const struct step *steps, const struct row *peak) {
    const struct row *saxpy = &steps[0].row, *bend = saxpy;
    double gb = 0, gflop = 0;
    char name[64];
    for (int i = 0; i < STEPS; i++)
        gb = fmax(gb, steps[i].row.gb_per_s), gflop = fmax(gflop, steps[i].row.gflop_per_s);
    for (int i = STEPS - 1; i >= 0; i--)
        bend = 100 * steps[i].row.gb_per_s < LEVEL * gb ? &steps[i].row : bend;
    snprintf(name, sizeof name, "balance, %s", peak->dtype);
    if (peak->value > 0)
        finding(name, gflop / gb,
                "In %s the kernels reach at most %.0f GFLOP/s (%.1f %% of the peak) and %.0f GB/s; "
                "these roofs meet at %.1f flop/byte, those of the attributes at %.1f.",
                peak->dtype, gflop, 100 * gflop / peak->gflop_per_s, gb, gflop / gb, peak->value);
    snprintf(name, sizeof name, "bend, %s", peak->dtype);
    if (100 * bend->gb_per_s < LEVEL * gb)
        finding(name, bend->value,
                "In %s the memory's rate first falls below %d %% at %.2f flop/byte, with %.1f %% "
                "of the most GFLOP/s; SAXPY, at %.2f flop/byte, has %.1f %%.",
                peak->dtype, LEVEL, bend->value, 100 * bend->gflop_per_s / gflop, saxpy->value,
                100 * saxpy->gflop_per_s / gflop);
}

// ---- Main --------------------------------------------------------------------------------------
template <typename T> static void measure_type(const char *type, size_t n) {
    struct step steps[STEPS];
    struct row peak = run.samples ? print_peaks(type) : row_of(type);
    climb<T>(steps, STEPS, type, n);
    if (run.samples)
        conclude(steps, &peak);
}

int main(int argc, char **argv) {
    struct step steps[STEPS];
    run_begin(argc, argv, "03_bandwidth/roofline",
              "Few flops for a byte: the memory is the limit. Many: the arithmetic.",
              "variant n parameter value median_ms gb_per_s gflop_per_s flag check", "elements",
              NO_ERRORS);
    if (run.counts && run.size_count <= 1)
        run.columns = "variant n bytes flops parameter value check";
    for (size_t i = 0; run.size_count > 1 && i < run.size_count; i++) {
        climb<float>(steps, STEPS / 2, "float", run.sizes[i]); // the others only loop longer
        climb<double>(steps, STEPS / 2, "double", run.sizes[i]);
    }
    if (run.size_count > 1)
        return run_end();
    size_t n = run_size(GPU_N, CPU_N, 3 * sizeof(double));
    guarded_free(guarded_malloc(3 * n * sizeof(double))); // too much fails here, before a row
    measure_type<float>("float", n);
    measure_type<double>("double", n);
    return run_end();
}
