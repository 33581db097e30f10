// Does measure.h tell the truth? Three kernels, block 256, each timed by measure() hot and cold and
// by a plain loop of launches between two events, in one run, taking turns.
//
//     nvcc -O3 tests/bench/measure_check.cu -o measure_check && ./measure_check
//
// SPDX-License-Identifier: MIT
#include "../../common/arrays.h"
#include "../../common/measure.h"

enum { GPU_N = 1 << 28, CPU_N = 1 << 22, BLOCK = 256, LOOP_LAUNCHES = 20 };

static void add_reference(float *out, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}
static void saxpy_reference(float *y, const float *x, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + y[i];
}

__global__ void add_float(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}
// n counts vectors: the program's sizes are multiples of 4.
__global__ void add_float4(float4 *out, const float4 *a, const float4 *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 x = a[i], y = b[i];
        out[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}
__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void launch_add_float(float *out, const float *a, const float *b, size_t n) {
    if (n > 0)
        add_float<<<blocks(n, BLOCK), BLOCK>>>(out, a, b, n);
    CUDA_CHECK(cudaGetLastError());
}
static void launch_add_float4(float *out, const float *a, const float *b, size_t n) {
    if (n > 0)
        add_float4<<<blocks(n / 4, BLOCK), BLOCK>>>((float4 *)out, (const float4 *)a,
                                                    (const float4 *)b, n / 4);
    CUDA_CHECK(cudaGetLastError());
}
static void launch_saxpy(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        saxpy<<<blocks(n, BLOCK), BLOCK>>>(y, x, 2.0f, n);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"add_float", launch_add_float, add_reference, 12, 1, 0, ""},
    {"add_float4", launch_add_float4, add_reference, 12, 1, 0, ""},
    {"saxpy", launch_saxpy, saxpy_reference, 12, 2, 1, ""},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

struct work {
    const struct variant *variant;
    struct arrays *arrays;
};
static void launch_work(void *context) {
    const struct work *work = (const struct work *)context;
    variant_launch(work->variant, work->arrays);
}

// The plain loop that everybody writes: milliseconds for one launch.
static double hand_written_ms(const struct work *work) {
    cudaEvent_t start, stop;
    float ms;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    variant_launch(work->variant, work->arrays);
    CUDA_CHECK(cudaEventRecord(start));
    for (int i = 0; i < LOOP_LAUNCHES; i++)
        variant_launch(work->variant, work->arrays);
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return ms / LOOP_LAUNCHES;
}

static const struct program program = {
    "bench",
    "measure_check",
    "measure.h, hot and cold, beside a hand-written loop of events.",
    "variant n parameter samples median_ms min_ms max_ms gb_per_s flag check",
    "floats",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    size_t n = run_size(&run, GPU_N, CPU_N, variants[0].bytes) / 4 * 4;
    struct arrays arrays = arrays_create(n);
    struct work work[VARIANTS];
    struct task hot[VARIANTS], cold[VARIANTS];
    double *by_hand = (double *)host_malloc(VARIANTS * run.samples * sizeof *by_hand);
    int right[VARIANTS];
    for (int i = 0; i < VARIANTS; i++) {
        struct task task = {launch_work, &work[i], NULL, 0, 0};
        work[i].variant = &variants[i];
        work[i].arrays = &arrays;
        hot[i] = cold[i] = task;
        right[i] = variant_try(&variants[i], &arrays);
    }
    if (!run.quick) {
        measure(&run, hot, VARIANTS, MEASURE_HOT);
        for (size_t s = 0; s < run.samples; s++)
            for (int i = 0; i < VARIANTS; i++)
                by_hand[(size_t)i * run.samples + s] = hand_written_ms(&work[i]);
        measure(&run, cold, VARIANTS, MEASURE_COLD);
    }
    for (int i = 0; i < VARIANTS; i++) {
        double hot_ms = 0;
        right[i] &= variant_try(&variants[i], &arrays);
        for (int way = 0; way < 3; way++) {
            static const char *const ways[] = {"measure hot", "by hand", "measure cold"};
            struct row row = run_row(&run, variants[i].name);
            row.dtype = "float";
            row.n = n;
            row.block = BLOCK;
            row.parameter = ways[way];
            row.bytes = n * variants[i].bytes;
            row.check = right[i] ? "ok" : "FAIL";
            struct task hand = {launch_work, &work[i], by_hand + (size_t)i * run.samples,
                                LOOP_LAUNCHES, hot[i].floor_ms};
            if (!run.quick)
                row_measured(&row, &run,
                             way == 0   ? &hot[i]
                             : way == 1 ? &hand
                                        : &cold[i],
                             row.bytes);
            run_print(&run, &row);
            if (way == 0)
                hot_ms = row.median_ms;
            else if (!run.quick)
                run_say(&run, "  %s: %+.2f %% against measure hot", ways[way],
                        100 * (row.median_ms / hot_ms - 1));
        }
    }
    if (!run.quick) {
        measure_free(hot, VARIANTS);
        measure_free(cold, VARIANTS);
    }
    free(by_hand);
    arrays_free(&arrays);
    return run_end(&run);
}
