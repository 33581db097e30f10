// A kernel launch returns before the kernel has run. A CPU clock that is stopped right behind it
// has timed the launch; stopped behind a synchronisation, or a call that waits, it has timed the
// kernel.
//
//     nvcc -O3 1_sync_timing.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 1_sync_timing.cu && ./a.out   (no GPU)
//     ./a.out --errors           a launch that fails, and how fast that looks
//
// SPDX-License-Identifier: MIT
#include <time.h>
#include "../../common/arrays.h"

enum {
    ARTICLE_N = 20 * 1024 * 1024, // the SAXPY of the article
    CPU_N = 4 * 1024 * 1024,
    TINY_N = 4096, // next to no work: what is left is the launch
};

// ---- Reference ---------------------------------------------------------------------------------
static void sum_arrays_reference(float *out, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

// The article has x = 1 and y = 2 everywhere; then a kernel that mixes up elements passes, too.
static void saxpy_reference(float *y, const float *x, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + y[i];
}

// ---- Kernels -----------------------------------------------------------------------------------
// Both read two floats and write one for each element: expect the same time.
__global__ void sum_arrays(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void launch_sum_arrays_256(float *out, const float *a, const float *b, size_t n) {
    if (n > 0)
        sum_arrays<<<blocks(n, 256), 256>>>(out, a, b, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_saxpy_256(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        saxpy<<<blocks(n, 256), 256>>>(y, x, 2.0f, n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_saxpy_512(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        saxpy<<<blocks(n, 512), 512>>>(y, x, 2.0f, n);
    CUDA_CHECK(cudaGetLastError());
}

// The block of each is in its name: the first listings of the articles use 256, the full program
// 512.
static const struct variant variants[] = {
    {"sum_arrays_256", launch_sum_arrays_256, sum_arrays_reference, 12, 1, 0,
     "a launch: microseconds, whatever n; synchronised: in proportion to n"},
    {"saxpy_256", launch_saxpy_256, saxpy_reference, 12, 2, 1, "as sum_arrays: the same bytes"},
    {"saxpy_512", launch_saxpy_512, saxpy_reference, 12, 2, 1, "nearly the same"},
};

// ---- Measure -----------------------------------------------------------------------------------
static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); // chapter 01's `clocks` compares it with two others
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// Three places to stop the clock. Each leaves an idle device behind, for the next start.
enum stop { LAUNCH_ONLY, SYNCHRONIZE, COPY, STOPS };
static const char *const stop_names[STOPS] = {"launch only", "launch + synchronize",
                                              "launch + 4-byte copy"};

static double time_once(const struct variant *variant, const struct arrays *arrays, int stop_at) {
    float last;
    double start = now_ms();
    variant_launch(variant, arrays);
    if (stop_at == SYNCHRONIZE)
        CUDA_CHECK(cudaDeviceSynchronize());
    if (stop_at == COPY) // of one element: what takes time here is the wait, not the bytes
        CUDA_CHECK(
            cudaMemcpy(&last, arrays->d_out + arrays->n - 1, sizeof last, cudaMemcpyDeviceToHost));
    double stop = now_ms();
    CUDA_CHECK(cudaDeviceSynchronize());
    return stop - start;
}

// Prints a row for each place to stop; median_ms[] takes their medians.
static void measure_variant(struct run *run, const struct variant *variant, size_t n,
                            double *median_ms) {
    struct arrays arrays = arrays_create(n);
    size_t samples = run->quick ? 0 : run->samples;
    double *ms = (double *)host_malloc(STOPS * run->samples * sizeof *ms);
    int right = variant_try(variant, &arrays); // the warm-up, too
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < samples; i++)
        for (int stop = 0; stop < STOPS; stop++)
            ms[stop * samples + i] = time_once(variant, &arrays, stop);
    right &= variant_try(variant, &arrays);
    for (int stop = 0; stop < STOPS; stop++) {
        struct row row = run_row(run, variant->name);
        row.dtype = "float";
        row.n = n;
        row.parameter = stop_names[stop];
        row.bytes = n * variant->bytes;
        row.flops = n * variant->flops;
        row.check = right ? "ok" : "FAIL";
        if (samples)
            row_times(&row, ms + stop * samples, samples);
        run_print(run, &row);
        median_ms[stop] = row.median_ms;
    }
    free(ms);
    arrays_free(&arrays);
}

// ---- A launch that fails -----------------------------------------------------------------------
// No device allows 2048 threads in a block. Nothing is launched, and only cudaGetLastError tells:
// invalid configuration (9) by the documentation, invalid value (1) with CUDA 13.0 on a GPU.
static double failed_launch(struct run *run, size_t n, cudaError_t *code) {
    struct arrays arrays = arrays_create(n);
    double *ms = (double *)host_malloc(run->samples * sizeof *ms);
    int as_expected = 1;
    variant_reset(&variants[2], &arrays);
    for (size_t i = 0; i < run->samples; i++) {
        double start = now_ms();
        saxpy<<<blocks(n, 2048), 2048>>>(arrays.d_out, arrays.d_a, 2.0f, n);
        cudaError_t from_wait = cudaDeviceSynchronize();
        ms[i] = now_ms() - start;
        *code = cudaGetLastError();
        as_expected &= from_wait == cudaSuccess &&
                       (*code == cudaErrorInvalidConfiguration || *code == cudaErrorInvalidValue) &&
                       cudaGetLastError() == cudaSuccess; // asking once has cleared it
    }
    fill_floats(arrays.h_expected, n, 3); // y must be as it was
    as_expected &= variant_is_right(&variants[2], &arrays);
    struct row row = run_row(run, "saxpy_2048 (not launched)");
    row.dtype = "float";
    row.n = n;
    row.parameter = stop_names[SYNCHRONIZE];
    row.check = as_expected ? "ok" : "FAIL";
    if (!run->quick)
        row_times(&row, ms, run->samples);
    run_print(run, &row);
    free(ms);
    arrays_free(&arrays);
    return row.median_ms;
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "01_sync_timing",
    "sync_timing",
    "A CPU clock that is stopped right behind a launch has timed the launch, not the kernel.",
    "variant n parameter median_ms min_ms max_ms check",
    "elements",
    1,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    size_t n = run_size(&run, ARTICLE_N, CPU_N, variants[0].bytes);
    double full[STOPS], tiny[STOPS], article[STOPS];

    if (run.errors) {
        measure_variant(&run, &variants[2], n, full);
        cudaError_t code = cudaSuccess;
        double failed = failed_launch(&run, n, &code);
        if (!run.quick)
            run_say(&run,
                    "Launch and wait took %.4f ms with 2048 threads in a block, %.4f with 512: "
                    "nothing ran.\nThe wait reported no error; cudaGetLastError() did: %d, %s.",
                    failed, full[SYNCHRONIZE], (int)code, cudaGetErrorString(code));
        return run_end(&run);
    }

    measure_variant(&run, &variants[0], n, full);
    measure_variant(&run, &variants[1], n, full);
    measure_variant(&run, &variants[2], n, full);
    measure_variant(&run, &variants[2], TINY_N, tiny);
    if (!run.quick && n != ARTICLE_N)
        measure_variant(&run, &variants[2], ARTICLE_N, article);
    if (!run.quick) {
        double seen = 100 * full[LAUNCH_ONLY] / full[SYNCHRONIZE];
        run_say(
            &run,
            "saxpy_512: stopped behind the launch, the clock has seen %.2f %% of the time until "
            "the kernel was done.\n%s\n"
            "From %d to %zu elements the launch takes %.1f times as long, launch and kernel %.1f "
            "times.",
            seen,
            seen < 50 ? "It timed the launch. A blocking copy waits for the kernel by itself."
                      : "Here the launch did not return early (is CUDA_LAUNCH_BLOCKING set?).",
            TINY_N, n, full[LAUNCH_ONLY] / tiny[LAUNCH_ONLY],
            full[SYNCHRONIZE] / tiny[SYNCHRONIZE]);
    }
    return run_end(&run);
}
