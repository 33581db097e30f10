// SPDX-License-Identifier: MIT
// A row of launches, timed by events: a stream, a gate that holds it until all are queued, a graph.
#ifndef CHAINS_H
#define CHAINS_H

#include "../../common/experiment/measure.h"

static cudaStream_t stream; // not the default one: that cannot be captured
static cudaEvent_t start, stop;
static volatile int *gate;
static int gate_works = 1; // not under a profiler that runs one kernel at a time

static inline void chains_begin(void) {
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    gate = create_gate();
}

static inline void chains_end(void) {
    if (!gate_works)
        say("No gate holds here (CUDA_LAUNCH_BLOCKING? a profiler?): no row is the device's.");
    free_gate(gate);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

// The graph of what `launch` queues in the stream, which runs nothing while it captures..
static inline cudaGraphExec_t capture(void (*launch)(const struct arrays *x),
                                      const struct arrays *x) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch(x);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, NULL, NULL, 0)); // from CUDA 11 to 13
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaGraphLaunch(executable, stream)); // the first one also brings it to the device
    return executable;
}

// Milliseconds that the device needs for the graph, or without one for what `launch` queues; and
// in call_ms, unless it is NULL, how long the calls kept the host.
static inline double time_chain(void (*launch)(const struct arrays *x), const struct arrays *x,
                                cudaGraphExec_t graph, int gated, double *call_ms) {
    gated = gated && gate_works;
    CUDA_CHECK(cudaDeviceSynchronize());
    if (gated)
        close_gate(gate, stream);
    CUDA_CHECK(cudaEventRecord(start, stream));
    double begin = wall_ms();
    if (graph)
        CUDA_CHECK(cudaGraphLaunch(graph, stream));
    else
        launch(x);
    if (call_ms)
        *call_ms = wall_ms() - begin;
    CUDA_CHECK(cudaEventRecord(stop, stream));
    if (gated)
        gate_works = open_gate(gate);
    return elapsed_ms(start, stop);
}

#endif
