// SPDX-License-Identifier: MIT
// How the course takes a time from chapter 03 on: warm up, take turns, many samples, a median; hot
// or cold caches on purpose; and a flag beside a figure that should not be trusted as it stands.
//
//     struct task tasks[2] = {{launch_float, &arrays, 0, 0, 0}, {launch_float4, &arrays, 0, 0, 0}};
//     measure(tasks, 2, MEASURE_HOT);
//     row.bytes = 12 * n, row.flops = n;
//     row_measured(&row, &tasks[0], footprint);  // times, GB/s, GFLOP/s, flag
//     measure_free(tasks, 2);
#ifndef MEASURE_H
#define MEASURE_H

#include "variants.h"

// Two events that the device stamps when it gets to them in their stream.
struct event_timer {
    cudaEvent_t start, stop;
};

static inline struct event_timer event_timer_create(void) {
    struct event_timer timer;
    CUDA_CHECK(cudaEventCreate(&timer.start));
    CUDA_CHECK(cudaEventCreate(&timer.stop));
    return timer;
}

static inline void event_timer_start(struct event_timer *timer, cudaStream_t stream) {
    CUDA_CHECK(cudaEventRecord(timer->start, stream));
}

static inline void event_timer_stop(struct event_timer *timer, cudaStream_t stream) {
    CUDA_CHECK(cudaEventRecord(timer->stop, stream));
}

// Waits for the stop event; milliseconds between the two stamps.
static inline double event_timer_ms(struct event_timer *timer) {
    return elapsed_ms(timer->start, timer->stop);
}

static inline void event_timer_destroy(struct event_timer *timer) {
    CUDA_CHECK(cudaEventDestroy(timer->start));
    CUDA_CHECK(cudaEventDestroy(timer->stop));
}

// HOT: a sample is a batch of launches, one right behind the other, that lasts 1 ms or more. The
// timer's resolution vanishes in it, and so do the gaps, unless a kernel is shorter than its launch
// takes the host: then this is the rate of launches. A launch finds in the caches what
// the one before left there; from 4 x L2 on that is little, and the figure is the memory's.
// COLD: a memset writes 4 x L2 bytes, then one launch alone is timed, a sample for each. The memset
// outlasts the three calls that the host queues behind it, so the launch's gap is hidden.
enum measure_mode { MEASURE_HOT, MEASURE_COLD };

// What to measure: `launch` queues work in the default stream, checks the launch, does not wait.
// measure() sets the rest.
struct task {
    void (*launch)(void *context);
    void *context;
    double *samples_ms; // milliseconds for one launch, in the order taken
    size_t batch;       // launches in a sample
    double floor_ms;    // what the timer reads for no work at all
};

static inline void queue_batch(struct event_timer *timer, const struct task *task, size_t batch) {
    event_timer_start(timer, 0);
    for (size_t i = 0; i < batch; i++)
        task->launch(task->context);
    event_timer_stop(timer, 0);
}

// What an empty pair of events reads, in milliseconds (median of 21): no shorter time can be seen.
static inline double timer_floor_ms(void) {
    struct event_timer timer = event_timer_create();
    double ms[21];
    for (int i = 0; i < 21; i++) {
        queue_batch(&timer, NULL, 0);
        ms[i] = event_timer_ms(&timer);
    }
    event_timer_destroy(&timer);
    return quantile_of(ms, 21, 0.5);
}

// Warm-up, and for HOT the number of launches that last 1 ms and 200 times the timer's floor.
static inline void prepare(struct event_timer *timer, struct task *task, size_t max_batch) {
    double enough_ms = fmax(1, 200 * task->floor_ms), ms = 0;
    queue_batch(timer, task, 1);
    for (task->batch = 1; task->batch < max_batch; task->batch *= 2) {
        queue_batch(timer, task, task->batch);
        ms = event_timer_ms(timer);
        if (ms >= enough_ms) { // up to twice too many
            task->batch = (size_t)ceil((double)task->batch * enough_ms / ms);
            break;
        }
    }
}

// Takes run.samples of each of `count` tasks. The tasks take turns, and the first changes from
// round to round, so that a clock or a temperature that drifts meets them all alike. 16 rounds are
// queued before the host waits: it stays ahead, and no sample contains its delays.
static inline void measure(struct task *tasks, size_t count, enum measure_mode mode) {
    const size_t rounds = 16, l2_bytes = (size_t)run.device.l2CacheSize;
    const size_t flush_bytes = l2_bytes ? 4 * l2_bytes : (size_t)32 << 20; // L2 may be unknown
    double floor_ms = timer_floor_ms();
    struct event_timer *timers = (struct event_timer *)host_malloc(rounds * count * sizeof *timers);
    void *d_flush = NULL;
    if (mode == MEASURE_COLD)
        CUDA_CHECK(cudaMalloc(&d_flush, flush_bytes));
    for (size_t i = 0; i < rounds * count; i++)
        timers[i] = event_timer_create();
    for (size_t i = 0; i < count; i++) {
        tasks[i].samples_ms = (double *)host_malloc(run.samples * sizeof(double));
        tasks[i].floor_ms = floor_ms;
        prepare(timers, &tasks[i], mode == MEASURE_HOT ? 512 : 1);
    }
    for (size_t done = 0; done < run.samples; done += rounds) {
        size_t turns = count * (run.samples - done < rounds ? run.samples - done : rounds);
        if (mode == MEASURE_HOT) // overwritten: lets the host get ahead
            queue_batch(timers, tasks, tasks[0].batch);
        for (size_t turn = 0; turn < turns; turn++) {
            size_t round = turn / count, i = (turn + round) % count;
            if (mode == MEASURE_COLD)
                CUDA_CHECK(cudaMemsetAsync(d_flush, 0, flush_bytes, 0));
            queue_batch(&timers[round * count + i], &tasks[i], tasks[i].batch);
        }
        for (size_t turn = 0; turn < turns; turn++) {
            struct task *task = &tasks[turn % count];
            task->samples_ms[done + turn / count] =
                event_timer_ms(&timers[turn]) / (double)task->batch;
        }
    }
    for (size_t i = 0; i < rounds * count; i++)
        event_timer_destroy(&timers[i]);
    free(timers);
    CUDA_CHECK(cudaFree(d_flush));
}

