// The device itself stamps an event, so two events time what it did between them; a CPU clock also
// counts the launch and the host's wait. But two events with nothing between them are some time
// apart, too: a kernel that takes little more cannot be timed so.
//
//     nvcc -O3 1_events.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 1_events.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/arrays.h"

enum {
    ARTICLE_N = 20 * 1024 * 1024, // the SAXPY of the article
    GPU_N = 64 * 1024 * 1024,     // long enough for the difference between the clocks to fade
    CPU_N = 4 * 1024 * 1024,
    BATCH = 100,  // launches between two events, to time one that is too short
    PAIRS = 1000, // of events, to see the step between two readings
};
static const size_t sweep[] = {1 << 10, 1 << 14, 1 << 18, 1 << 22, ARTICLE_N};
enum { SIZES = (int)(sizeof sweep / sizeof sweep[0]) };

// ---- Reference ---------------------------------------------------------------------------------
static void saxpy_reference(float *y, const float *x, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + y[i];
}

// ---- Kernels -----------------------------------------------------------------------------------
__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// Writes nothing, so there is nothing to check: the time that a kernel takes before it does work.
__global__ void nothing(void) {}

static void launch_saxpy_512(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        saxpy<<<(unsigned)((n + 511) / 512), 512>>>(y, x, 2.0f, n);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"saxpy_512", launch_saxpy_512, saxpy_reference, 12, 2, 1,
     "events: the kernel. CPU clock: some microseconds more, about as many for every n"},
};

// ---- The two clocks ----------------------------------------------------------------------------
// SAXPY on these arrays; or with arrays = NULL the empty kernel.
static void launch(const struct arrays *arrays) {
    if (arrays)
        variant_launch(&variants[0], arrays);
    else
        nothing<<<1, 1>>>();
    CUDA_CHECK(cudaGetLastError());
}

// Record, launch, record, wait for the second event, ask. A record does not wait: it puts the event
// into the stream, and the device writes the time into it when it gets there.
static double time_by_events(const struct arrays *arrays, int launches) {
    cudaEvent_t start, stop;
    float ms;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < launches; i++)
        launch(arrays);
    CUDA_CHECK(cudaEventRecord(stop, 0));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return ms / launches;
}

static double time_by_cpu(const struct arrays *arrays, int launches) {
    CUDA_CHECK(cudaDeviceSynchronize());
    double start = wall_ms();
    for (int i = 0; i < launches; i++)
        launch(arrays);
    CUDA_CHECK(cudaDeviceSynchronize());
    return (wall_ms() - start) / launches;
}

struct reading {
    double events_ms, more_us; // by events; how much more the CPU clock reads. Both are medians
};

// A row for each clock. They take turns, and no launch is timed by both: recording takes time, too.
static struct reading compare_clocks(struct run *run, const char *name, struct arrays *arrays,
                                     int launches) {
    const struct variant *variant = &variants[0];
    size_t samples = run->quick ? 0 : run->samples;
    double *ms = (double *)host_malloc(2 * run->samples * sizeof *ms);
    struct row row = run_row(run, name);
    int right = !arrays || variant_try(variant, arrays);
    launch(arrays); // the warm-up
    for (size_t i = 0; i < samples; i++) {
        ms[i] = time_by_events(arrays, launches);
        ms[samples + i] = time_by_cpu(arrays, launches);
    }
    right = right && (!arrays || variant_try(variant, arrays));
    if (arrays) {
        row.dtype = "float", row.block = 512, row.check = right ? "ok" : "FAIL";
        row.n = arrays->n;
        row.bytes = row.n * variant->bytes, row.flops = row.n * variant->flops;
    }
    struct row cpu_row = row;
    row.parameter = "by events";
    cpu_row.parameter = "by CPU clock, more us";
    if (samples) {
        row_times(&row, ms, samples);
        row_times(&cpu_row, ms + samples, samples);
        cpu_row.value = round(1e6 * (cpu_row.median_ms - row.median_ms)) / 1e3;
    }
    run_print(run, &row);
    run_print(run, &cpu_row);
    free(ms);
    struct reading reading = {row.median_ms, cpu_row.value};
    return reading;
}

