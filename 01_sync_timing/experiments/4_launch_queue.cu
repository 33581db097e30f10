// Launches wait in a queue, and the queue is finite: once it is full, a launch blocks the host
// until the device takes one out. So even a program that never synchronizes can block in a launch.
//
//     nvcc -O3 -arch=native 4_launch_queue.cu && ./a.out
//     ../../cudacc/cudacc -O2 4_launch_queue.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/gate.h"
#include "../../common/experiment/variants.h"

enum {
    LAUNCHES = 2048,            // more than the queues we know hold, about 1000
    GROUP = 128,                // launches to a row
    BUSY_NS = 25 * 1000 * 1000, // longer than a host needs to fill the queue
    CPU_BUSY_NS = 8 * BUSY_NS,
    BLOCKED_MS = 5, // a launch that takes longer has been kept waiting
};

static volatile int *free_again; // memory that host and device see: 1 when the busy kernel ends

// ---- Kernels -----------------------------------------------------------------------------------
// Keeps the device busy for a time.
__global__ void busy(long long ns, volatile int *free_again) {
    long long start = device_ns();
    while (device_ns() - start < ns)
        ;
    *free_again = 1;
}

// Next to nothing: launched for one element at a time, its only cost is the launch.
__global__ void negate(float *out, const float *a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = -a[i];
}

static void launch_negate(const struct arrays *x, unsigned block, size_t) {
    negate<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Reference ---------------------------------------------------------------------------------
static void negate_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = -a[i];
}

static const struct variant variants[] = {
    {"negate", launch_negate, negate_reference, 256, 0, 8, 1, 0,
     "after busy: quick launches while the queue has room, then one that waits"},
};

// ---- Measure -----------------------------------------------------------------------------------
static size_t early[LAUNCHES / GROUP],
    all_early; // launches that returned while the device was busy

// Occupies the device, then launches one kernel per element after that. What launch i took to
// return goes to ms[i * rounds + round]. Returns the number of the launch that took longest.
static size_t fill_queue(const struct arrays *x, double *ms, size_t rounds, size_t round) {
    size_t longest = 0;
    *free_again = 0;
    busy<<<1, 1>>>(run.counts ? CPU_BUSY_NS : BUSY_NS, free_again);
    CUDA_CHECK(cudaGetLastError());
    for (size_t i = 0; i < x->n; i++) {
        struct arrays element = *x;
        element.n = 1, element.d_out += i, element.d_a += i;
        double start = wall_ms();
        launch_negate(&element, 256, 0);
        ms[i * rounds + round] = wall_ms() - start;
        if (ms[i * rounds + round] > ms[longest * rounds + round])
            longest = i;
        early[i / GROUP] += !*free_again, all_early += !*free_again;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return longest;
}

// A row for each group of launches: what they took, or without times how many were early.
static void print_groups(const double *ms, const char *check) {
    for (size_t group = 0; group < LAUNCHES / GROUP; group++) {
        struct row row = row_of("negate after busy");
        char name[64];
        snprintf(name, sizeof name, "launch %zu to %zu", group * GROUP + 1, (group + 1) * GROUP);
        row.parameter = name;
        row.check = check;
        if (run.counts)
            row.value = (double)early[group];
        row_times(&row, ms + group * GROUP * run.samples, GROUP * run.samples);
        row.bar = fmin(1, row.max_ms / (5 * BLOCKED_MS));
        print_row(&row);
    }
}

static void find_blocked(const double *ms, const double *number, const double *longest_ms,
                         const char *check) {
    struct row row = row_of("slowest launch of a round");
    row.parameter = "its number";
    row.value = quantile_of(number, run.samples, 0.5);
    row.check = check;
    row_times(&row, longest_ms, run.samples);
    print_row(&row);
    if (row.median_ms > BLOCKED_MS)
        finding(
            "blocked_launch", row.value,
            "Half of all launches return within %.1f us, but launch %.0f blocked for %.1f ms: the "
            "queue was full.",
            1e3 * quantile_of(ms, LAUNCHES * run.samples, 0.5), row.value, row.median_ms);
    else
        finding("blocked_launch", 0, "The slowest of %d launches took %.4f ms: none blocked here.",
                LAUNCHES, row.median_ms);
}

static void count_blocked(void) {
    say("value: how many of them returned while the device was busy.");
    if (all_early < LAUNCHES) // the early ones are the first
        finding_if(early[all_early / GROUP] == all_early % GROUP, "blocked_launch",
                   (double)all_early + 1,
                   "Launch %zu returned only when the device was free again: the queue was full.",
                   all_early + 1);
    else
        finding("blocked_launch", 0, "All %d launches returned: none blocked here.", LAUNCHES);
}

static void measure(struct arrays *x) {
    size_t rounds = run.counts ? 1 : run.samples;
    double *ms = (double *)host_malloc((LAUNCHES + 2) * rounds * sizeof *ms);
    double *number = ms + LAUNCHES * rounds, *longest_ms = number + rounds;
    variant_expect(variants, x);
    variant_reset(variants, x);
    for (size_t round = 0; round < rounds; round++) {
        size_t longest = fill_queue(x, ms, rounds, round);
        number[round] = (double)(longest + 1);
        longest_ms[round] = ms[longest * rounds + round];
    }
    const char *check = variant_is_right(variants, x) ? "ok" : "FAIL";
    print_groups(ms, check);
    run.counts ? count_blocked() : find_blocked(ms, number, longest_ms, check);
    free(ms);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "01_sync_timing/launch_queue",
              "Launches wait in a finite queue; when it is full, a launch blocks the host.",
              "variant parameter value median_ms min_ms max_ms check", NULL, NO_ERRORS);
    check_sizes(variants, 1);
    struct arrays x = arrays_create(LAUNCHES);
    print_value(variants->name, 0, "one checked launch", NAN, variant_try(variants, &x));
    CUDA_CHECK(cudaHostAlloc((void **)&free_again, sizeof *free_again, cudaHostAllocMapped));
    if (run.samples || run.counts)
        measure(&x);
    CUDA_CHECK(cudaFreeHost((void *)free_again));
    arrays_free(&x);
    return run_end();
}
