// SPDX-License-Identifier: MIT
// How the course takes a time from chapter 03 on: warm up, take turns in random order, many
// samples, a median; hot or cold caches on purpose; and a flag beside a doubtful figure.
//
//     struct task tasks[2] = {task_of(launch_float, &arrays), task_of(launch_float4, &arrays)};
//     measure(tasks, 2, MEASURE_HOT);
//     row.bytes = 12 * n, row.flops = n;
//     row_measured(&row, &tasks[0], footprint);  // times, GB/s, GFLOP/s, flag
//     task_ratio(&tasks[0], &tasks[1]);          // how many times as long, and how sure
//     measure_free(tasks, 2);
//
// A launch goes to run.stream, so that a batch of them can be captured in a graph; one that goes
// elsewhere is timed all the same, launch by launch at a gate, and its row says so.
// To change: MOST_LAUNCHES, LOAD_MS, CLOCK_LOSS. docs/method.md says what each step is for.
#ifndef MEASURE_H
#define MEASURE_H

#include "gate.h"
#include "variants.h"

// What to measure: `launch` queues work in run.stream, checks the launch, does not wait. measure()
// sets the rest.
struct task {
    void (*launch)(void *context);
    void *context;
    double *samples_ms;    // milliseconds for one launch, in the order taken
    size_t samples;        // how many: run.samples, less those dropped
    size_t batch;          // launches in a sample
    double floor_ms;       // what the timer reads for no work at all
    int cold;              // one launch after a flush, not a batch
    size_t dropped;        // samples of rounds in which a clock was slow or a gate gave up
    cudaGraphExec_t graph; // the batch, while measure() runs; NULL: it cannot be captured
    int at_gate;           // it was timed launch by launch
};

static inline struct task task_of(void (*launch)(void *context), void *context) {
    struct task task = {launch, context, NULL, 0, 0, 0, 0, 0, NULL, 0};
    return task;
}

static inline double task_ms(const struct task *task) {
    return quantile_of(task->samples_ms, task->samples, 0.5);
}

// A median, and between which values the true one lies in 95 of 100 cases: the samples at n / 2 -+
// 0.98 sqrt(n), whatever their distribution.
struct interval {
    double median, low, high;
};

static inline struct interval median_interval(const double *samples, size_t n) {
    double from = fmax(0, floor((double)n / 2 - 0.98 * sqrt((double)n)) - 1);
    double q = n > 1 ? from / (double)(n - 1) : 0;
    struct interval interval = {quantile_of(samples, n, 0.5), quantile_of(samples, n, q),
                                quantile_of(samples, n, 1 - q)};
    return interval;
}

// How many times as long as b a launch of a takes, from samples of the same rounds.
static inline struct interval task_ratio(const struct task *a, const struct task *b) {
    size_t n = a->samples < b->samples ? a->samples : b->samples;
    double *ratios = (double *)host_malloc(n * sizeof *ratios);
    for (size_t i = 0; i < n; i++)
        ratios[i] = a->samples_ms[i] / b->samples_ms[i];
    struct interval interval = median_interval(ratios, n);
    free(ratios);
    return interval;
}

// What an empty pair of events reads, in milliseconds (median of 21), without a gate: what is near
// it is the timer's as much as the kernel's, and flagged.
static inline double timer_floor_ms(void) {
    cudaEvent_t start, stop;
    double ms[21];
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < 21; i++) {
        CUDA_CHECK(cudaEventRecord(start, 0));
        CUDA_CHECK(cudaEventRecord(stop, 0));
        ms[i] = elapsed_ms(start, stop);
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return quantile_of(ms, 21, 0.5);
}

// ---- Rates -------------------------------------------------------------------------------------
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

static int gates_work = 1; // until one gives up: see batch_ms