// What two events read that have nothing between them, and the smallest step from one such reading
// to another: the resolution, as far as it can be seen. Returns the median reading in ms.
static double measure_floor(struct run *run, double *step_us) {
    cudaEvent_t events[PAIRS + 1];
    double ms[PAIRS], sorted[PAIRS], step = INFINITY;
    for (int i = 0; i <= PAIRS; i++)
        CUDA_CHECK(cudaEventCreate(&events[i]));
    for (int i = 0; i <= PAIRS; i++)
        CUDA_CHECK(cudaEventRecord(events[i], 0));
    CUDA_CHECK(cudaEventSynchronize(events[PAIRS]));
    for (int i = 0; i < PAIRS; i++) {
        float reading;
        CUDA_CHECK(cudaEventElapsedTime(&reading, events[i], events[i + 1]));
        sorted[i] = ms[i] = reading;
    }
    for (int i = 0; i <= PAIRS; i++)
        CUDA_CHECK(cudaEventDestroy(events[i]));
    qsort(sorted, PAIRS, sizeof sorted[0], compare_doubles);
    for (int i = 1; i < PAIRS; i++) // less than 0.1 ns is the rounding of a float
        if (sorted[i] - sorted[i - 1] > 1e-7)
            step = fmin(step, sorted[i] - sorted[i - 1]);
    *step_us = round(1e6 * step) / 1e3;
    struct row row = run_row(run, "two events, nothing between");
    row.parameter = "smallest step, us";
    row.value = *step_us;
    row_times(&row, ms, PAIRS);
    run_print(run, &row);
    return row.median_ms;
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "02_events",
    "events",
    "Two events time what the device did between them; a CPU clock adds the launch and the wait.",
    "variant n parameter value median_ms min_ms max_ms check",
    "elements",
    0,
    NULL,
};

static struct reading compare_at(struct run *run, size_t n) {
    struct arrays arrays = arrays_create(n);
    struct reading reading = compare_clocks(run, variants[0].name, &arrays, 1);
    arrays_free(&arrays);
    return reading;
}

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    size_t n = run_size(&run, GPU_N, CPU_N, 5 * sizeof(float)), swept[SIZES + 1], count = 0;
    guarded_free(guarded_malloc(5 * n * sizeof(float))); // too much: says so now, not at the end
    if (run.quick) {
        compare_at(&run, n);
        return run_end(&run);
    }
    for (int i = 0; i < SIZES; i++) // those below n, and the article's
        if (sweep[i] < n || sweep[i] == ARTICLE_N)
            swept[count++] = sweep[i];
    if (n < ARTICLE_N)
        swept[count - 1] = n, swept[count++] = ARTICLE_N;
    else if (n > ARTICLE_N)
        swept[count++] = n;

    double step_us, floor_ms = measure_floor(&run, &step_us);
    struct reading one = compare_clocks(&run, "empty kernel", NULL, 1);
    struct reading each = compare_clocks(&run, "empty kernel, each of 100", NULL, BATCH);
    struct reading first = compare_at(&run, swept[0]), last = first;
    for (size_t i = 1; i < count; i++)
        last = compare_at(&run, swept[i]);

    double most = fmax(floor_ms, one.events_ms), share = first.more_us / first.events_ms / 10;
    int steady = first.more_us > 0 && fabs(last.more_us) < 4 * first.more_us;
    run_say(
        &run,
        "Two events with nothing between them read %.1f us, an empty kernel %.1f us, each of %d "
        "in a row %.1f us;\nthe smallest step was %.3f us.\nA kernel below some %.0f us (20 empty "
        "ones) is timed "
        "with its launch: put many between two events.",
        1e3 * floor_ms, 1e3 * one.events_ms, BATCH, 1e3 * each.events_ms, step_us, 2e4 * most);
    run_say(&run,
            "CPU clock minus events: %.1f us at n = %zu, %.1f %% of the kernel; %.1f us at n = "
            "%zu, %.1f %%.\n%s",
            first.more_us, swept[0], share, last.more_us, swept[count - 1],
            last.more_us / last.events_ms / 10,
            steady ? "It is the launch and the wait. The longer the kernel, the less they matter."
                   : "That is no steady difference: more than the launch and the wait is in it.");
    return run_end(&run);
}
