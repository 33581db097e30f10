// The first CUDA call of a process sets up the device, and the first launch of each kernel loads
// it. Both take milliseconds that have nothing to do with the work.
//
//     nvcc -O3 -arch=native 3_first_call.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_first_call.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/variants.h"

enum { N = 4096 }; // so little work that the calls are what is timed

// ---- Kernels -----------------------------------------------------------------------------------
// Three that are alike: what the second one pays at its first launch, the first did not pay for it.
__global__ void copy(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i];
}

__global__ void difference(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] - b[i];
}

__global__ void larger(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] > b[i] ? a[i] : b[i];
}

static void launch_copy(const struct arrays *x, unsigned block, size_t) {
    copy<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_difference(const struct arrays *x, unsigned block, size_t) {
    difference<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_larger(const struct arrays *x, unsigned block, size_t) {
    larger<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- References --------------------------------------------------------------------------------
static void copy_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i];
}

static void difference_reference(float *out, const float *a, const float *b, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] - b[i];
}

static void larger_reference(float *out, const float *a, const float *b, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] > b[i] ? a[i] : b[i];
}

enum { VARIANTS = 3 };
static const struct variant variants[VARIANTS] = {
    {"copy", launch_copy, copy_reference, 256, 0, 8, 0, 0, "the first launch is slow"},
    {"difference", launch_difference, difference_reference, 256, 0, 12, 1, 0, "slow again"},
    {"larger", launch_larger, larger_reference, 256, 0, 12, 1, 0, "and again"},
};

// ---- Measure -----------------------------------------------------------------------------------
static void print_times(const char *variant, const char *which, const double *ms, size_t samples,
                        const char *check) {
    struct row row = row_of(variant);
    row.parameter = which;
    row.check = check;
    if (run.samples)
        row_times(&row, ms, samples);
    print_row(&row);
}

// The calls that most programs begin with. An error of theirs comes back in run_open.
enum { CALLS = 4 };
static const char *const call_names[CALLS] = {"cudaGetDeviceCount", "cudaSetDevice",
                                              "cudaFree(NULL)", "cudaFree(NULL)"};

static void time_first_calls(double *ms) {
    int count;
    double clock[CALLS + 1];
    clock[0] = wall_ms();
    (void)cudaGetDeviceCount(&count);
    clock[1] = wall_ms();
    (void)cudaSetDevice((int)run.device_number);
    clock[2] = wall_ms();
    (void)cudaFree(NULL);
    clock[3] = wall_ms();
    (void)cudaFree(NULL);
    clock[4] = wall_ms();
    for (int i = 0; i < CALLS; i++)
        ms[i] = clock[i + 1] - clock[i];
}

// A kernel's first launch, its second, and the rest, each with the wait for its end. Returns how
// many times as long as the median of the rest the first one took.
static double time_launches(const struct variant *variant, struct arrays *x) {
    size_t launches = run.samples ? 2 + run.samples : 1;
    double *ms = (double *)host_malloc(launches * sizeof *ms);
    int right = 1;
    variant_expect(variant, x);
    for (size_t i = 0; i < launches; i++) {
        if (i < 2) // what launch 1 wrote must not pass for what the others write
            variant_reset(variant, x);
        CUDA_CHECK(cudaDeviceSynchronize());
        double start = wall_ms();
        variant_launch(variant, x);
        CUDA_CHECK(cudaDeviceSynchronize());
        ms[i] = wall_ms() - start;
        if (i == 0 || i == launches - 1)
            right &= variant_is_right(variant, x);
    }
    const char *check = right ? "ok" : "FAIL";
    print_times(variant->name, "launch 1", ms, 1, check);
    if (run.samples) {
        print_times(variant->name, "launch 2", ms + 1, 1, check);
        print_times(variant->name, "launch 3 and later", ms + 2, run.samples, check);
    }
    double ratio = run.samples ? ms[0] / quantile_of(ms + 2, run.samples, 0.5) : 0;
    free(ms);
    return ratio;
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double ms[CALLS], ratio[VARIANTS];
    run_declare("01_sync_timing/first_call",
                "The first CUDA call of a process and the first launch of each kernel are slow.",
                "variant parameter samples median_ms min_ms max_ms check", NULL, NO_ERRORS);
    run_parse(argc, argv);
    time_first_calls(ms); // before anything else asks the device
    run_open();
    if (check_sizes(variants, VARIANTS))
        return run_end();
    for (int i = 0; i < CALLS; i++)
        print_times(call_names[i], i == 3 ? "once more" : "first call", &ms[i], 1, NULL);
    struct arrays x = arrays_create(N);
    for (int i = 0; i < VARIANTS; i++)
        ratio[i] = time_launches(&variants[i], &x);
    arrays_free(&x);
    if (run.samples) {
        finding("setup_ms", ms[0] + ms[1] + ms[2],
                "Before its first kernel, this process spent %.1f ms in three calls.",
                ms[0] + ms[1] + ms[2]);
        finding(
            "first_launch_ratio", ratio[1],
            "The first launch of each kernel took %.1f, %.1f and %.1f times as long as later ones.",
            ratio[0], ratio[1], ratio[2]);
    }
    return run_end();
}