// Fills in a row's times, and its rates from the bytes and flops the caller has set for one launch.
// `footprint`: all the bytes a launch touches. The flag says what to doubt most.
static inline void row_measured(struct row *row, const struct task *task, size_t footprint) {
    double peak = peak_gb_per_s((int)run.device_number, NULL, 0);
    row_times(row, task->samples_ms, task->samples);
    if (row->bytes)
        row->gb_per_s = gb_per_s(row->bytes, row->median_ms);
    if (row->flops)
        row->gflop_per_s = gflop_per_s(row->flops, row->median_ms);
    if (peak > 0 && row->gb_per_s > peak)
        row->flag = "above the peak";
    else if (row->median_ms * (double)task->batch < 20 * task->floor_ms)
        row->flag = "near timer floor";
    else if (!task->cold && footprint < 4 * (size_t)run.device.l2CacheSize)
        row->flag = "cache may help";
    else if (row->spread_pct > 10 && !run.on_cpu)
        row->flag = "spread above 10 %";
    else if (10 * row->outliers > task->samples && !run.on_cpu)
        row->flag = "many outliers";
    else if (4 * task->dropped > task->samples)
        row->flag = "clock moved";
    else if (task->at_gate && row->median_ms < 0.1)
        row->flag = "not in a graph";
    else if (!gates_work && !run.on_cpu)
        row->flag = "no gate";
}

// ---- Samples -----------------------------------------------------------------------------------
// HOT: a sample is a batch of launches that lasts 0.5 ms or more, or MOST_LAUNCHES of them, as one
// graph. COLD: a kernel reads 4 x L2 bytes that nothing else uses, then one launch alone is timed.
enum measure_mode { MEASURE_HOT, MEASURE_COLD };
enum { MOST_LAUNCHES = 256 };               // of a batch
enum { LOAD_MS = 500, BRIEF_LOAD_MS = 50 }; // before a program's first sample; if it takes few
#define CLOCK_LOSS 0.03 // a round with an SM clock that much below the task's median does not count

#ifdef __CUDACC__
static __global__ void read_all(float *sum, const float4 *a, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    float s = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        s += a[i].x + a[i].y + a[i].z + a[i].w;
    if (s < 0) // never, but the compiler does not know
        *sum = s;
}

// What the clocks of the SMs say at one moment, a block for each.
struct stamp {
    long long cycles, ns;
};

static __global__ void stamp_clocks(struct stamp *stamps) {
    unsigned sm = blockIdx.x; // of the CPU device, which takes no samples
#ifndef __CUDACC_CPU__
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
#endif
    if (sm < gridDim.x)
        stamps[sm].cycles = clock64(), stamps[sm].ns = device_ns();
}

// What a sample needs; for COLD, d_flush is as much memory as empties L2.
struct sampler {
    cudaEvent_t start, stop;
    volatile int *gate;
    struct stamp *stamps; // in host memory: before the last sample, then after it
    size_t sms, flush_bytes;
    void *d_flush;
    int held; // the gate, in the last sample
};

static inline struct sampler sampler_create(enum measure_mode mode) {
    struct sampler s = {};
    s.gate = create_gate();
    s.sms = (size_t)run.device.multiProcessorCount;
    const size_t bytes = 2 * s.sms * sizeof *s.stamps;
    CUDA_CHECK(cudaHostAlloc((void **)&s.stamps, bytes, cudaHostAllocMapped));
    stamp_clocks<<<(unsigned)s.sms, 1>>>(s.stamps); // loads it, which a gate would keep waiting
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventCreate(&s.start));
    CUDA_CHECK(cudaEventCreate(&s.stop));
    if (mode == MEASURE_COLD) {
        const size_t l2_bytes = (size_t)run.device.l2CacheSize; // may be unknown
        s.flush_bytes = l2_bytes ? 4 * l2_bytes : (size_t)32 << 20;
        CUDA_CHECK(cudaMalloc(&s.d_flush, s.flush_bytes));
        CUDA_CHECK(cudaMemset(s.d_flush, 0, s.flush_bytes));
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return s;
}

static inline void sampler_free(struct sampler *s) {
    CUDA_CHECK(cudaEventDestroy(s->start));
    CUDA_CHECK(cudaEventDestroy(s->stop));
    CUDA_CHECK(cudaFree(s->d_flush));
    CUDA_CHECK(cudaFreeHost(s->stamps));
    free_gate(s->gate);
}

