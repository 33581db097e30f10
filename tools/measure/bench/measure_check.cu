// Is measure.h right? Three kernels, block 256, each timed by measure() hot and cold and by a plain
// loop of launches between two events, in one run, taking turns.
//
//     nvcc -O3 -arch=native tools/measure/bench/measure_check.cu -o check && ./check
//
// SPDX-License-Identifier: MIT
#include "../../../common/experiment/measure.h"

enum { GPU_N = 1 << 28, CPU_N = 1 << 22, LOOP_LAUNCHES = 20 };

// ---- Kernels -----------------------------------------------------------------------------------
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

static void launch_add_float(const struct arrays *x, unsigned block, size_t) {
    add_float<<<blocks(x->n, block), block, 0, run.stream>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_add_float4(const struct arrays *x, unsigned block, size_t) {
    add_float4<<<blocks(x->n / 4, block), block, 0, run.stream>>>(
        (float4 *)x->d_out, (const float4 *)x->d_a, (const float4 *)x->d_b, x->n / 4);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_saxpy(const struct arrays *x, unsigned block, size_t) {
    saxpy<<<blocks(x->n, block), block, 0, run.stream>>>(x->d_out, x->d_a, 2.0f, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Variants ----------------------------------------------------------------------------------
enum { VARIANTS = 3 };
static const struct variant variants[VARIANTS] = {
    {"add_float", launch_add_float, sum_reference, 256, 0, 12, 1, 0, ""},
    {"add_float4", launch_add_float4, sum_reference, 256, 0, 12, 1, 0, ""},
    {"saxpy", launch_saxpy, saxpy_reference, 256, 0, 12, 2, 1, ""},
};

// ---- Measure -----------------------------------------------------------------------------------
enum { HOT, BY_HAND, COLD, WAYS };
static const char *const ways[WAYS] = {"measure hot", "by hand", "measure cold"};

// The plain loop that is usually written: milliseconds for one launch.
static double by_hand_ms(struct work *work) {
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    launch_work(work);
    CUDA_CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < LOOP_LAUNCHES; i++)
        launch_work(work);
    CUDA_CHECK(cudaEventRecord(stop, 0));
    double ms = elapsed_ms(start, stop);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return ms / LOOP_LAUNCHES;
}

static void time_all_ways(struct work *works, struct task tasks[WAYS][VARIANTS]) {
    for (int way = 0; way < WAYS; way++) {
        for (int i = 0; i < VARIANTS; i++) {
            tasks[way][i] = task_of(launch_work, &works[i]);
            if (way == BY_HAND) {
                tasks[way][i].batch = LOOP_LAUNCHES;
                tasks[way][i].samples = run.samples;
                tasks[way][i].samples_ms = (double *)host_malloc(run.samples * sizeof(double));
                tasks[way][i].floor_ms = tasks[HOT][i].floor_ms;
            }
        }
        if (way != BY_HAND)
            measure(tasks[way], VARIANTS, way == HOT ? MEASURE_HOT : MEASURE_COLD);
        for (size_t s = 0; way == BY_HAND && s < run.samples; s++)
            for (int i = 0; i < VARIANTS; i++)
                tasks[way][i].samples_ms[s] = by_hand_ms(&works[i]);
    }
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    struct work works[VARIANTS];
    struct task tasks[WAYS][VARIANTS];
    int right[VARIANTS];
    run_begin(argc, argv, "bench/measure_check",
              "measure.h, hot and cold, beside a hand-written loop of events.",
              "variant n parameter samples median_ms min_ms max_ms gb_per_s flag check", "floats",
              NO_ERRORS);
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)) / 4 * 4);
    for (int i = 0; i < VARIANTS; i++) {
        works[i].variant = &variants[i], works[i].x = &x;
        right[i] = variant_try(&variants[i], &x);
    }
    if (run.samples)
        time_all_ways(works, tasks);
    for (int i = 0; i < VARIANTS; i++) {
        double hot_ms = 0;
        right[i] &= variant_try(&variants[i], &x);
        for (int way = 0; way < WAYS; way++) {
            struct row row = variant_row(&variants[i], &x, right[i]);
            row.parameter = ways[way];
            row.flops = 0;
            if (run.samples)
                row_measured(&row, &tasks[way][i], row.bytes);
            print_row(&row);
            if (way == HOT)
                hot_ms = row.median_ms;
            else if (run.samples)
                say("  %s: %+.2f %% against measure hot", ways[way],
                    100 * (row.median_ms / hot_ms - 1));
        }
    }
    for (int way = 0; way < WAYS && run.samples; way++)
        measure_free(tasks[way], VARIANTS);
    arrays_free(&x);
    return run_end();
}
