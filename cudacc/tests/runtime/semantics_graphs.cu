// SPDX-License-Identifier: MIT
// Graphs, captured by a stream or made node by node: what is recorded, how it is launched, which
// calls a capture does not survive. The codes are those of an H200 with CUDA 13.0. The same file
// passes on a GPU and on the CPU device.
#include "../../../tests/lib/device.h"
#include <string.h>
#include <thread>

static cudaStream_t stream, other; // blocking; non-blocking
static int *d_cell, *h_cell;       // a few of each; pinned
static volatile int *gate;
static const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported,
                         implicit = cudaErrorStreamCaptureImplicit;
#define illegal(call, ...) gives(cudaErrorIllegalState, call, __VA_ARGS__)

__global__ void add(int *cell, int value) { *cell += value; }
__global__ void double_it(int *cell) { *cell *= 2; }

static int device_value(int i) { return value_at(d_cell + i); }

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

static int result_of(cudaGraphExec_t exec) {
    must(cudaGraphLaunch(exec, stream));
    must(cudaStreamSynchronize(stream));
    return device_value(0);
}

static void gives_result(int expected, cudaGraphExec_t exec, const char *what) {
    int result = result_of(exec);
    ok(result == expected, "%s: %d", what, result);
}

// ---- What is recorded, and what a launch does ----

TEST(launches) {
    must(cudaMemset(d_cell, 0, 4 * sizeof *d_cell));
    h_cell[0] = h_cell[1] = 0;
    begin(cudaStreamCaptureModeGlobal);
    int value = 3;
    add<<<1, 1, 0, stream>>>(d_cell, value);
    value = 100;
    double_it<<<1, 1, 0, stream>>>(d_cell);
    must(cudaMemcpyAsync(h_cell, d_cell, sizeof *h_cell, TO_HOST, stream));
    must(cudaMemsetAsync(d_cell + 1, 1, sizeof *d_cell, stream));
    must(cudaMemcpyAsync(d_cell + 2, h_cell + 1, sizeof *d_cell, TO_DEVICE, stream));
    cudaGraph_t graph = end(5, "two kernels, two copies, a memset");
    ok(device_value(0) == 0 && device_value(1) == 0, "while it is captured nothing runs");
    cudaGraphExec_t exec = made_of(graph);
    h_cell[1] = 7;
    works(cudaGraphLaunch(exec, stream), "a launch, after the graph itself is gone");
    works(cudaStreamSynchronize(stream), "runs");
    ok(device_value(0) == 6 && h_cell[0] == 6, "in their order, with the arguments of the capture");
    ok(device_value(1) == 0x01010101 && device_value(2) == 7, "and the memory of the launch");
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
    works(cudaMemcpyAsync(d_cell, &numbers[0], 4, TO_DEVICE, stream), "a copy is captured");
    works(cudaMemcpyAsync(&numbers[1], d_cell, 4, TO_HOST, stream), "one back, too");
    EXEC(exec, end(2, "both"));
    numbers[0] = 5;
    result_of(exec);
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
        result_of(exec);
    ok(calls == 3, "but at each launch: %d", calls);
}

// A graph is one operation of its stream: it waits for those before, and the host does not.
TEST(in_its_stream) {
    float ms = -1;
    EVENT(before);
    EVENT(after);
    must(cudaMemset(d_cell, 0, sizeof *d_cell));
    begin(cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 100; i++)
        add<<<1, 1, 0, stream>>>(d_cell, 1);
    EXEC(exec, end(100, "a hundred kernels"));
    result_of(exec);
    close_gate(gate, stream);
    must(cudaEventRecord(before, stream));
    must(cudaGraphLaunch(exec, stream));
    must(cudaEventRecord(after, stream));
    gives(cudaErrorNotReady, cudaEventQuery(after), "the host does not wait for a graph");
    ok(open_gate(gate), "which waits for its stream");
    works(cudaEventSynchronize(after), "an event after it is reached");
    works(cudaEventElapsedTime(&ms, before, after), "and one before it: %g ms", ms);
    ok(device_value(0) == 200, "with all kernels between them");
}

