// SPDX-License-Identifier: MIT
// Graphs, captured by a stream or made node by node: what is recorded, how it is launched, which
// calls a capture does not survive. The codes are those of an H200 with CUDA 13.0. The same file
// passes on a GPU and on the CPU device.
#include "../../../tests/lib/device.h"
#include <pthread.h>
#include <string.h>

static cudaStream_t stream, other; // blocking; non-blocking
static int *d_cell, *h_cell;       // a few of each; pinned

__global__ void add(int *cell, int value) { *cell += value; }
__global__ void double_it(int *cell) { *cell *= 2; }

static int device_value(int i) {
    int value = -1;
    must(cudaMemcpy(&value, d_cell + i, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void begin(cudaStreamCaptureMode mode) {
    (void)cudaGetLastError();
    must(cudaStreamBeginCapture(stream, mode));
}

// Ends a capture that is in order.
static cudaGraph_t end(size_t nodes, const char *what) {
    cudaGraph_t graph = NULL;
    size_t count = 99;
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphGetNodes(graph, NULL, &count));
    ok(count == nodes, "%s: %zu nodes", what, count);
    return graph;
}

static cudaGraphExec_t made_of(cudaGraph_t graph) {
    cudaGraphExec_t exec = NULL;
    must(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0)); // as every version of CUDA has it
    must(cudaGraphDestroy(graph));
    return exec;
}

#define EXEC(name, graph)                                                                          \
    cudaGraphExec_t name = made_of(graph);                                                         \
    const kept<cudaGraphExec_t> kept_##name = {name, cudaGraphExecDestroy}

// ---- What is recorded, and what a launch does ----

TEST(launches) {
    must(cudaMemset(d_cell, 0, 4 * sizeof *d_cell));
    h_cell[0] = h_cell[1] = 0;
    begin(cudaStreamCaptureModeGlobal);
    int value = 3;
    add<<<1, 1, 0, stream>>>(d_cell, value);
    value = 100;
    double_it<<<1, 1, 0, stream>>>(d_cell);
    must(cudaGetLastError());
    must(cudaMemcpyAsync(h_cell, d_cell, sizeof *h_cell, cudaMemcpyDeviceToHost, stream));
    must(cudaMemsetAsync(d_cell + 1, 1, sizeof *d_cell, stream));
    must(cudaMemcpyAsync(d_cell + 2, h_cell + 1, sizeof *d_cell, cudaMemcpyHostToDevice, stream));
    cudaGraph_t graph = end(5, "two kernels, two copies, a memset");
    ok(device_value(0) == 0 && device_value(1) == 0, "while it is captured nothing runs");
    cudaGraphExec_t exec = made_of(graph);
    h_cell[1] = 7;
    works(cudaGraphLaunch(exec, stream), "a launch, after the graph itself is gone");
    works(cudaStreamSynchronize(stream), "runs");
    ok(device_value(0) == 6 && h_cell[0] == 6, "kernels and copies in their order, with the "
                                               "arguments of the capture");
    ok(device_value(1) == 0x01010101 && device_value(2) == 7,
       "and with what is in memory at the launch");
    h_cell[1] = 8;
    works(cudaGraphLaunch(exec, other), "again in another stream");
    works(cudaGraphLaunch(exec, 0), "in the legacy stream");
    works(cudaGraphLaunch(exec, stream), "and in the first");
    works(cudaGraphExecDestroy(exec), "what is queued does not need it any more");
    works(cudaDeviceSynchronize(), "done");
    ok(device_value(0) == 90 && h_cell[0] == 90, "one launch after the other: %d", device_value(0));
    ok(device_value(2) == 8, "each with the memory of its time");
}

TEST(of_pageable_memory) {
    int numbers[2] = {1, 0};
    begin(cudaStreamCaptureModeGlobal);
    works(cudaMemcpyAsync(d_cell, &numbers[0], sizeof(int), cudaMemcpyHostToDevice, stream),
          "a copy from pageable memory is captured");
    works(cudaMemcpyAsync(&numbers[1], d_cell, sizeof(int), cudaMemcpyDeviceToHost, stream),
          "one to it, too");
    EXEC(exec, end(2, "both"));
    numbers[0] = 5;
    must(cudaGraphLaunch(exec, stream));
    must(cudaStreamSynchronize(stream));
    ok(numbers[1] == 5, "its memory is read at the launch: %d", numbers[1]);
}

static void count_calls(void *calls) { ++*(int *)calls; }

TEST(host_functions) {
    static int calls;
    begin(cudaStreamCaptureModeGlobal);
    must(cudaLaunchHostFunc(stream, count_calls, &calls));
    EXEC(exec, end(1, "a function of the host"));
    ok(calls == 0, "is not called yet");
    for (int i = 0; i < 3; i++)
        must(cudaGraphLaunch(exec, stream));
    must(cudaStreamSynchronize(stream));
    ok(calls == 3, "but at each launch: %d", calls);
}

// A graph is one operation of its stream: it waits for those before, and the host does not.
TEST(in_its_stream) {
    volatile int *gate = create_gate();
    float ms = -1;
    EVENT(before);
    EVENT(after);
    must(cudaMemset(d_cell, 0, sizeof *d_cell));
    begin(cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 100; i++)
        add<<<1, 1, 0, stream>>>(d_cell, 1);
    EXEC(exec, end(100, "a hundred kernels"));
    must(cudaGraphLaunch(exec, stream));
    must(cudaStreamSynchronize(stream));
    close_gate(gate, stream);
    must(cudaEventRecord(before, stream));
    must(cudaGraphLaunch(exec, stream));
    must(cudaEventRecord(after, stream));
    gives(cudaErrorNotReady, cudaEventQuery(after), "the host does not wait for a graph");
    ok(open_gate(gate), "which waits for its stream");
    works(cudaEventSynchronize(after), "an event after it is reached");
    works(cudaEventElapsedTime(&ms, before, after), "and one before it: %g ms", ms);
    ok(device_value(0) == 200, "with all kernels between them");
    free_gate(gate);
}

// Two launches of one graph never run at a time, whatever their streams.
TEST(in_two_streams) {
    volatile int *gate = create_gate();
    volatile int *seen = h_cell;
    must(cudaMemset(d_cell, 0, sizeof *d_cell));
    must(cudaDeviceSynchronize());
    begin(cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, stream>>>(d_cell, 1);
    must(cudaMemcpyAsync(h_cell, d_cell, sizeof *h_cell, cudaMemcpyDeviceToHost, stream));
    EXEC(exec, end(2, "a kernel and a copy"));
    must(cudaGraphLaunch(exec, stream));
    must(cudaStreamSynchronize(stream));
    close_gate(gate, other);
    must(cudaGraphLaunch(exec, other));
    must(cudaGraphLaunch(exec, stream));
    for (int ms = 0; ms < 50 && *seen == 1; ms++)
        sleep_ms(1);
    int early = *seen;
    ok(open_gate(gate) && early == 1, "a launch waits for the one before: %d", early);
    must(cudaDeviceSynchronize());
    ok(*seen == 3, "then both have run");
    free_gate(gate);
}

TEST(empty) {
    begin(cudaStreamCaptureModeRelaxed);
    EXEC(exec, end(0, "nothing"));
    works(cudaGraphLaunch(exec, stream), "is launched, too");
    must(cudaStreamSynchronize(stream));
}

// ---- Node by node ----

static cudaGraphNode_t kernel_node(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                   void *kernel, void **arguments) {
    cudaGraphNode_t node = NULL;
    struct cudaKernelNodeParams p = {};
    p.func = kernel;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    works(cudaGraphAddKernelNode(&node, graph, after, count, &p), "cudaGraphAddKernelNode");
    return node;
}

static void depend(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
#if CUDART_VERSION >= 13000
    works(cudaGraphAddDependencies(graph, &from, &to, NULL, 1), "cudaGraphAddDependencies");
#else
    works(cudaGraphAddDependencies(graph, &from, &to, 1), "cudaGraphAddDependencies");
#endif
}

static int run_nodes(cudaGraphExec_t exec) {
    must(cudaGraphLaunch(exec, stream));
    must(cudaStreamSynchronize(stream));
    return device_value(0);
}

// memset 0, then + 3, then * 2; added in another order
TEST(nodes) {
    int calls = 0, value = 3, other_value = 10;
    void *arguments[] = {&d_cell, &value}, *changed[] = {&d_cell, &other_value};
    cudaGraph_t graph, clone;
    works(cudaGraphCreate(&graph, 0), "cudaGraphCreate");
    cudaGraphNode_t twice = kernel_node(graph, NULL, 0, (void *)double_it, arguments);
    cudaGraphNode_t plus = kernel_node(graph, NULL, 0, (void *)add, arguments);
    value = 99;
    cudaGraphNode_t zero, copied, called, none, all[9];
    struct cudaMemsetParams set = {};
    set.dst = d_cell, set.value = 5, set.elementSize = 4, set.width = set.height = 1;
    works(cudaGraphAddMemsetNode(&zero, graph, NULL, 0, &set), "cudaGraphAddMemsetNode");
    depend(graph, zero, plus);
    depend(graph, plus, twice);
    works(cudaGraphAddMemcpyNode1D(&copied, graph, &twice, 1, h_cell, d_cell, sizeof(int),
                                   cudaMemcpyDeviceToHost),
          "cudaGraphAddMemcpyNode1D");
    struct cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(h_cell, sizeof(int), sizeof(int), 1);
    copy.dstPtr = make_cudaPitchedPtr(h_cell + 1, sizeof(int), sizeof(int), 1);
    copy.extent = make_cudaExtent(sizeof(int), 1, 1);
    copy.kind = cudaMemcpyHostToHost;
    works(cudaGraphAddEmptyNode(&none, graph, &copied, 1), "cudaGraphAddEmptyNode");
    struct cudaHostNodeParams host = {count_calls, &calls};
    works(cudaGraphAddHostNode(&called, graph, &none, 1, &host), "cudaGraphAddHostNode");
    works(cudaGraphAddMemcpyNode(&none, graph, &none, 1, &copy), "cudaGraphAddMemcpyNode");
    size_t count = 9;
    must(cudaGraphGetNodes(graph, all, &count));
    ok(count == 7, "seven nodes: %zu", count);

    cudaGraphExec_t exec, second;
    works(cudaGraphClone(&clone, graph), "cudaGraphClone");
    must(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    must(cudaGraphInstantiate(&second, clone, NULL, NULL, 0));
    h_cell[0] = h_cell[1] = -1;
    int result = run_nodes(exec);
    ok(result == 16, "in the order of the dependencies, with the arguments of their time: %d",
       result);
    ok(h_cell[0] == 16 && h_cell[1] == 16 && calls == 1, "copies and a function of the host");

    struct cudaKernelNodeParams p = {};
    p.func = (void *)add;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = changed;
    works(cudaGraphExecKernelNodeSetParams(exec, plus, &p), "cudaGraphExecKernelNodeSetParams");
    result = run_nodes(exec);
    ok(result == 30, "changes what is launched: %d", result);
    result = run_nodes(second);
    ok(result == 16, "and no other graph: %d", result);
    works(cudaGraphKernelNodeSetParams(plus, &p), "cudaGraphKernelNodeSetParams");
#if CUDART_VERSION >= 12000
    cudaGraphExec_t third;
    cudaGraphExecUpdateResultInfo info;
    must(cudaGraphInstantiate(&third, clone, 0));
    result = run_nodes(third);
    ok(result == 16, "a clone keeps what it had: %d", result);
    must(cudaGraphExecDestroy(third));
    must(cudaGraphInstantiate(&third, graph, 0));
    other_value = 20;
    works(cudaGraphKernelNodeSetParams(plus, &p), "new arguments");
    works(cudaGraphExecUpdate(third, graph, &info), "cudaGraphExecUpdate");
    result = run_nodes(third);
    ok(info.result == cudaGraphExecUpdateSuccess && result == 50, "takes them over: %d", result);
    kernel_node(graph, &called, 1, (void *)double_it, arguments);
    gives(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(third, graph, &info),
          "not a graph with one node more");
    ok(info.result == cudaGraphExecUpdateErrorTopologyChanged, "which is another topology");
    (void)cudaGetLastError();
    must(cudaGraphExecDestroy(third));
#endif
    must(cudaGraphExecDestroy(second));
    depend(graph, twice, zero);
    cudaError_t cycle = cudaGraphInstantiate(&second, graph, NULL, NULL, 0);
    ok(cycle != cudaSuccess, "a cycle cannot be launched: %d", (int)cycle);
    (void)cudaGetLastError();
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(cudaGraphDestroy(clone));
}

// ---- Questions, and wrong arguments ----

static cudaStreamCaptureStatus status_of(cudaStream_t s) {
    cudaStreamCaptureStatus status = (cudaStreamCaptureStatus)99;
    must(cudaStreamIsCapturing(s, &status));
    return status;
}

TEST(wrong_arguments) {
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    cudaStreamCaptureStatus status;
    gives(cudaErrorInvalidValue, cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)7),
          "no such mode");
    gives(cudaErrorStreamCaptureUnsupported,
          cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed), "not the legacy stream");
    gives(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph),
          "an end without a beginning");
    gives(cudaErrorIllegalState, cudaStreamEndCapture(0, &graph), "in the legacy stream, too");
    gives(cudaErrorInvalidValue, cudaStreamIsCapturing(stream, NULL), "no place for the answer");
    gives(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, NULL, NULL, NULL, 0), "no graph");
    gives(cudaErrorInvalidValue, cudaGraphLaunch(NULL, stream), "nothing to launch");
    gives(cudaErrorInvalidValue, cudaGraphDestroy(NULL), "nothing to destroy");
    gives(cudaErrorInvalidValue, cudaGraphExecDestroy(NULL), "nor here");
    (void)cudaGetLastError();

    ok(status_of(stream) == cudaStreamCaptureStatusNone, "a stream does not capture");
    begin(cudaStreamCaptureModeGlobal);
    ok(status_of(stream) == cudaStreamCaptureStatusActive, "now it does");
    ok(status_of(other) == cudaStreamCaptureStatusNone, "another does not");
    gives(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(0, &status),
          "the legacy stream cannot tell");
    gives(cudaErrorIllegalState, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal),
          "it cannot begin twice");
    gives(cudaErrorIllegalState, cudaStreamEndCapture(other, &graph), "nor end in another stream");
    ok(status_of(stream) == cudaStreamCaptureStatusActive, "none of this does harm");
    graph = end(0, "a capture");
    works(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0), "cudaGraphInstantiate");
    works(cudaGraphUpload(exec, 0), "cudaGraphUpload");
    must(cudaGraphExecDestroy(exec));
