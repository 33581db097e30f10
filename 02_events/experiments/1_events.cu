// The device itself stamps an event, so two events time what it did in between; a CPU clock also
// counts the way to the device and back. How short a kernel can be, an empty one shows.
//
//     nvcc -O3 -arch=native 1_events.cu && ./a.out
//     ../../cudacc/cudacc -O2 1_events.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "floor.h"

enum {
    BATCH = 100,       // launches between two events, to time one that is too short
    ENOUGH = 20,       // empty kernels that one must outlast: its launch is little of its time then
    UNTIMED_SIZES = 3, // of the sizes
    SIZES = 6,         // the fifth is the article's; with the last one the clocks hardly differ
};
static const size_t sizes[SIZES] = {1 << 10, 1 << 14, 1 << 18, 1 << 22, 20 << 20, 64 << 20};

// ---- Kernels -----------------------------------------------------------------------------------
__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void nothing(void) {} // the time that a kernel takes before it does any work

static void launch_saxpy(const struct arrays *x, unsigned block, size_t) {
    saxpy<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, 2.0f, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_nothing(const struct arrays *, unsigned block, size_t) {
    nothing<<<1, block>>>();
    CUDA_CHECK(cudaGetLastError());
}

enum { SAXPY, NOTHING, EACH, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"saxpy_512", launch_saxpy, saxpy_reference, 512, 0, 12, 2, 1, "by CPU clock: a little more"},
    {"empty kernel", launch_nothing, nothing_reference, 1, 0, 0, 0, 1, "the launch alone"},
    {"empty kernel, each of 100", launch_nothing, nothing_reference, 1, 0, 0, 0, 1, "less"},
};

// ---- The two clocks ----------------------------------------------------------------------------
// A record does not wait: it puts the event into the stream, and the device writes the time into it
// when it gets there. elapsed_ms() waits for `stop` and subtracts.
static double time_by_events(const struct variant *v, const struct arrays *x, int launches) {
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < launches; i++)
        variant_launch(v, x);
    CUDA_CHECK(cudaEventRecord(stop, 0));
    double ms = elapsed_ms(start, stop);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return ms / launches;
}

static double time_by_cpu(const struct variant *v, const struct arrays *x, int launches) {
    CUDA_CHECK(cudaDeviceSynchronize());
    double start = wall_ms();
    for (int i = 0; i < launches; i++)
        variant_launch(v, x);
    CUDA_CHECK(cudaDeviceSynchronize());
    return (wall_ms() - start) / launches;
}

// A row for each clock. They take turns, and no launch is timed by both: recording takes time, too.
// Returns the median by events; *more_us is how much more the CPU clock reads.
static double compare_clocks(const struct variant *v, size_t n, double *more_us) {
    int launches = v == &variants[EACH] ? BATCH : 1;
    struct arrays x = arrays_create(n);
    double *ms = (double *)host_malloc(2 * run.samples * sizeof *ms);
    int right = variant_try(v, &x);
    variant_launch(v, &x); // the warm-up
    for (size_t i = 0; i < run.samples; i++) {
        ms[i] = time_by_events(v, &x, launches);
        ms[run.samples + i] = time_by_cpu(v, &x, launches);
    }
    right &= variant_try(v, &x);
    struct row row = v->bytes ? variant_row(v, &x, right) : row_of(v->name), cpu_row = row;
    row.parameter = "by events";
    cpu_row.parameter = "by CPU clock, more us";
    row_times(&row, ms, run.samples);
    row_times(&cpu_row, ms + run.samples, run.samples);
    cpu_row.value = round(1e6 * (cpu_row.median_ms - row.median_ms)) / 1e3;
    print_row(&row);
    print_row(&cpu_row);
    free(ms);
    arrays_free(&x);
    *more_us = cpu_row.value;
    return row.median_ms;
}

// Without times: a row for what two events enclose, checked. They are stamped in their order.
static void count_launches(const struct variant *v, size_t n) {
    int launches = v == &variants[EACH] ? BATCH : 1;
    struct arrays x = arrays_create(n);
    int right = variant_try(v, &x), in_order = time_by_events(v, &x, launches) >= 0;
    struct row row = variant_row(v, &x, right & in_order & variant_try(v, &x));
    row.n = v->bytes ? n : 0;
    row.parameter = "launches between";
    row.value = launches;
    print_row(&row);
    arrays_free(&x);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double ms[SIZES], more_us[SIZES];
    run_begin(argc, argv, "02_events/events",
              "Two events time what the device did; a CPU clock adds the way there and back.",
              "variant n parameter value median_ms min_ms max_ms check", NULL, NO_ERRORS);
    check_sizes(variants, VARIANTS);
    size_t room = run.device.totalGlobalMem / 4;
    size_t last = run.quick ? 1 : SIZES - 1;
    if (run.counts) {
        for (int i = NOTHING; i <= EACH; i++)
            count_launches(&variants[i], 1);
        for (int i = 0; i < UNTIMED_SIZES; i++)
            count_launches(&variants[SAXPY], sizes[i]);
        say("value: the launches between two events, which the device stamps when it gets there.");
        return run_end();
    }
    while (last > 0 && sizes[last] * ARRAYS * sizeof(float) > room)
        last--;
    double floor_ms = run.samples ? measure_floor() : 0;
    double empty_ms = compare_clocks(&variants[NOTHING], 1, more_us);
    double each_ms = compare_clocks(&variants[EACH], 1, more_us);
    for (size_t i = 0; i <= last; i++)
        ms[i] = compare_clocks(&variants[SAXPY], sizes[i], &more_us[i]);
    if (!run.samples)
        return run_end();
    finding("floor_us", 1e3 * floor_ms,
            "Two events with nothing between them read %.1f us, an empty kernel %.1f us, each of "
            "%d in a row %.1f us.",
            1e3 * floor_ms, 1e3 * empty_ms, BATCH, 1e3 * each_ms);
    finding("shortest_us", 1e3 * ENOUGH * empty_ms,
            "Below %.0f us (%d empty kernels) events time the launch, too: put many between two.",
            1e3 * ENOUGH * empty_ms, ENOUGH);
    finding("cpu_clock_more_us", more_us[0],
            "CPU clock minus events is %.1f us at n = %zu, %.1f %% of the kernel, and %.1f us at n "
            "= %zu, %.1f %%.",
            more_us[0], sizes[0], more_us[0] / ms[0] / 10, more_us[last], sizes[last],
            more_us[last] / ms[last] / 10);
    return run_end();
}