// Two launches of one graph never run at a time, whatever their streams.
TEST(in_two_streams) {
    volatile int *seen = h_cell;
    must(cudaMemset(d_cell, 0, sizeof *d_cell));
    must(cudaDeviceSynchronize());
    begin(cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, stream>>>(d_cell, 1);
    must(cudaMemcpyAsync(h_cell, d_cell, sizeof *h_cell, TO_HOST, stream));
    EXEC(exec, end(2, "a kernel and a copy"));
    result_of(exec);
    close_gate(gate, other);
    must(cudaGraphLaunch(exec, other));
    must(cudaGraphLaunch(exec, stream));
    for (int ms = 0; ms < 50 && *seen == 1; ms++)
        sleep_ms(1);
    int early = *seen;
    ok(open_gate(gate) && early == 1, "a launch waits for the one before: %d", early);
    must(cudaDeviceSynchronize());
    ok(*seen == 3, "then both have run");
}

TEST(empty) {
    begin(cudaStreamCaptureModeRelaxed);
    EXEC(exec, end(0, "nothing"));
    works(cudaGraphLaunch(exec, stream), "is launched, too");
    must(cudaStreamSynchronize(stream));
}

// ---- Node by node ----

static cudaKernelNodeParams one_thread(void *kernel, void **arguments) {
    cudaKernelNodeParams p = {};
    p.func = kernel;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    return p;
}

static cudaGraphNode_t kernel_node(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                   void *kernel, void **arguments) {
    cudaGraphNode_t node = NULL;
    cudaKernelNodeParams p = one_thread(kernel, arguments);
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

// memset 0, then + 3, then * 2; added in another order
TEST(nodes) {
    int calls = 0, value = 3, other_value = 10;
    void *arguments[] = {&d_cell, &value}, *changed[] = {&d_cell, &other_value};
    cudaGraph_t graph, clone;
    works(cudaGraphCreate(&graph, 0), "cudaGraphCreate");
    cudaGraphNode_t twice = kernel_node(graph, NULL, 0, (void *)double_it, arguments);
    cudaGraphNode_t plus = kernel_node(graph, NULL, 0, (void *)add, arguments);
    value = 99;
    cudaGraphNode_t zero, copied, called, none, last, all[9];
    struct cudaMemsetParams set = {};
    set.dst = d_cell, set.value = 5, set.elementSize = 4, set.width = set.height = 1;
    works(cudaGraphAddMemsetNode(&zero, graph, NULL, 0, &set), "cudaGraphAddMemsetNode");
    depend(graph, zero, plus);
    depend(graph, plus, twice);
    works(cudaGraphAddMemcpyNode1D(&copied, graph, &twice, 1, h_cell, d_cell, 4, TO_HOST), "1D");
    struct cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(h_cell, sizeof(int), sizeof(int), 1);
    copy.dstPtr = make_cudaPitchedPtr(h_cell + 1, sizeof(int), sizeof(int), 1);
    copy.extent = make_cudaExtent(sizeof(int), 1, 1);
    copy.kind = cudaMemcpyHostToHost;
    works(cudaGraphAddEmptyNode(&none, graph, &copied, 1), "cudaGraphAddEmptyNode");
    struct cudaHostNodeParams host = {count_calls, &calls};
    works(cudaGraphAddHostNode(&called, graph, &none, 1, &host), "cudaGraphAddHostNode");
    works(cudaGraphAddMemcpyNode(&last, graph, &none, 1, &copy), "cudaGraphAddMemcpyNode");
    size_t count = 9;
    must(cudaGraphGetNodes(graph, all, &count));
    ok(count == 7, "seven nodes: %zu", count);
    const cudaGraphNode_t nodes[] = {plus, twice, last, zero, called, none};
    const char of[] = {0, 0, 1, 2, 3, 5}; // kernels, memcpy, memset, host, empty
    for (int i = 0; i < 6; i++) {
        cudaGraphNodeType type = (cudaGraphNodeType)9;
        must(cudaGraphNodeGetType(nodes[i], &type));
        ok(type == of[i], "type %d: %d", of[i], type);
    }
    cudaGraphExec_t exec, second;
    works(cudaGraphClone(&clone, graph), "cudaGraphClone");
    must(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    must(cudaGraphInstantiate(&second, clone, NULL, NULL, 0));
    h_cell[0] = h_cell[1] = -1;
    gives_result(16, exec, "in the order of the dependencies, with the arguments of their time");
    ok(h_cell[0] == 16 && h_cell[1] == 16 && calls == 1, "copies and a function of the host");
    cudaKernelNodeParams p = one_thread((void *)add, changed);
    works(cudaGraphExecKernelNodeSetParams(exec, plus, &p), "cudaGraphExecKernelNodeSetParams");
    gives_result(30, exec, "changes what is launched");
    gives_result(16, second, "and no other graph");
    works(cudaGraphKernelNodeSetParams(plus, &p), "cudaGraphKernelNodeSetParams");
#if CUDART_VERSION >= 12000
    cudaGraphExec_t third;
    cudaGraphExecUpdateResultInfo info;
    must(cudaGraphInstantiate(&third, clone, 0));
    gives_result(16, third, "a clone keeps what it had");
    must(cudaGraphExecDestroy(third));
    must(cudaGraphInstantiate(&third, graph, 0));
    other_value = 20;
    works(cudaGraphKernelNodeSetParams(plus, &p), "new arguments");
    works(cudaGraphExecUpdate(third, graph, &info), "cudaGraphExecUpdate");
    ok(info.result == cudaGraphExecUpdateSuccess, "says that it has worked");
    gives_result(50, third, "takes them over");
    kernel_node(graph, &called, 1, (void *)double_it, arguments);
    gives(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(third, graph, &info),
          "not a graph with one node more");
    ok(info.result == cudaGraphExecUpdateErrorTopologyChanged, "which is another topology");
    must(cudaGraphExecDestroy(third));
#endif
    must(cudaGraphExecDestroy(second));
    works(cudaGraphGetRootNodes(clone, NULL, &count), "cudaGraphGetRootNodes");
    works(cudaGraphGetRootNodes(clone, all, &count), "one has none before it");
    ok(count == 1, "it alone: %zu", count);
    works(cudaGraphDestroyNode(all[0]), "cudaGraphDestroyNode");
    must(cudaMemset(d_cell, 0, sizeof *d_cell));
    must(cudaGraphInstantiate(&second, clone, NULL, NULL, 0));
    gives_result(6, second, "the rest keeps its order");
    must(cudaGraphExecDestroy(second));
    must(cudaGraphGetRootNodes(clone, NULL, &count));
    ok(count == 1, "the next one is now the first: %zu", count);
    must(cudaGraphGetNodes(clone, NULL, &count));
    ok(count == 6, "of six: %zu", count);
    depend(graph, twice, zero);
    fails(cudaGraphInstantiate(&second, graph, NULL, NULL, 0), "a cycle cannot be launched");
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(cudaGraphDestroy(clone));
}

// ---- Questions, and wrong arguments ----

static const cudaStreamCaptureStatus idle = cudaStreamCaptureStatusNone,
                                     active = cudaStreamCaptureStatusActive;

static cudaStreamCaptureStatus status_of(cudaStream_t s) {
    cudaStreamCaptureStatus status = (cudaStreamCaptureStatus)99;
    must(cudaStreamIsCapturing(s, &status));
    return status;
}

TEST(wrong_arguments) {
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    cudaStreamCaptureStatus status;
    invalid(cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)7), "no such mode");
    gives(unsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed), "not in stream 0");
    illegal(cudaStreamEndCapture(stream, &graph), "an end without a beginning");
    illegal(cudaStreamEndCapture(0, &graph), "in the legacy stream, too");
    invalid(cudaStreamIsCapturing(stream, NULL), "no place for the answer");
    invalid(cudaGraphInstantiate(&exec, NULL, NULL, NULL, 0), "no graph");
    invalid(cudaGraphLaunch(NULL, stream), "nothing to launch");
    invalid(cudaGraphDestroy(NULL), "nothing to destroy");
    invalid(cudaGraphExecDestroy(NULL), "nor here");

    ok(status_of(stream) == idle, "a stream does not capture");
    begin(cudaStreamCaptureModeGlobal);
    ok(status_of(stream) == active, "now it does");
    ok(status_of(other) == idle, "another does not");
    gives(implicit, cudaStreamIsCapturing(0, &status), "the legacy stream cannot tell");
    illegal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "it cannot begin twice");
    illegal(cudaStreamEndCapture(other, &graph), "nor end in another stream");
    ok(status_of(stream) == active, "none of this does harm");
    graph = end(0, "a capture");
    works(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0), "cudaGraphInstantiate");
    works(cudaGraphUpload(exec, 0), "cudaGraphUpload");
    must(cudaGraphExecDestroy(exec));
    works(cudaGraphInstantiateWithFlags(&exec, graph, 0), "cudaGraphInstantiateWithFlags");
    must(cudaGraphExecDestroy(exec));
    invalid(cudaGraphInstantiateWithFlags(NULL, graph, 0), "no place for it");
