// The queue of launches that wait for the device is finite. While it has room a launch returns at
// once; when it is full the launch waits, and a CPU clock round it suddenly reads milliseconds.
//
//     nvcc -O3 3_launch_queue.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 3_launch_queue.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/common.h"
#include "../../common/arrays.h"

enum {
    LAUNCHES = 2048, // more than the queues we know hold, about 1000
    GROUP = 128,     // launches to a row
    BUSY_MS = 25,    // longer than a host needs to fill the queue
    TURN = 1024,     // the busy kernel counts up to this and starts again
};

static unsigned busy_steps = 1000; // until it is known how many take BUSY_MS

// ---- Reference ---------------------------------------------------------------------------------
static void busy_reference(float *out, const float *a, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(((size_t)a[i] + busy_steps) % TURN);
}

static void negate_reference(float *out, const float *a, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = -a[i];
}

// ---- Kernels -----------------------------------------------------------------------------------
// Keeps the device busy: steps that need each other's result, and no memory.
__global__ void busy(float *out, const float *a, size_t n, unsigned steps) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = (unsigned)a[i] % TURN;
        for (unsigned step = 0; step < steps; step++)
            x = x == TURN - 1 ? 0 : x + 1;
        out[i] = (float)x;
    }
}

// Next to nothing: launched for one element at a time, its only cost is the launch.
__global__ void negate(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = -a[i];
}

static void launch_busy(float *out, const float *a, const float *, size_t n) {
    if (n > 0)
        busy<<<blocks(n, 256), 256>>>(out, a, n, busy_steps);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_negate(float *out, const float *a, const float *, size_t n) {
    if (n > 0)
        negate<<<blocks(n, 256), 256>>>(out, a, n);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"busy", launch_busy, busy_reference, 8, 0, 0, "as long as it is told to take"},
    {"negate", launch_negate, negate_reference, 8, 1, 0,
     "behind busy: quick launches while the queue has room, then one that waits"},
};

// ---- Measure -----------------------------------------------------------------------------------
// Finds the number of steps that take BUSY_MS in one thread.
static void set_busy_steps(const struct arrays *arrays) {
    double ms = 0;
    for (busy_steps = 1000; ms < BUSY_MS / 8 && busy_steps < 1u << 28; busy_steps *= 2) {
        double start = wall_ms();
        launch_busy(arrays->d_out, arrays->d_a, NULL, 1);
        CUDA_CHECK(cudaDeviceSynchronize());
        ms = wall_ms() - start;
    }
    busy_steps = (unsigned)(busy_steps / 2 * fmin(BUSY_MS / ms, 8));
}

// Occupies the device, then launches one kernel per element behind that. What launch i took to
// return goes to ms[i * rounds + round]. Returns the number of the launch that took longest.
static size_t fill_queue(const struct arrays *arrays, float *d_busy, double *ms, size_t rounds,
                         size_t round) {
    size_t longest = 0;
    launch_busy(d_busy, arrays->d_a, NULL, 1);
    for (size_t i = 0; i < LAUNCHES; i++) {
        double start = wall_ms();
        launch_negate(arrays->d_out + i, arrays->d_a + i, NULL, 1);
        ms[i * rounds + round] = wall_ms() - start;
        if (ms[i * rounds + round] > ms[longest * rounds + round])
            longest = i;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return longest;
}

static void measure_queue(struct run *run, struct arrays *arrays) {
    size_t rounds = run->samples;
    double *ms = (double *)host_malloc(LAUNCHES * rounds * sizeof *ms);
    double *longest = (double *)host_malloc(rounds * sizeof *longest);
    double *longest_ms = (double *)host_malloc(rounds * sizeof *longest_ms);
    float *d_busy;
    CUDA_CHECK(cudaMalloc((void **)&d_busy, sizeof *d_busy));
    set_busy_steps(arrays);
    variant_reset(&variants[1], arrays);
    for (size_t round = 0; round < rounds; round++) {
        size_t number = fill_queue(arrays, d_busy, ms, rounds, round);
        longest[round] = (double)(number + 1);
        longest_ms[round] = ms[number * rounds + round];
    }
    const char *check = variant_is_right(&variants[1], arrays) ? "ok" : "FAIL";
    double usual_ms = quantile_of(ms, LAUNCHES * rounds, 0.5);

    for (size_t first = 0; first < LAUNCHES; first += GROUP) {
        struct row row = run_row(run, "negate behind busy");
        char name[64];
        snprintf(name, sizeof name, "launch %zu to %zu", first + 1, first + GROUP);
        row.parameter = name;
        row.check = check;
        row_times(&row, ms + first * rounds, GROUP * rounds);
        row.bar = row.max_ms / (1.1 * BUSY_MS);
        run_print(run, &row);
    }
    struct row row = run_row(run, "slowest launch of a round");
    row.parameter = "its number";
    row.value = quantile_of(longest, rounds, 0.5);
    row.check = check;
    row_times(&row, longest_ms, rounds);
    run_print(run, &row);

    if (row.median_ms > BUSY_MS / 4.0)
        run_say(
            run,
            "Half of all launches return within %.4f ms, but launch %.0f took %.1f ms (medians of "
            "%zu rounds):\nthe queue was full, and it waited until the device took a launch out.",
            usual_ms, row.value, row.median_ms, rounds);
    else
        run_say(run,
                "The slowest of %d launches took %.4f ms: no launch waited for the device here.",
                LAUNCHES, row.median_ms);
    CUDA_CHECK(cudaFree(d_busy));
    free(longest_ms);
    free(longest);
    free(ms);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "01_sync_timing",
    "launch_queue",
    "Launches wait in a finite queue; when it is full, a launch blocks the host.",
    "variant parameter value median_ms min_ms max_ms check",
    NULL,
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    struct arrays arrays = arrays_create(LAUNCHES);
    for (int i = 0; i < 2; i++) {
        struct row row = run_row(&run, variants[i].name);
        row.parameter = "one checked launch";
        row.check = variant_try(&variants[i], &arrays) ? "ok" : "FAIL";
        run_print(&run, &row);
    }
    if (!run.quick)
        measure_queue(&run, &arrays);
    arrays_free(&arrays);
    return run_end(&run);
}