#if CUDART_VERSION >= 11040
    works(cudaGraphInstantiateWithFlags(&exec, graph, 0), "cudaGraphInstantiateWithFlags");
    must(cudaGraphExecDestroy(exec));
    gives(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(NULL, graph, 0), "no place for it");
#endif
#if CUDART_VERSION >= 12000
    works(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate with flags");
    must(cudaGraphExecDestroy(exec));
#endif
    works(cudaGraphDestroy(graph), "cudaGraphDestroy");
    begin(cudaStreamCaptureModeGlobal);
    works(cudaStreamEndCapture(stream, NULL), "a graph that is not wanted");
    ok(status_of(stream) == cudaStreamCaptureStatusNone, "ends its capture all the same");
}

// ---- What a capture does not survive ----

static void is_invalid(const char *what) {
    cudaGraph_t graph = (cudaGraph_t)&graph;
    ok(status_of(stream) == cudaStreamCaptureStatusInvalidated, "%s: the capture is invalid", what);
    gives(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph),
          "its end says so");
    ok(!graph && status_of(stream) == cudaStreamCaptureStatusNone, "and there is no graph");
    (void)cudaGetLastError();
}
#define ends_it(mode, code, call)                                                                  \
    do {                                                                                           \
        begin(cudaStreamCaptureMode##mode);                                                        \
        gives(code, call, #call);                                                                  \
        is_invalid(#call);                                                                         \
    } while (0)
#define keeps_it(mode, call, nodes)                                                                \
    do {                                                                                           \
        begin(cudaStreamCaptureMode##mode);                                                        \
        works(call, #call);                                                                        \
        must(cudaGraphDestroy(end(nodes, #call)));                                                 \
    } while (0)

static cudaError_t launch(cudaStream_t s, int threads) {
    add<<<1, threads, 0, s>>>(d_cell, 1);
    return cudaGetLastError();
}

static void CUDART_CB no_callback(cudaStream_t s, cudaError_t e, void *unused) {
    (void)s, (void)e, (void)unused;
}

TEST(waits) {
    const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported,
                      implicit = cudaErrorStreamCaptureImplicit;
    cudaEvent_t event;
    cudaStream_t created;
    must(cudaEventCreate(&event));
    ends_it(Global, unsupported, cudaStreamSynchronize(stream));
    ends_it(Global, unsupported, cudaStreamQuery(stream));
    ends_it(Global, unsupported, cudaStreamSynchronize(other));
    ends_it(Global, unsupported, cudaStreamQuery(other));
    ends_it(Global, unsupported, cudaDeviceSynchronize());
    ends_it(Global, implicit, cudaStreamSynchronize(0));
    ends_it(Global, implicit, cudaMemcpy(h_cell, d_cell, sizeof(int), cudaMemcpyDeviceToHost));
    ends_it(Global, implicit, cudaMemset(d_cell, 0, sizeof(int)));
    ends_it(Global, implicit,
            cudaMemcpyAsync(h_cell, d_cell, sizeof(int), cudaMemcpyDeviceToHost, 0));
    ends_it(Global, implicit, launch(0, 1));
    ends_it(Global, unsupported, cudaStreamAddCallback(stream, no_callback, NULL, 0));
    keeps_it(Global, launch(other, 1), 0);
    keeps_it(Global, cudaEventCreate(&event), 0);
    keeps_it(Global, cudaStreamCreate(&created), 0);
    begin(cudaStreamCaptureModeGlobal);
    cudaError_t refused = launch(stream, 2000);
    ok(refused == cudaErrorInvalidValue || refused == cudaErrorInvalidConfiguration,
       "a launch that is refused: %d", (int)refused);
    is_invalid("a refused launch");

    keeps_it(Global, cudaEventRecord(event, stream), 0);
    begin(cudaStreamCaptureModeGlobal);
    must(cudaEventRecord(event, stream));
    gives(cudaErrorCapturedEvent, cudaEventQuery(event), "an event of the capture");
    is_invalid("cudaEventQuery");
    begin(cudaStreamCaptureModeGlobal);
    must(cudaEventRecord(event, stream));
    gives(cudaErrorCapturedEvent, cudaEventSynchronize(event), "cannot be waited for");
    is_invalid("cudaEventSynchronize");
    must(cudaEventRecord(event, other));
    ends_it(Global, cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(stream, event, 0));
    must(cudaEventDestroy(event));
    must(cudaStreamDestroy(created));
}

TEST(memory) {
    const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported;
    void *p = NULL, *h = NULL;
    ends_it(Global, unsupported, cudaMalloc(&p, 4));
    ends_it(ThreadLocal, unsupported, cudaMalloc(&p, 4));
    keeps_it(Relaxed, cudaMalloc(&p, 4), 0);
    ends_it(Global, unsupported, cudaFree(p));
    ends_it(Global, unsupported, cudaMallocHost(&h, 4));
    ends_it(Global, unsupported, cudaMallocManaged(&h, 4));
    must(cudaFree(p));
}

TEST(graphs_in_captures) {
    begin(cudaStreamCaptureModeGlobal);
    must(launch(stream, 1));
    EXEC(exec, end(1, "a kernel"));
    ends_it(Global, cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(exec, stream));
    ends_it(Global, cudaErrorStreamCaptureImplicit, cudaGraphLaunch(exec, 0));
    keeps_it(Global, cudaGraphLaunch(exec, other), 0);
    must(cudaStreamSynchronize(other));
}

static void *malloc_elsewhere(void *result) {
    void *p = NULL;
    *(cudaError_t *)result = cudaMalloc(&p, 4);
    if (p)
        must(cudaFree(p));
    return NULL;
}

static void *end_elsewhere(void *result) {
    *(cudaError_t *)result = cudaStreamEndCapture(stream, NULL);
    return NULL;
}

static cudaError_t in_another_thread(void *(*call)(void *)) {
    cudaError_t result = cudaErrorUnknown;
    pthread_t thread;
    pthread_create(&thread, NULL, call, &result);
    pthread_join(thread, NULL);
    return result;
}

TEST(threads) {
    ends_it(Global, cudaErrorStreamCaptureUnsupported, in_another_thread(malloc_elsewhere));
    begin(cudaStreamCaptureModeGlobal);
    gives(cudaErrorStreamCaptureWrongThread, in_another_thread(end_elsewhere),
          "another thread cannot end a capture");
    (void)cudaStreamEndCapture(stream, NULL);
    begin(cudaStreamCaptureModeRelaxed);
    works(in_another_thread(end_elsewhere), "unless it is relaxed");
}

__global__ void write_later(int *cell, int value, const int *from) {
    for (volatile int i = 0; i < 1000; i = i + 1)
        ;
    *cell = from ? *from + value : value;
}

// Another stream joins a capture by an event, and the first one waits for it.
TEST(other_streams) {
    EVENT(fork, cudaEventDisableTiming);
    EVENT(join, cudaEventDisableTiming);
    STREAM(third);
    must(cudaMemset(d_cell, 0, 4 * sizeof(int)));

    begin(cudaStreamCaptureModeGlobal);
    write_later<<<1, 1, 0, stream>>>(d_cell, 1, NULL);
    must(cudaEventRecord(fork, stream));
    works(cudaStreamWaitEvent(other, fork, 0), "another stream joins a capture");
    works(cudaStreamWaitEvent(third, fork, 0), "and a third");
    ok(status_of(other) == cudaStreamCaptureStatusActive, "it captures, too");
    write_later<<<1, 1, 0, other>>>(d_cell + 1, 10, d_cell);
    must(cudaEventRecord(join, other));
    must(cudaStreamWaitEvent(third, join, 0));
    write_later<<<1, 1, 0, third>>>(d_cell + 2, 100, d_cell + 1);
    must(cudaEventRecord(join, third));
    must(cudaStreamWaitEvent(stream, join, 0));
    write_later<<<1, 1, 0, stream>>>(d_cell + 3, 1000, d_cell + 2);
    cudaGraph_t graph = end(4, "four kernels of three streams");
    ok(status_of(other) == cudaStreamCaptureStatusNone, "and none of them captures any more");
    ok(device_value(3) == 0, "nothing has run");
    EXEC(exec, graph);
    must(cudaGraphLaunch(exec, stream));
    works(cudaStreamSynchronize(stream), "it runs");
    ok(device_value(1) == 11 && device_value(2) == 111 && device_value(3) == 1111, "in its order");

    begin(cudaStreamCaptureModeGlobal);
    must(cudaEventRecord(fork, stream));
    must(cudaStreamWaitEvent(other, fork, 0));
    write_later<<<1, 1, 0, other>>>(d_cell, 1, NULL);
    gives(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &graph),
          "the stream that began has to end it");
    is_invalid("after that");

    begin(cudaStreamCaptureModeGlobal);
    must(cudaEventRecord(fork, stream));
    must(cudaStreamWaitEvent(other, fork, 0));
    write_later<<<1, 1, 0, other>>>(d_cell, 1, NULL);
    gives(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph),
          "the others must have been waited for");
    ok(!graph && status_of(stream) == cudaStreamCaptureStatusNone &&
           status_of(other) == cudaStreamCaptureStatusNone,
       "there is no graph, and no capture");
    gives(cudaErrorInvalidValue, cudaStreamWaitEvent(other, fork, 0),
          "its events cannot be waited for any more");
    must(cudaEventRecord(fork, stream));
    works(cudaStreamWaitEvent(other, fork, 0), "until they are recorded again");
    works(cudaDeviceSynchronize(), "and all is well");
#ifdef __CUDACC_CPU__
    void *p;
    ends_it(Global, cudaErrorStreamCaptureUnsupported, cudaMallocAsync(&p, 4, stream));
#else
    skip("memory is given in a graph");
#endif
}

TEST(destroyed) {
    begin(cudaStreamCaptureModeGlobal);
    must(launch(stream, 1));
    works(cudaStreamDestroy(stream), "a stream is destroyed while it captures");
    works(cudaDeviceSynchronize(), "and with it the capture");
}

int main(void) {
    need_device();
    must(cudaStreamCreate(&stream));
    must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    must(cudaMalloc((void **)&d_cell, 4 * sizeof *d_cell));
    must(cudaMallocHost((void **)&h_cell, 4 * sizeof *h_cell));
    run_tests();
    must(cudaStreamDestroy(other));
    must(cudaFree(d_cell));
    must(cudaFreeHost(h_cell));
    return done_testing();
}