#if CUDART_VERSION >= 12000
    works(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate with flags");
    must(cudaGraphExecDestroy(exec));
#endif
    works(cudaGraphDestroy(graph), "cudaGraphDestroy");
    begin(cudaStreamCaptureModeGlobal);
    works(cudaStreamEndCapture(stream, NULL), "a graph that is not wanted");
    ok(status_of(stream) == idle, "ends its capture all the same");
}

// ---- What a capture does not survive ----

static void is_invalid(const char *what) {
    cudaGraph_t graph = (cudaGraph_t)&graph;
    ok(status_of(stream) == cudaStreamCaptureStatusInvalidated, "%s: the capture is invalid", what);
    gives(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph), "its end too");
    ok(!graph && status_of(stream) == idle, "and there is no graph");
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

static cudaError_t once_recorded(cudaEvent_t event, cudaError_t (*call)(cudaEvent_t)) {
    must(cudaEventRecord(event, stream));
    return call(event);
}

static void CUDART_CB no_callback(cudaStream_t, cudaError_t, void *) {}

TEST(waits) {
    EVENT(event);
    cudaStream_t created;
    ends_it(Global, unsupported, cudaStreamSynchronize(stream));
    ends_it(Global, unsupported, cudaStreamQuery(stream));
    ends_it(Global, unsupported, cudaStreamSynchronize(other));
    ends_it(Global, unsupported, cudaStreamQuery(other));
    ends_it(Global, unsupported, cudaDeviceSynchronize());
    ends_it(Global, implicit, cudaStreamSynchronize(0));
    ends_it(Global, implicit, cudaMemcpy(h_cell, d_cell, sizeof(int), TO_HOST));
    ends_it(Global, implicit, cudaMemset(d_cell, 0, sizeof(int)));
    ends_it(Global, implicit, cudaMemcpyAsync(h_cell, d_cell, sizeof(int), TO_HOST, 0));
    ends_it(Global, implicit, launch(0, 1));
    ends_it(Global, unsupported, cudaStreamAddCallback(stream, no_callback, NULL, 0));
    keeps_it(Global, launch(other, 1), 0);
    keeps_it(Global, cudaEventCreate(&event), 0);
    keeps_it(Global, cudaStreamCreate(&created), 0);
    ends_it(Global, no_shape, launch(stream, 2000));
    keeps_it(Global, cudaEventRecord(event, stream), 0);
    ends_it(Global, cudaErrorCapturedEvent, once_recorded(event, cudaEventQuery));
    ends_it(Global, cudaErrorCapturedEvent, once_recorded(event, cudaEventSynchronize));
    must(cudaEventRecord(event, other));
    ends_it(Global, cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(stream, event, 0));
    must(cudaStreamDestroy(created));
}

