// clock() counts the processor time of this process, not the time that passes: while the host
// sleeps until the device is done it stands still. gettimeofday() and CLOCK_MONOTONIC count real
// time, and only the second can never be set back.
//
//     nvcc -O3 4_clocks.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 4_clocks.cu && ./a.out    (no GPU)
//
// SPDX-License-Identifier: MIT
#include <sys/time.h>
#include <time.h>
#include "../../common/arrays.h"

enum {
    N = 16384,    // 64 blocks: enough for every core of a CPU to have some
    WAIT_MS = 10, // what the host has to wait for, at least
    TURN = 4096,
};

static unsigned steps = 1000; // until it is known how many take WAIT_MS

// ---- Reference ---------------------------------------------------------------------------------
static void count_down_reference(float *out, const float *a, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(((size_t)a[i] + TURN - steps % TURN) % TURN);
}

// ---- Kernel ------------------------------------------------------------------------------------
// Something to wait for that needs no memory: counts down to 0 and starts again, `steps` times.
__global__ void count_down(float *out, const float *a, size_t n, unsigned steps) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = (unsigned)a[i] % TURN;
        for (unsigned step = 0; step < steps; step++)
            x = x == 0 ? TURN - 1 : x - 1;
        out[i] = (float)x;
    }
}

static void launch_count_down(float *out, const float *a, const float *, size_t n) {
    if (n > 0)
        count_down<<<(unsigned)((n + 255) / 256), 256>>>(out, a, n, steps);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"count_down", launch_count_down, count_down_reference, 8, 0, 0,
     "10 ms or more on the clocks of real time; on clock() it depends on how the host waits"},
};

// ---- Clocks ------------------------------------------------------------------------------------
static double read_clock(void) { return 1e3 * (double)clock() / CLOCKS_PER_SEC; }

// Milliseconds since 1970 leave a double no digits for the microseconds: count from the first call.
static double read_gettimeofday(void) {
    static time_t first_second;
    struct timeval now;
    gettimeofday(&now, NULL);
    if (first_second == 0)
        first_second = now.tv_sec;
    return 1e3 * (double)(now.tv_sec - first_second) + 1e-3 * (double)now.tv_usec;
}

static double read_monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

enum { CLOCK, GETTIMEOFDAY, MONOTONIC, CLOCKS };
static const struct {
    const char *name;
    double (*read)(void); // milliseconds
} clocks[CLOCKS] = {{"clock", read_clock},
                    {"gettimeofday", read_gettimeofday},
                    {"CLOCK_MONOTONIC", read_monotonic}};

// The smallest step seen in 1000 changes: no shorter time can be told from none.
static double resolution_ms(double (*read)(void)) {
    double smallest = 1e9;
    for (int i = 0; i < 1000; i++) {
        double now, start = read();
        while ((now = read()) == start)
            ;
        if (now > start && now - start < smallest)
            smallest = now - start;
    }
    return smallest;
}

// ---- Measure -----------------------------------------------------------------------------------
// All three clocks round the same launch and wait.
static void wait_once(const struct arrays *arrays, double ms[CLOCKS]) {
    double start[CLOCKS];
    for (int i = 0; i < CLOCKS; i++)
        start[i] = clocks[i].read();
    variant_launch(&variants[0], arrays);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < CLOCKS; i++)
        ms[i] = clocks[i].read() - start[i];
}

// How the host waits is a property of the device's context, so each way gets a context of its own.
// Fills median_ms; `steps` is set once, in the first call, so that both waits are for the same
// work.
static void measure_wait(struct run *run, const char *how, unsigned flag, double *median_ms) {
    CUDA_CHECK(cudaDeviceReset());
    CUDA_CHECK(cudaSetDeviceFlags(flag));
    struct arrays arrays = arrays_create(N);
    size_t samples = run->quick ? 0 : run->samples;
    double *ms = (double *)host_malloc(CLOCKS * run->samples * sizeof *ms), once[CLOCKS];
    int right = variant_try(&variants[0], &arrays);
    while (!run->quick && steps < 1u << 30 && (wait_once(&arrays, once), once[MONOTONIC] < WAIT_MS))
        steps *= 2;
    for (size_t i = 0; i < samples; i++) {
        wait_once(&arrays, once);
        for (int clock = 0; clock < CLOCKS; clock++)
            ms[clock * samples + i] = once[clock];
    }
    right &= variant_try(&variants[0], &arrays);
    for (int clock = 0; clock < CLOCKS; clock++) {
        struct row row = run_row(run, how);
        row.parameter = clocks[clock].name;
        row.check = right ? "ok" : "FAIL";
        if (samples)
            row_times(&row, ms + clock * samples, samples);
        run_print(run, &row);
        median_ms[clock] = row.median_ms;
    }
    free(ms);
    arrays_free(&arrays);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "01_sync_timing",
    "clocks",
    "clock() counts processor time, not the time that passes; use CLOCK_MONOTONIC.",
    "variant parameter value median_ms min_ms max_ms check",
    NULL,
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    double sleeping[CLOCKS], spinning[CLOCKS];
    for (int i = 0; i < CLOCKS && !run.quick; i++) {
        struct row row = run_row(&run, "smallest step in ns");
        row.parameter = clocks[i].name;
        row.value = rint(1e6 * resolution_ms(clocks[i].read));
        run_print(&run, &row);
    }
    measure_wait(&run, "sleeping wait", cudaDeviceScheduleBlockingSync, sleeping);
    measure_wait(&run, "spinning wait", cudaDeviceScheduleSpin, spinning);
    if (!run.quick) {
        run_say(&run,
                "Of the time that passed, clock() saw %.0f %% when the host slept and %.0f %% "
                "when it spun;",
                100 * sleeping[CLOCK] / sleeping[MONOTONIC],
                100 * spinning[CLOCK] / spinning[MONOTONIC]);
        run_say(&run, "gettimeofday saw %.1f and %.1f %%.%s",
                100 * sleeping[GETTIMEOFDAY] / sleeping[MONOTONIC],
                100 * spinning[GETTIMEOFDAY] / spinning[MONOTONIC],
                run.on_cpu ? " (On the CPU device the kernel runs on threads of this process, and "
                             "clock()\nadds up all of them.)"
                           : "");
    }
    return run_end(&run);
}
