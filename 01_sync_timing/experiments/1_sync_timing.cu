// A kernel launch returns before the kernel has run. A CPU clock stopped right after the launch has
// timed the launch; stopped after a synchronize, or a call that waits, it has timed the kernel.
//
//     nvcc -O3 -arch=native 1_sync_timing.cu && ./a.out
//     ../../cudacc/cudacc -O2 1_sync_timing.cu && ./a.out   (no GPU)
//     ./a.out --errors           a launch that fails, and how fast that looks
//
// SPDX-License-Identifier: MIT
#include "stops.h"

enum { ARTICLE_N = 20 << 20, CPU_N = 4 << 20, TINY_N = 4096 }; // tiny: only the launch is left

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

static void launch_sum_arrays(const struct arrays *x, unsigned block, size_t) {
    sum_arrays<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_saxpy(const struct arrays *x, unsigned block, size_t) {
    saxpy<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, 2.0f, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// No device allows 2048 threads in a block: nothing runs, and only cudaGetLastError reports it:
// invalid configuration (9) by the documentation, invalid value (1) with CUDA 13 on an H200.
static cudaError_t refusal;
static void launch_refused(const struct arrays *x, unsigned block, size_t) {
    saxpy<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, 2.0f, x->n);
    CUDA_CHECK(cudaDeviceSynchronize()); // no kernel has failed: none has run
    refusal = cudaGetLastError();        // asking once clears it
    if (refusal != cudaErrorInvalidConfiguration && refusal != cudaErrorInvalidValue)
        CUDA_CHECK(refusal);
}

enum { SUM_256, SAXPY_256, SAXPY_512, REFUSED, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"sum_arrays_256", launch_sum_arrays, sum_reference, 256, 0, 12, 1, 0,
     "a launch: microseconds, whatever n; synchronized: in proportion to n"},
    {"saxpy_256", launch_saxpy, saxpy_reference, 256, 0, 12, 2, 1, "as sum_arrays: the same bytes"},
    {"saxpy_512", launch_saxpy, saxpy_reference, 512, 0, 12, 2, 1, "nearly the same"},
    {"saxpy_2048 (not launched)", launch_refused, nothing_reference, 2048, 0, 0, 0, 1, "no time"},
};

// ---- Three places to stop the clock ------------------------------------------------------------
static double time_once(const struct variant *variant, const struct arrays *x, int stop) {
    double start = wall_ms();
    variant_launch(variant, x);
    stop_at(stop, x);
    double elapsed = wall_ms() - start;
    CUDA_CHECK(cudaDeviceSynchronize()); // the next start finds an idle device
    return elapsed;
}

// A row for each place to stop; median_ms takes their medians.
static void time_variant(const struct variant *variant, size_t n, double *median_ms) {
    struct arrays x = arrays_create(n);
    double *ms = (double *)host_malloc(STOPS * run.samples * sizeof *ms);
    int right = variant_try(variant, &x); // the warm-up, too
    for (size_t i = 0; i < run.samples; i++)
        for (int stop = 0; stop < STOPS; stop++)
            ms[stop * run.samples + i] = time_once(variant, &x, stop);
    right &= variant_try(variant, &x);
    for (int stop = 0; stop < STOPS; stop++) {
        struct row row = variant_row(variant, &x, right);
        row.parameter = stops[stop];
        row_times(&row, ms + stop * run.samples, run.samples);
        print_row(&row);
        median_ms[stop] = row.median_ms;
    }
    free(ms);
    arrays_free(&x);
}

// ---- Main --------------------------------------------------------------------------------------
// A launch that fails beside one that does not. Without times, only the code.
static int make_errors(size_t n) {
    double ms[VARIANTS][STOPS];
    for (int i = SAXPY_512; i <= REFUSED; i++) {
        if (!run.counts) {
            time_variant(&variants[i], n, ms[i]);
            continue;
        }
        struct arrays x = arrays_create(n);
        struct row row = variant_row(&variants[i], &x, variant_try(&variants[i], &x));
        row.parameter = "cudaGetLastError", row.value = refusal;
        print_row(&row);
        arrays_free(&x);
    }
    if (run.samples)
        say("A refused launch and the wait take %.4f ms, SAXPY %.4f. Nothing ran. The wait "
            "reported\n"
            "no error; cudaGetLastError() did: %d, %s.",
            ms[REFUSED][SYNCHRONIZE], ms[SAXPY_512][SYNCHRONIZE], (int)refusal,
            cudaGetErrorString(refusal));
    else
        say("Nothing ran. The wait reported no error; cudaGetLastError() did: %d, %s.",
            (int)refusal, cudaGetErrorString(refusal));
    return run_end();
}

int main(int argc, char **argv) {
    double full[STOPS], tiny[STOPS], other[STOPS];
    run_begin(argc, argv, "01_sync_timing/sync_timing",
              "A CPU clock stopped right after a launch has timed the launch, not the kernel.",
              "variant n parameter value median_ms min_ms max_ms check", "elements", HAS_ERRORS);
    check_sizes(variants, VARIANTS);
    size_t n = run_size(ARTICLE_N, CPU_N, ARRAYS * sizeof(float));
    if (run.errors || run.counts)
        return run.errors ? make_errors(n) : show_order(variants, REFUSED, n);
    for (int i = 0; i <= SAXPY_512; i++)
        time_variant(&variants[i], n, full);
    time_variant(&variants[SAXPY_512], TINY_N, tiny);
    if (run.samples && n != ARTICLE_N)
        time_variant(&variants[SAXPY_512], ARTICLE_N, other);
    if (!run.samples)
        return run_end();
    double share = 100 * full[LAUNCH_ONLY] / full[SYNCHRONIZE];
    if (share < 50)
        finding("launch_percent", share,
                "Stopping right after the launch measured only %.2f %% of the time SAXPY needed.",
                share);
    else
        finding("launch_percent", share,
                "The launch took %.2f %% of SAXPY's time: is --size too small, or "
                "CUDA_LAUNCH_BLOCKING set?",
                share);
    finding("launch_growth", full[LAUNCH_ONLY] / tiny[LAUNCH_ONLY],
            "From %d to %zu elements, the call takes %.1f times as long, call and synchronize %.1f "
            "times.",
            TINY_N, n, full[LAUNCH_ONLY] / tiny[LAUNCH_ONLY],
            full[SYNCHRONIZE] / tiny[SYNCHRONIZE]);
    return run_end();
}