TEST(memory) {
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
    ends_it(Global, unsupported, cudaGraphLaunch(exec, stream));
    ends_it(Global, implicit, cudaGraphLaunch(exec, 0));
    keeps_it(Global, cudaGraphLaunch(exec, other), 0);
    must(cudaStreamSynchronize(other));
}

template <class Call> static cudaError_t in_another_thread(Call call) {
    cudaError_t result = cudaErrorUnknown;
    std::thread([&] { result = call(); }).join();
    return result;
}

TEST(threads) {
    void *p = NULL;
    auto end_it = [] { return cudaStreamEndCapture(stream, NULL); };
    ends_it(Global, unsupported, in_another_thread([&] { return cudaMalloc(&p, 4); }));
    must(cudaFree(p));
    begin(cudaStreamCaptureModeGlobal);
    gives(cudaErrorStreamCaptureWrongThread, in_another_thread(end_it), "no other thread ends it");
    (void)cudaStreamEndCapture(stream, NULL);
    begin(cudaStreamCaptureModeRelaxed);
    works(in_another_thread(end_it), "unless it is relaxed");
}

__global__ void write_later(int *cell, int value, const int *from) {
    for (volatile int i = 0; i < 1000; i = i + 1)
        ;
    *cell = from ? *from + value : value;
}