// Cycles per nanosecond of an SM while the last sample was taken; 0: its gate gave up.
static inline double sample_ghz(const struct sampler *s) {
    for (size_t sm = 0; sm < s->sms && s->held; sm++) {
        const struct stamp *before = &s->stamps[sm], *after = before + s->sms;
        if (before->ns && after->ns)
            return (double)(after->cycles - before->cycles) / (double)(after->ns - before->ns);
    }
    return 0;
}

// Milliseconds for `batch` launches, or for the task's graph of them. Under a profiler that lets
// one kernel run at a time a gate cannot be opened in time; it gives up, and is not used again.
static inline double batch_ms(struct sampler *s, const struct task *task, size_t batch) {
    memset(s->stamps, 0, 2 * s->sms * sizeof *s->stamps);
    if (gates_work)
        close_gate(s->gate, 0);
    stamp_clocks<<<(unsigned)s->sms, 1>>>(s->stamps);
    CUDA_CHECK(cudaGetLastError());
    if (s->d_flush) {
        read_all<<<1024, 256>>>((float *)s->d_flush, (const float4 *)s->d_flush,
                                s->flush_bytes / sizeof(float4));
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaEventRecord(s->start, 0));
    if (task->graph)
        CUDA_CHECK(cudaGraphLaunch(task->graph, 0));
    for (size_t i = 0; i < batch && !task->graph; i++)
        task->launch(task->context);
    CUDA_CHECK(cudaEventRecord(s->stop, 0));
    stamp_clocks<<<(unsigned)s->sms, 1>>>(s->stamps + s->sms);
    CUDA_CHECK(cudaGetLastError());
    s->held = !gates_work || open_gate(s->gate);
    if (!s->held)
        say("A gate gave up: the sample is dropped, and no more gates are used.");
    gates_work = gates_work && s->held;
    CUDA_CHECK(cudaDeviceSynchronize());
    return elapsed_ms(s->start, s->stop);
}

// Captures the batch as a graph, and launches it once. A launch that did not go to run.stream ran
// instead: the stream is one that does not wait for others. Then the graph is empty, and not used.
static inline void capture(struct task *task) {
    cudaStream_t before = run.stream;
    cudaGraph_t graph;
    size_t nodes = 0;
    CUDA_CHECK(cudaStreamCreateWithFlags(&run.stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamBeginCapture(run.stream, cudaStreamCaptureModeRelaxed));
    for (size_t i = 0; i < task->batch; i++)
        task->launch(task->context);
    CUDA_CHECK(cudaStreamEndCapture(run.stream, &graph));
    CUDA_CHECK(cudaStreamDestroy(run.stream));
    run.stream = before;
    CUDA_CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    task->at_gate = nodes == 0;
    if (nodes) {
        CUDA_CHECK(cudaGraphInstantiate(&task->graph, graph, NULL, NULL, 0)); // from CUDA 11 to 13
        CUDA_CHECK(cudaGraphLaunch(task->graph, 0)); // what it needs is on the device from now on
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaGraphDestroy(graph));
}

// Warm-up, and for HOT the number of launches that last 0.5 ms and 200 times the timer's floor.
static inline void prepare(struct sampler *s, struct task *task) {
    double enough_ms = fmax(0.5, 200 * task->floor_ms), ms = 0;
    size_t most = s->d_flush ? 1 : MOST_LAUNCHES;
    task->launch(task->context); // loads the kernel, which a gate would keep waiting
    CUDA_CHECK(cudaDeviceSynchronize());
    task->batch = 1;
    while (task->batch < most && (ms = batch_ms(s, task, task->batch)) < enough_ms)
        task->batch *= 2;
    if (ms >= enough_ms) // up to twice too many
        task->batch = (size_t)ceil((double)task->batch * enough_ms / ms);
    if (!s->d_flush)
        capture(task);
}

// Puts 0 to count - 1 in a random order, the same in each run.
static inline void shuffle(size_t *order, size_t count) {
    static uint64_t state = 1;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        size_t j = (size_t)(state >> 33) % i, last = order[i - 1];
        order[i - 1] = order[j], order[j] = last;
    }
}

