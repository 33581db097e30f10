// Why does a small kernel take the same time for every n? Launched in a stream, each ends before
// the host has launched the next, and the time is the host's. A gate or a graph takes that out.
//
//     nvcc -O3 -arch=native 5_launch_cost.cu && ./a.out
//     ../../cudacc/cudacc -O2 5_launch_cost.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "chains.h"

enum { SIZES = 7 }; // 2^10, 2^12 ... 2^22 elements: up to 48 MiB

static int batch = 128; // launches in a sample; the device's queue holds about 1000

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

// Milliseconds for one launch.
static double time_way(const struct arrays *x, cudaGraphExec_t graph, size_t way) {
    double call_ms;
    double ms = time_chain(launch_batch, x, way == GRAPH ? graph : NULL, way > STREAM, &call_ms);
    return (way == CALL ? call_ms : ms) / batch;
}

// A row for each way, with its time or without times the number of the host's calls; median_ms
// takes the medians.
static void measure_ways(size_t n, double *median_ms) {
    struct arrays x = arrays_create(n);
    double *ms = (double *)host_malloc(WAYS * run.samples * sizeof *ms);
    size_t order[WAYS];
    char launches[64];
    int right = variant_try(&sum, &x); // and the kernel is loaded
    cudaGraphExec_t graph = capture(launch_batch, &x);
    for (size_t i = 0; i < 2 * run.samples; i++) { // the first half warms up, and is overwritten
        shuffle(order, WAYS);
        for (int turn = 0; turn < WAYS; turn++)
            ms[order[turn] * run.samples + i % run.samples] = time_way(&x, graph, order[turn]);
    }
    snprintf(launches, sizeof launches, "calls for %d kernels", batch);
    for (size_t way = run.counts ? STREAM : CALL; way < WAYS; way++) {
        variant_reset(&sum, &x);
        time_way(&x, graph, way);
        struct row row = variant_row(&sum, &x, right & variant_is_right(&sum, &x));
        row.variant = ways[way];
        row_times(&row, ms + way * run.samples, run.samples);
        if (run.counts)
            row.parameter = launches, row.value = way == GRAPH ? 1 : batch;
        print_row(&row);
        median_ms[way] = row.median_ms;
    }
    CUDA_CHECK(cudaGraphExecDestroy(graph));
    free(ms);
    arrays_free(&x);
}

// ---- Main --------------------------------------------------------------------------------------
// Up to which size a launch in a stream takes as long as its call takes the host, and how long.
static void find_pace(const double ms[][WAYS]) {
    double call[2] = {INFINITY, 0}, each[2] = {INFINITY, 0}; // the least and the greatest, in us
    int sizes = 0;
    for (; sizes < SIZES && fabs(ms[sizes][STREAM] / ms[sizes][CALL] - 1) < 0.1; sizes++) {
        call[0] = fmin(call[0], 1e3 * ms[sizes][CALL]),
        call[1] = fmax(call[1], 1e3 * ms[sizes][CALL]);
        each[0] = fmin(each[0], 1e3 * ms[sizes][STREAM]);
        each[1] = fmax(each[1], 1e3 * ms[sizes][STREAM]);
    }
    if (sizes > 0)
        finding_if(
            each[0] > 0.9 * call[0] && each[1] < 1.1 * call[1], "call_us", 1e3 * ms[0][CALL],
            "Up to %d elements a kernel in a stream takes %.1f to %.1f us, as long as a launch "
            "takes the host (%.1f to %.1f): the host sets the pace.",
            1024 << 2 * (sizes - 1), each[0], each[1], call[0], call[1]);
    else
        finding("call_us", 1e3 * ms[0][CALL],
                "A launch takes the host %.1f us, but in a stream a kernel of 1024 elements takes "
                "%.1f us.",
                1e3 * ms[0][CALL], 1e3 * ms[0][STREAM]);
    if (sizes > 0 && sizes < SIZES && ms[sizes][STREAM] > ms[sizes][CALL])
        finding("device_sets_pace_from", 1024 << 2 * sizes,
                "With %d elements it takes %.1f us, a launch %.1f: the device sets the pace.",
                1024 << 2 * sizes, 1e3 * ms[sizes][STREAM], 1e3 * ms[sizes][CALL]);
}

static void find(const double ms[][WAYS]) {
    int own = 0; // the first size that outlasts its launch
    while (own + 1 < SIZES && ms[own][STREAM] > 1.1 * ms[own][GRAPH])
        own++;
    find_pace(ms);
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
    chains_begin();
    check_sizes(&sum, 1);
    batch = run.quick ? 2 : batch;
    for (int s = 0; s < (run.samples ? SIZES : 1); s++)
        measure_ways((size_t)1024 << 2 * s, ms[s]);
    if (run.counts)
        say("What a call costs the host, and a kernel the device, a GPU shows.");
    if (run.samples && gate_works)
        find(ms);
    chains_end();
    return run_end();
}