// The other stream joins a capture that begins here, and works in it.
static void fork_to_other(cudaEvent_t fork) {
    begin(cudaStreamCaptureModeGlobal);
    must(cudaEventRecord(fork, stream));
    must(cudaStreamWaitEvent(other, fork, 0));
    write_later<<<1, 1, 0, other>>>(d_cell, 1, NULL);
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
    ok(status_of(other) == active, "it captures, too");
    write_later<<<1, 1, 0, other>>>(d_cell + 1, 10, d_cell);
    must(cudaEventRecord(join, other));
    must(cudaStreamWaitEvent(third, join, 0));
    write_later<<<1, 1, 0, third>>>(d_cell + 2, 100, d_cell + 1);
    must(cudaEventRecord(join, third));
    must(cudaStreamWaitEvent(stream, join, 0));
    write_later<<<1, 1, 0, stream>>>(d_cell + 3, 1000, d_cell + 2);
    cudaGraph_t graph = end(4, "four kernels of three streams");
    ok(status_of(other) == idle, "and none of them captures any more");
    ok(device_value(3) == 0, "nothing has run");
    EXEC(exec, graph);
    must(cudaGraphLaunch(exec, stream));
    works(cudaStreamSynchronize(stream), "it runs");
    ok(device_value(1) == 11 && device_value(2) == 111 && device_value(3) == 1111, "in its order");

    fork_to_other(fork);
    gives(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &graph),
          "the stream that began has to end it");
    is_invalid("after that");

    fork_to_other(fork);
    gives(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph),
          "the others must have been waited for");
    ok(!graph && status_of(stream) == idle && status_of(other) == idle, "there is no graph");
    invalid(cudaStreamWaitEvent(other, fork, 0), "its events cannot be waited for any more");
    must(cudaEventRecord(fork, stream));
    works(cudaStreamWaitEvent(other, fork, 0), "until they are recorded again");
    works(cudaDeviceSynchronize(), "and all is well");
#ifdef __CUDACC_CPU__
    void *p;
    ends_it(Global, unsupported, cudaMallocAsync(&p, 4, stream));
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
    gate = create_gate();
    must(cudaStreamCreate(&stream));
    must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    must(cudaMalloc((void **)&d_cell, 4 * sizeof *d_cell));
    must(cudaMallocHost((void **)&h_cell, 4 * sizeof *h_cell));
    return run_tests();
}