// Launches of the tasks, before a program's first sample: clocks and temperature come to rest. For
// fewer than 21 samples, as in a run by hand, briefly: no row of those is kept.
static inline void load_device(struct sampler *s, struct task *tasks, size_t count) {
    static int loaded = 0;
    double start = wall_ms(), load_ms = run.samples < 21 ? BRIEF_LOAD_MS : LOAD_MS;
    for (size_t i = 0; !loaded && wall_ms() - start < load_ms; i++)
        batch_ms(s, &tasks[i % count], tasks[i % count].batch);
    loaded = 1;
}

// Drops the rounds in which a gate gave up or some task met a slow clock: ghz has run.samples for
// each task. It looks at the clock alone, not at the samples.
static inline void drop_slow_rounds(struct task *tasks, size_t count, const double *ghz) {
    size_t kept = 0;
    for (size_t round = 0; round < run.samples; round++) {
        int slow = 0;
        for (size_t i = 0; i < count; i++) {
            const double *of_task = ghz + i * run.samples;
            double least = (1 - CLOCK_LOSS) * quantile_of(of_task, run.samples, 0.5);
            slow |= of_task[round] == 0 || of_task[round] < least;
        }
        for (size_t i = 0; i < count && !slow; i++)
            tasks[i].samples_ms[kept] = tasks[i].samples_ms[round];
        kept += !slow;
    }
    for (size_t i = 0; i < count; i++)
        tasks[i].samples = kept, tasks[i].dropped = run.samples - kept;
}

// Takes run.samples of each of `count` tasks, how many never depends on what they are. Each round
// has one of each, in random order: a clock or a temperature that drifts meets them all alike.
static inline void measure(struct task *tasks, size_t count, enum measure_mode mode) {
    struct sampler sampler = sampler_create(mode);
    size_t *order = (size_t *)host_malloc(count * sizeof *order);
    double *ghz = (double *)host_malloc(count * run.samples * sizeof *ghz);
    double floor_ms = timer_floor_ms();
    for (size_t i = 0; i < count; i++) {
        tasks[i].samples_ms = (double *)host_malloc(run.samples * sizeof(double));
        tasks[i].floor_ms = floor_ms;
        tasks[i].cold = mode == MEASURE_COLD;
        prepare(&sampler, &tasks[i]);
    }
    load_device(&sampler, tasks, count);
    for (size_t round = 0; round < run.samples; round++) {
        shuffle(order, count);
        for (size_t turn = 0; turn < count; turn++) {
            struct task *task = &tasks[order[turn]];
            task->samples_ms[round] = batch_ms(&sampler, task, task->batch) / (double)task->batch;
            ghz[order[turn] * run.samples + round] = sample_ghz(&sampler);
        }
    }
    drop_slow_rounds(tasks, count, ghz);
    for (size_t i = 0; i < count; i++) {
        if (tasks[i].graph)
            CUDA_CHECK(cudaGraphExecDestroy(tasks[i].graph));
        tasks[i].graph = NULL;
    }
    free(ghz);
    free(order);
    sampler_free(&sampler);
}

static inline void measure_free(struct task *tasks, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(tasks[i].samples_ms);
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
        tasks[i] = task_of(launch_work, &works[i]);
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
    measure_free(tasks, count);
    free(tasks);
}

// Prints the rows, each with a bar: the longest is the peak, or the fastest where that is unknown.
static inline void print_works(struct work *works, size_t count) {
    double scale = peak_gb_per_s((int)run.device_number, NULL, 0);
    for (size_t i = 0; i < count && run.samples; i++)
        scale = fmax(scale, works[i].row.gb_per_s);
    for (size_t i = 0; i < count; i++) {
        works[i].row.bar = works[i].row.gb_per_s / scale;
        print_row(&works[i].row);
    }
}

#endif // __CUDACC__
#endif