static inline void measure_free(struct task *tasks, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(tasks[i].samples_ms);
}

// GB = 10^9 bytes, those read and those written together.
static inline double gb_per_s(size_t bytes, double ms) { return (double)bytes / ms * 1e-6; }

static inline double gflop_per_s(size_t flops, double ms) { return (double)flops / ms * 1e-6; }

// The theoretical peak of a device's memory in GB/s, and in `formula` how it comes about; 0 if
// unknown. CUDA reports half the data rate as the clock, in kHz, for every kind of memory: hence 2.
// Integrated devices use the host's memory, and the clock they report is something else's.
static inline double peak_gb_per_s(int device, char *formula, size_t formula_size) {
    int khz = 0, bits = 0, integrated = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&integrated, cudaDevAttrIntegrated, device));
    if (integrated || khz <= 0 || bits <= 0) {
        snprintf(formula, formula_size, "unknown: the device %s",
                 integrated ? "uses the host's memory" : "reports no memory clock or bus width");
        return 0;
    }
    double peak = 2 * (khz * 1e3) * (bits / 8.0) / 1e9;
    snprintf(formula, formula_size, "2 x %.0f MHz x %d bit / 8 = %.1f GB/s", khz / 1e3, bits, peak);
    return peak;
}

// Fills in a row's times, and its rates from the bytes and flops the caller has set for one launch.
// `footprint`: all the bytes a launch touches. The flag is the gravest doubt.
static inline void row_measured(struct row *row, const struct task *task, size_t footprint) {
    char formula[128];
    double peak = peak_gb_per_s((int)run.device_number, formula, sizeof formula);
    row_times(row, task->samples_ms, run.samples);
    if (row->bytes)
        row->gb_per_s = gb_per_s(row->bytes, row->median_ms);
    if (row->flops)
        row->gflop_per_s = gflop_per_s(row->flops, row->median_ms);
    if (peak > 0 && row->gb_per_s > peak)
        row->flag = "above the peak";
    else if (footprint < 4 * (size_t)run.device.l2CacheSize)
        row->flag = "cache may help";
    else if (row->median_ms * (double)task->batch < 20 * task->floor_ms)
        row->flag = "near timer floor";
}

// ---- Variants, measured ------------------------------------------------------------------------
// A row to be: a variant on arrays. footprint: the bytes that a launch touches; 0: its bytes.
struct work {
    const struct variant *variant;
    struct arrays *x;
    size_t footprint;
    struct row row;
};

static inline void launch_work(void *context) {
    const struct work *work = (const struct work *)context;
    variant_launch(work->variant, work->x);
}

// Checks all works, measures them in turns, checks them again, and fills in their rows.
static inline void measure_works(struct work *works, size_t count, enum measure_mode mode) {
    struct task *tasks = (struct task *)host_malloc(count * sizeof *tasks);
    for (size_t i = 0; i < count; i++) {
        struct task task = {launch_work, &works[i], NULL, 0, 0};
        tasks[i] = task;
        works[i].row =
            variant_row(works[i].variant, works[i].x, variant_try(works[i].variant, works[i].x));
    }
    if (run.samples)
        measure(tasks, count, mode);
    for (size_t i = 0; i < count && run.samples; i++) {
        struct work *work = &works[i];
        row_measured(&work->row, &tasks[i], work->footprint ? work->footprint : work->row.bytes);
        if (!variant_try(work->variant, work->x))
            work->row.check = "FAIL";
    }
    measure_free(tasks, run.samples ? count : 0);
    free(tasks);
}

// Prints the rows, each with a bar: the longest is the peak, or the fastest where that is unknown.
static inline void print_works(struct work *works, size_t count) {
    char formula[128];
    double scale = peak_gb_per_s((int)run.device_number, formula, sizeof formula);
    for (size_t i = 0; i < count && run.samples; i++)
        scale = fmax(scale, works[i].row.gb_per_s);
    for (size_t i = 0; i < count; i++) {
        works[i].row.bar = works[i].row.gb_per_s / scale;
        print_row(&works[i].row);
    }
}

#endif
