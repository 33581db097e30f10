// The first call pays for what later calls find done: the first CUDA call of a process for the
// device's context, the first launch of *each* kernel for loading its code.
//
//     nvcc -O3 2_first_call.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 2_first_call.cu && ./a.out   (no GPU)
//
// A process has one first call, so those rows are one sample: run the program again for another.
// SPDX-License-Identifier: MIT
#include "../../common/common.h"
#include "../../common/arrays.h"

enum { N = 4096 }; // so little work that the calls are what is timed

// ---- Reference ---------------------------------------------------------------------------------
static void copy_reference(float *out, const float *a, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i];
}

static void difference_reference(float *out, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] - b[i];
}

static void larger_reference(float *out, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] > b[i] ? a[i] : b[i];
}

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

static void launch_copy(float *out, const float *a, const float *, size_t n) {
    if (n > 0)
        copy<<<blocks(n, 256), 256>>>(out, a, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_difference(float *out, const float *a, const float *b, size_t n) {
    if (n > 0)
        difference<<<blocks(n, 256), 256>>>(out, a, b, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_larger(float *out, const float *a, const float *b, size_t n) {
    if (n > 0)
        larger<<<blocks(n, 256), 256>>>(out, a, b, n);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"copy", launch_copy, copy_reference, 8, 0, 0, "the first launch is slow"},
    {"difference", launch_difference, difference_reference, 12, 1, 0, "its first is slow again"},
    {"larger", launch_larger, larger_reference, 12, 1, 0, "and so is this one's"},
};
enum { VARIANTS = (int)(sizeof variants / sizeof variants[0]) };

// ---- Measure -----------------------------------------------------------------------------------
static void print_times(struct run *run, const char *variant, const char *which, const double *ms,
                        size_t samples, const char *check) {
    struct row row = run_row(run, variant);
    row.parameter = which;
    row.check = check;
    if (!run->quick && samples > 0)
        row_times(&row, ms, samples);
    run_print(run, &row);
}

// The calls that most programs begin with. An error of theirs comes back in run_open.
static const char *const call_names[] = {"cudaGetDeviceCount", "cudaSetDevice", "cudaFree(NULL)",
                                         "cudaFree(NULL)"};
enum { CALLS = (int)(sizeof call_names / sizeof call_names[0]) };

static void time_first_calls(const struct run *run, double *ms) {
    int count;
    double clock[CALLS + 1];
    clock[0] = wall_ms();
    (void)cudaGetDeviceCount(&count);
    clock[1] = wall_ms();
    (void)cudaSetDevice((int)run->device_number);
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
static double measure_variant(struct run *run, const struct variant *variant,
                              struct arrays *arrays) {
    size_t launches = run->quick ? 1 : 2 + run->samples;
    double *ms = (double *)host_malloc(launches * sizeof *ms);
    int right = 1;
    for (size_t i = 0; i < launches; i++) {
        if (i < 2) // what launch 1 wrote must not pass for what the others write
            variant_reset(variant, arrays);
        CUDA_CHECK(cudaDeviceSynchronize());
        double start = wall_ms();
        variant_launch(variant, arrays);
        CUDA_CHECK(cudaDeviceSynchronize());
        ms[i] = wall_ms() - start;
        if (i == 0 || i == launches - 1)
            right &= variant_is_right(variant, arrays);
    }
    const char *check = right ? "ok" : "FAIL";
    double ratio = 0;
    print_times(run, variant->name, "launch 1", ms, 1, check);
    if (!run->quick) {
        print_times(run, variant->name, "launch 2", ms + 1, 1, check);
        print_times(run, variant->name, "launch 3 and later", ms + 2, run->samples, check);
        ratio = ms[0] / quantile_of(ms + 2, run->samples, 0.5);
    }
    free(ms);
    return ratio;
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "01_sync_timing",
    "first_call",
    "The first CUDA call of a process and the first launch of each kernel pay for what comes "
    "after.",
    "variant parameter samples median_ms min_ms max_ms check",
    NULL,
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_parse(&program, argc, argv);
    double call_ms[CALLS], ratio[VARIANTS];
    time_first_calls(&run, call_ms); // before anything else asks the device
    run_open(&run);

    for (int i = 0; i < CALLS; i++)
        print_times(&run, call_names[i], i == 3 ? "once more" : "first call", &call_ms[i], 1, NULL);
    struct arrays arrays = arrays_create(N);
    for (int i = 0; i < VARIANTS; i++)
        ratio[i] = measure_variant(&run, &variants[i], &arrays);
    arrays_free(&arrays);

    if (!run.quick) {
        int each_pays = ratio[0] > 2 && ratio[1] > 2 && ratio[2] > 2;
        run_say(&run, "Before the first kernel this process spent %.1f ms in three calls.",
                call_ms[0] + call_ms[1] + call_ms[2]);
        run_say(&run,
                "The first launch took %.1f, %.1f and %.1f times as long as later ones\n"
                "of the same kernel: %s.",
                ratio[0], ratio[1], ratio[2],
                each_pays ? "each kernel pays for itself" : "not every kernel pays here");
    }
    return run_end(&run);
}
