// Why does a small kernel take the same time for every n? Launched in a stream, each ends before
// the host has launched the next, and the time is the host's. A gate or a graph takes that out.
//
//     nvcc -O3 -arch=native 5_launch_cost.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 5_launch_cost.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"

enum { SIZES = 7 }; // 2^10, 2^12 ... 2^22 elements: up to 48 MiB

static cudaStream_t stream; // not the default one: that cannot be captured
static cudaEvent_t start, stop;
static volatile int *gate;
static int gate_works = 1; // not under a profiler that runs one kernel at a time
static int batch = 128;    // launches in a sample; the device's queue holds about 1000

// ---- Kernel ------------------------------------------------------------------------------------
__global__ void sum_arrays(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

static void launch_sum_arrays(const struct arrays *x, unsigned block, size_t) {
    sum_arrays<<<blocks(x->n, block), block, 0, stream>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static void sum_reference(float *out, const float *a, const float *b, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

static const struct variant sum = {
    "sum_arrays", launch_sum_arrays, sum_reference, 256, 0, 12, 1, 0, "by graph: its own time"};

// ---- Ways to launch ----------------------------------------------------------------------------
// What the calls take the host; and what the device takes, by events: in a stream, queued at a
// closed gate, and as one graph, at a gate as well.
enum way { CALL, STREAM, GATE, GRAPH, WAYS };
static const char *const ways[WAYS] = {"the call", "in a stream", "after a gate", "in a graph"};

static void launch_batch(const struct arrays *x) {
    for (int i = 0; i < batch; i++)
        variant_launch(&sum, x);
}

// A stream that captures runs nothing: it takes down what it is given.
static cudaGraphExec_t capture_batch(const struct arrays *x) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch_batch(x);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
#if CUDART_VERSION >= 11040
    CUDA_CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
#else
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, NULL, NULL, 0));
#endif
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaGraphLaunch(executable, stream)); // the first one also brings it to the device
    return executable;
}

// Milliseconds for one launch.
static double time_batch(const struct arrays *x, cudaGraphExec_t graph, size_t way) {
    int gated = way > STREAM && gate_works;
    CUDA_CHECK(cudaDeviceSynchronize());
    if (gated)
        close_gate(gate, stream);
    CUDA_CHECK(cudaEventRecord(start, stream));
    double begin = wall_ms();
    if (way == GRAPH)
        CUDA_CHECK(cudaGraphLaunch(graph, stream));
    else
        launch_batch(x);
    double call_ms = (wall_ms() - begin) / batch;
    CUDA_CHECK(cudaEventRecord(stop, stream));
    if (gated)
        gate_works = open_gate(gate);
    double device_ms = elapsed_ms(start, stop) / batch;
    return way == CALL ? call_ms : device_ms;
}

// A row for each way; median_ms takes their medians.
static void measure_ways(size_t n, double *median_ms) {
    struct arrays x = arrays_create(n);
    double *ms = (double *)host_malloc(WAYS * run.samples * sizeof *ms);
    size_t order[WAYS];
    int right = variant_try(&sum, &x); // and the kernel is loaded
    cudaGraphExec_t graph = capture_batch(&x);
    for (size_t i = 0; i < 2 * run.samples; i++) { // the first half warms up, and is overwritten
        shuffle(order, WAYS);
        for (int turn = 0; turn < WAYS; turn++)
            ms[order[turn] * run.samples + i % run.samples] = time_batch(&x, graph, order[turn]);
    }
    for (size_t way = 0; way < WAYS; way++) {
        variant_reset(&sum, &x);
        time_batch(&x, graph, way);
        struct row row = variant_row(&sum, &x, right & variant_is_right(&sum, &x));
        row.variant = ways[way];
        row_times(&row, ms + way * run.samples, run.samples);
        print_row(&row);
        median_ms[way] = row.median_ms;
    }
    CUDA_CHECK(cudaGraphExecDestroy(graph));
    free(ms);
    arrays_free(&x);
}

// Without times: a row for each way that differs in the host's calls, checked.
static void count_calls(size_t n) {
    struct arrays x = arrays_create(n);
    int right = variant_try(&sum, &x);
    cudaGraphExec_t graph = capture_batch(&x);
    for (size_t way = STREAM; way < WAYS; way++) {
        variant_reset(&sum, &x);
        time_batch(&x, graph, way);
        struct row row = variant_row(&sum, &x, right & variant_is_right(&sum, &x));
        char launches[64];
        snprintf(launches, sizeof launches, "calls for %d kernels", batch);
        row.variant = ways[way];
        row.parameter = launches;
        row.value = way == GRAPH ? 1 : batch;
        print_row(&row);
    }
    say("What a call costs the host, and a kernel the device, a GPU shows.");
    CUDA_CHECK(cudaGraphExecDestroy(graph));
    arrays_free(&x);
}

// ---- Main --------------------------------------------------------------------------------------
static void find(const double ms[][WAYS]) {
    int flat = 0, own = 0; // the last size that takes as long as the first; the first that outlasts
    while (flat + 1 < SIZES && ms[flat + 1][STREAM] < 1.25 * ms[0][STREAM])
        flat++;
    while (own + 1 < SIZES && ms[own][STREAM] > 1.1 * ms[own][GRAPH])
        own++;
    double call = 1e3 * ms[0][CALL], stream_us = 1e3 * ms[0][STREAM];
    if (stream_us < 1.25 * call)
        finding(
            "call_us", call,
            "A launch takes the host %.1f us. Launched in a stream, kernels of 1024 to %d elements "
            "take %.1f us each: the host sets the pace.",
            call, 1024 << 2 * flat, stream_us);
    else
        finding("call_us", call,
                "A launch takes the host %.1f us, but in a stream a kernel of 1024 elements takes "
                "%.1f us.",
                call, stream_us);
    finding("device_us", 1e3 * ms[0][GATE],
            "With 1024 elements a kernel takes %.1f us after a gate and %.1f us in a graph.",
            1e3 * ms[0][GATE], 1e3 * ms[0][GRAPH]);
    finding("own_time_from", 1024 << 2 * own,
            "With %d elements, a kernel launched by itself takes %.2f times as long as in a graph.",
            1024 << 2 * own, ms[own][STREAM] / ms[own][GRAPH]);
}

int main(int argc, char **argv) {
    double ms[SIZES][WAYS];
    run_begin(argc, argv, "01_sync_timing/launch_cost",
              "Small kernels, launched in a stream, take the host's time and not their own.",
              "variant n parameter value samples median_ms min_ms max_ms check", NULL, NO_ERRORS);
    CUDA_CHECK(cudaStreamCreate(&stream));
    if (check_sizes(&sum, 1))
        return run_end();
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    gate = create_gate();
    batch = run.quick ? 2 : batch;
    if (run.counts)
        count_calls(1024);
    for (int s = 0; s < (run.quick ? 1 : SIZES) && !run.counts; s++)
        measure_ways((size_t)1024 << 2 * s, ms[s]);
    if (!gate_works)
        say("No gate holds here (CUDA_LAUNCH_BLOCKING? a profiler?): no row is the device's.");
    else if (run.samples)
        find(ms);
    free_gate(gate);
    return run_end();
}
