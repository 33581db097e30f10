// clock() counts the processor time of this process, not the time that passes: while the host
// sleeps until the device is done, it stands still. gettimeofday() and CLOCK_MONOTONIC count real
// time, and only the second can never be set back.
//
//     nvcc -O3 -arch=native 6_clocks.cu && ./a.out
//     ../../cudacc/cudacc -O2 6_clocks.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/variants.h"
#include "clocks.h"

enum {
    N = 16384,    // 64 blocks: enough for every core of a CPU to have some
    WAIT_MS = 10, // what the host has to wait for, at least
    TURN = 4096,
};

// ---- Kernel ------------------------------------------------------------------------------------
// Something to wait for that needs no memory: counts down to 0 and starts again, `steps` times.
__global__ void count_down(float *out, const float *a, size_t n, size_t steps) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = (unsigned)a[i] % TURN;
        for (size_t step = 0; step < steps; step++)
            x = x == 0 ? TURN - 1 : x - 1;
        out[i] = (float)x;
    }
}

static void launch_count_down(const struct arrays *x, unsigned block, size_t steps) {
    count_down<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n, steps);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Reference ---------------------------------------------------------------------------------
static void count_down_reference(float *out, const float *a, const float *, size_t n,
                                 size_t steps) {
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(((size_t)a[i] + TURN - steps % TURN) % TURN);
}

static struct variant variants[] = {
    {"count_down", launch_count_down, count_down_reference, 256, 1000, 8, 0, 0, "see the waits"},
};

// ---- Measure -----------------------------------------------------------------------------------
// All three clocks around the same launch and wait.
static void wait_once(const struct arrays *x, double ms[CLOCKS]) {
    double start[CLOCKS];
    for (int i = 0; i < CLOCKS; i++)
        start[i] = clocks[i].read();
    variant_launch(variants, x);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < CLOCKS; i++)
        ms[i] = clocks[i].read() - start[i];
}

// How the host waits is a property of the device's context, so each way gets its own context. The
// kernel's steps are set in the first call, so that both ways wait for the same work.
static void measure_wait(const char *how, unsigned flag, double *median_ms) {
    CUDA_CHECK(cudaDeviceReset());
    CUDA_CHECK(cudaSetDeviceFlags(flag));
    struct arrays x = arrays_create(N);
    double *ms = (double *)host_malloc(CLOCKS * run.samples * sizeof *ms), once[CLOCKS];
    int right = variant_try(variants, &x);
    while (run.samples && variants->parameter < 1u << 30 &&
           (wait_once(&x, once), once[MONOTONIC] < WAIT_MS))
        variants->parameter *= 2;
    for (size_t i = 0; i < run.samples; i++) {
        wait_once(&x, once);
        for (int clock = 0; clock < CLOCKS; clock++)
            ms[clock * run.samples + i] = once[clock];
    }
    right &= variant_try(variants, &x);
    for (int clock = 0; clock < CLOCKS; clock++) {
        struct row row = row_of(how);
        row.parameter = clocks[clock].name;
        row.check = right ? "ok" : "FAIL";
        row_times(&row, ms + clock * run.samples, run.samples);
        print_row(&row);
        median_ms[clock] = row.median_ms;
    }
    free(ms);
    arrays_free(&x);
}

// Which clock goes on while the host sleeps. This needs no device, and no time is shown.
static void count_asleep(void) {
    double before[CLOCKS], passed[CLOCKS];
    for (int i = 0; i < CLOCKS; i++)
        before[i] = clocks[i].read();
    usleep(20 * WAIT_MS * 1000);
    for (int i = 0; i < CLOCKS; i++)
        passed[i] = clocks[i].read() - before[i];
    for (int i = 0; i < CLOCKS; i++)
        print_value("while the host sleeps", 0, clocks[i].name, passed[i] > 0.5 * passed[MONOTONIC],
                    -1);
    say("value: 1 if the clock went on.");
    finding_if(passed[MONOTONIC] >= 20 * WAIT_MS, "goes_on_asleep",
               passed[CLOCK] > 0.5 * passed[MONOTONIC],
               "While the host slept, clock() %s and CLOCK_MONOTONIC went on.",
               passed[CLOCK] > 0.5 * passed[MONOTONIC] ? "went on" : "stood still");
}

static void check_kernel(void) {
    struct arrays x = arrays_create(N);
    print_value(variants->name, 0, "one checked launch", NAN, variant_try(variants, &x));
    arrays_free(&x);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    double sleeping[CLOCKS], spinning[CLOCKS];
    run_begin(argc, argv, "01_sync_timing/clocks",
              "clock() counts processor time, not the time that passes; use CLOCK_MONOTONIC.",
              "variant parameter value median_ms min_ms max_ms check", NULL, NO_ERRORS);
    check_sizes(variants, 1);
    if (run.counts) {
        check_kernel();
        count_asleep();
        return run_end();
    }
    for (int i = 0; i < CLOCKS && run.samples; i++)
        print_value("smallest step in ns", 0, clocks[i].name,
                    rint(1e6 * resolution_ms(clocks[i].read)), -1);
    measure_wait("sleeping wait", cudaDeviceScheduleBlockingSync, sleeping);
    measure_wait("spinning wait", cudaDeviceScheduleSpin, spinning);
    if (!run.samples)
        return run_end();
    double asleep = 100 * sleeping[CLOCK] / sleeping[MONOTONIC];
    double awake = 100 * spinning[CLOCK] / spinning[MONOTONIC];
    finding(
        "clock_percent", asleep,
        "Of the time that passed, clock() saw %.0f %% while the host slept and %.0f %% while it "
        "spun.",
        asleep, awake);
    return run_end();
}
