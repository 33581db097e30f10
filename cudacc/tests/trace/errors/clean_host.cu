// The host and streams, in the right order
// SPDX-License-Identifier: MIT
#include "program.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

__global__ void add(int *a) { a[threadIdx.x]++; }

// ---- clean_graphs: Graphs whose edges order what must be: a diamond made by hand, launched
// twice and beside work before and after it in its stream; one that two streams have captured.
__global__ void fill(int *a, int v) { a[threadIdx.x] = v; }
__global__ void graphs_add(const int *a, const int *b, int *out) {
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
static int *d_a, *d_b, *d_out;
static cudaGraphNode_t node(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                            void *kernel, void **arguments) {
    cudaGraphNode_t made;
    cudaKernelNodeParams p = {};
    p.func = kernel;
    p.gridDim = dim3(1);
    p.blockDim = dim3(32);
    p.kernelParams = arguments;
    cudaGraphAddKernelNode(&made, graph, after, count, &p);
    return made;
}
static void launch_twice(cudaGraph_t graph, cudaStream_t s) {
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    fill<<<1, 32, 0, s>>>(d_out, 0);
    cudaGraphLaunch(exec, s);
    cudaGraphLaunch(exec, s);
    graphs_add<<<1, 32, 0, s>>>(d_a, d_out, d_b);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}
PROGRAM(clean_graphs) {
    cudaEvent_t begin, end;
    STREAM(s);
    STREAM(t);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaMalloc(&d_a, 128);
    cudaMalloc(&d_b, 128);
    cudaMalloc(&d_out, 128);

    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    int one = 1, two = 2;
    void *of_a[] = {&d_a, &one}, *of_b[] = {&d_b, &two}, *of_add[] = {&d_a, &d_b, &d_out};
    void *again[] = {&d_out, &one};
    cudaGraphNode_t first = node(graph, NULL, 0, (void *)fill, again), filled[2];
    filled[0] = node(graph, &first, 1, (void *)fill, of_a);
    filled[1] = node(graph, &first, 1, (void *)fill, of_b);
    node(graph, filled, 2, (void *)graphs_add, of_add);
    launch_twice(graph, s);

    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(d_out, 0);
    cudaEventRecord(begin, s);
    cudaStreamWaitEvent(t, begin, 0);
    fill<<<1, 32, 0, t>>>(d_b, 2);
    fill<<<1, 32, 0, s>>>(d_a, 1);
    cudaEventRecord(end, t);
    cudaStreamWaitEvent(s, end, 0);
    graphs_add<<<1, 32, 0, s>>>(d_a, d_b, d_out);
    cudaStreamEndCapture(s, &graph);
    launch_twice(graph, s);

    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_out);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

// ---- clean_host_buffers: Buffers of the host of just the size that is copied: grown by realloc
// or a vector, from a library, freed and given again, parts of a larger one.
struct pair {
    int a[8], b[8];
};
PROGRAM(clean_host_buffers) {
    free(memset(malloc(2 << 20), 1, 2 << 20)); // a large one, before the device is there
    int *h_a = (int *)malloc(8), table[4][4];
    std::vector<int> v;
    struct pair p;
    ZEROES(int, d_a, 16);
    h_a = (int *)realloc(h_a, 64);
    cudaMemcpy(h_a, d_a, 64, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; i++)
        v.push_back(i);
    cudaMemcpy(v.data(), d_a, 64, cudaMemcpyDeviceToHost);
    cudaMemcpy(v.data() + 15, d_a, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(p.a, d_a, 64, cudaMemcpyDeviceToHost); // all of p
    cudaMemcpy(table[1], d_a, 48, cudaMemcpyDeviceToHost);
    char *text = strdup("64 bytes, of which the C library knows, and nobody else does...");
    cudaMemcpy(d_a, text, 64, cudaMemcpyHostToDevice);
    free(text);
    for (int i = 1; i < 200; i++) {
        char *other = (char *)malloc(16 * i);
        cudaMemcpy(other, d_a, i < 4 ? 16 * i : 64, cudaMemcpyDeviceToHost);
        free(other);
    }
    free(h_a);
}

// ---- clean_host_function: A function of the host stands in a stream between a copy to the host
// and the next one into the same memory.
static void add_up(void *data) {
    int *h = (int *)data;
    for (int i = 0; i < 64; i++)
        h[64] += h[i];
}
__global__ void increment(int *a) { a[threadIdx.x]++; }
PROGRAM(clean_host_function) {
    STREAM(stream);
    PINNED(int, h, 65);
    ARRAY(int, d, 64);
    h[64] = 0;
    cudaMemsetAsync(d, 0, 64 * sizeof *d, stream);
    for (int k = 0; k < 3; k++) {
        increment<<<1, 64, 0, stream>>>(d);
        cudaMemcpyAsync(h, d, 64 * sizeof *d, cudaMemcpyDeviceToHost, stream);
        cudaLaunchHostFunc(stream, add_up, h);
    }
    cudaStreamSynchronize(stream);
    int right = h[64] == 64 * (1 + 2 + 3);
    exit_code = !right;
}

// ---- clean_registered: Host memory is registered, used and freed in each right order; what is
// not registered is freed while other memory is in use
static int *zeroes(int n) { return (int *)calloc(n, sizeof(int)); }
/* Waits by a stream, an event, the device; a second time with the same memory, by parts. */
static int in_turns(cudaStream_t stream, cudaEvent_t event, int *d_a) {
    int *h_a = zeroes(2048), *other = zeroes(2048);
    cudaHostRegister(h_a, 4096, cudaHostRegisterDefault);
    add<<<1, 32, 0, stream>>>(h_a);
    free(other);
    cudaStreamSynchronize(stream);
    cudaHostUnregister(h_a);
    cudaHostRegister(h_a, 2048, cudaHostRegisterDefault);
    cudaHostRegister(h_a + 1024, 4096, cudaHostRegisterMapped);
    add<<<1, 32, 0, stream>>>(h_a);
    cudaMemcpyAsync(h_a + 1024, d_a, 4096, cudaMemcpyDeviceToHost, stream);
    cudaEventRecord(event, stream);
    add<<<1, 32, 0, stream>>>(d_a);
    cudaEventSynchronize(event);
    cudaHostUnregister(h_a);
    cudaHostUnregister(h_a + 1024);
    int first = h_a[0];
    h_a = (int *)realloc(h_a, 1 << 16);
    free(h_a);
    return first;
}
/* One stream waits for the other by an event; the host waits for the second. */
static int of_two_streams(cudaStream_t one, cudaStream_t two, cudaEvent_t event) {
    std::vector<int> v(1000, 1);
    cudaHostRegister(v.data(), 4000, cudaHostRegisterDefault);
    add<<<1, 32, 0, one>>>(v.data());
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(two, event, 0);
    add<<<1, 32, 0, two>>>(v.data());
    cudaStreamSynchronize(two);
    cudaHostUnregister(v.data());
    return v[0];
}
static int of_pages(cudaStream_t stream, int *d_a) {
    void *p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cudaHostRegister(p, 1 << 16, cudaHostRegisterDefault);
    cudaMemcpyAsync(p, d_a, 4096, cudaMemcpyDeviceToHost, stream);
    cudaDeviceSynchronize();
    int first = *(int *)p;
    cudaHostUnregister(p);
    munmap(p, 1 << 16);
    return first;
}
/* cudaFreeHost waits by itself; what a copy from pageable memory needs it has when it returns. */
static void by_calls_that_wait(cudaStream_t stream, int *d_a) {
    int *h_a, *pageable = zeroes(1024);
    cudaMallocHost(&h_a, 4096);
    cudaMemcpyAsync(h_a, d_a, 4096, cudaMemcpyDeviceToHost, stream);
    cudaFreeHost(h_a);
    cudaMemcpyAsync(d_a, pageable, 4096, cudaMemcpyHostToDevice, stream);
    free(pageable);
}
PROGRAM(clean_registered) {
    cudaEvent_t event;
    int *d_a;
    STREAM(one);
    STREAM(two);
    cudaEventCreate(&event);
    cudaMalloc(&d_a, 4096);
    cudaMemset(d_a, 0, 4096);
    cudaDeviceSynchronize();
    int sum = in_turns(one, event, d_a) + of_two_streams(one, two, event) + of_pages(one, d_a);
    by_calls_that_wait(one, d_a);
    cudaDeviceSynchronize();
    cudaFree(d_a);
    cudaEventDestroy(event);
    exit_code = sum != 2 + 3 + 1;
}

// ---- clean_stream_memory: Memory in the order of streams: used and freed in its own one; in
// another that waits for an event; after the host has waited; in stream 0.
__global__ void stream_memory_fill(int *p) { p[threadIdx.x] = 1; }
PROGRAM(clean_stream_memory) {
    int *d_a, *d_b, *d_c, *d_d;
    cudaEvent_t given;
    NON_BLOCKING_STREAM(one);
    STREAM(two);
    cudaEventCreate(&given);

    cudaMallocAsync(&d_a, 128, one);
    stream_memory_fill<<<1, 32, 0, one>>>(d_a);
    cudaFreeAsync(d_a, one);

    cudaMallocAsync(&d_b, 128, one);
    cudaEventRecord(given, one);
    cudaStreamWaitEvent(two, given, 0);
    stream_memory_fill<<<1, 32, 0, two>>>(d_b);
    cudaFreeAsync(d_b, two);

    cudaMallocAsync(&d_c, 128, one);
    cudaStreamSynchronize(one);
    stream_memory_fill<<<1, 32, 0, two>>>(d_c);
    cudaStreamSynchronize(two);
    cudaFree(d_c);

    cudaMallocAsync(&d_d, 128, 0);
    stream_memory_fill<<<1, 32, 0, two>>>(d_d);
    cudaFreeAsync(d_d, 0);
    cudaDeviceSynchronize();
    cudaEventDestroy(given);
}

// ---- clean_streams: Two streams at work in two halves of one array, and a third that waits for
// both; memory that is allocated and freed in stream order.
__global__ void streams_fill(int *a, int value) {
    a[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void streams_add(const int *a, const int *b, int *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
PROGRAM(clean_streams) {
    int *d_a, *d_c, *d_temporary, h_c[1024];
    cudaStream_t stream[3];
    cudaEvent_t done[2];
    for (int i = 0; i < 3; i++)
        cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
    cudaMalloc(&d_a, 2048 * sizeof(int));
    cudaMalloc(&d_c, 1024 * sizeof(int));
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 2; i++) {
            cudaEventCreate(&done[i]);
            streams_fill<<<8, 128, 0, stream[i]>>>(d_a + 1024 * i, i + round);
            cudaEventRecord(done[i], stream[i]);
            cudaStreamWaitEvent(stream[2], done[i], 0);
            cudaEventDestroy(done[i]);
        }
        cudaMallocAsync(&d_temporary, 1024 * sizeof(int), stream[2]);
        streams_add<<<8, 128, 0, stream[2]>>>(d_a, d_a + 1024, d_temporary);
        cudaMemcpyAsync(d_c, d_temporary, 1024 * sizeof(int), cudaMemcpyDeviceToDevice, stream[2]);
        cudaFreeAsync(d_temporary, stream[2]);
        cudaDeviceSynchronize();
    }
    cudaMemcpy(h_c, d_c, sizeof h_c, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_c);
    for (int i = 0; i < 3; i++)
        cudaStreamDestroy(stream[i]);
    exit_code = h_c[1000] != 9;
}

// ---- clean_streams_ordered: Each way to order work in two streams and of the host, and what
// needs none: different bytes of one line, reading by both, atomics by both.
__global__ void sum(const int *a, int *out) { atomicAdd(out, a[threadIdx.x]); }
__global__ void odd(int *a, int first) { a[2 * threadIdx.x + first] = 1; }
/* The host tells it to go on, and it tells the host. */
__global__ void talk(volatile int *flag, int *a) {
    while (flag[0] == 0)
        ;
    a[0]++;
    __threadfence_system();
    flag[1] = 1;
}
static volatile int go_on;
static int from_host;
static void CUDART_CB wait_for_host(void *unused) {
    (void)unused;
    while (!go_on)
        usleep(1000);
}
static void CUDART_CB change(void *h) { *(int *)h += 1; }
static volatile int reached;
static void CUDART_CB tell_host(void *unused) { // which goes on before this has ended
    (void)unused;
    reached = 1;
    usleep(1000);
}
static cudaStream_t s, t;
static int *streams_ordered_d_a, *d_sum, *m_a, *h_a;
static cudaEvent_t done;
static void by_events(void) {
    for (int round = 0; round < 3; round++) {
        add<<<1, 32, 0, s>>>(streams_ordered_d_a);
        cudaEventRecord(done, s);
        cudaStreamWaitEvent(t, done, 0);
        add<<<1, 32, 0, t>>>(streams_ordered_d_a);
        cudaEventRecord(done, t);
        cudaStreamWaitEvent(s, done, 0);
    }
    cudaMemcpyAsync(h_a, streams_ordered_d_a, 128, cudaMemcpyDeviceToHost, s);
    cudaEventRecord(done, s);
    while (cudaEventQuery(done) == cudaErrorNotReady)
        ;
    h_a[0] = h_a[1];
}
/* Stream 0 waits for s, and s for stream 0; t for neither. */
static void by_stream_0(void) {
    add<<<1, 32, 0, s>>>(streams_ordered_d_a);
    add<<<1, 32>>>(streams_ordered_d_a);
    add<<<1, 32, 0, s>>>(streams_ordered_d_a);
    cudaMemcpy(h_a, streams_ordered_d_a, 128, cudaMemcpyDeviceToHost);
    add<<<1, 32, 0, t>>>(streams_ordered_d_a);
    cudaStreamSynchronize(t);
    cudaMemset(streams_ordered_d_a, 0, 128);
    cudaStreamSynchronize(0);
}
static void by_the_host(void) {
    add<<<1, 32, 0, s>>>(streams_ordered_d_a);
    cudaStreamSynchronize(s);
    add<<<1, 32, 0, t>>>(streams_ordered_d_a);
    while (cudaStreamQuery(t) == cudaErrorNotReady)
        ;
    add<<<1, 32, 0, s>>>(streams_ordered_d_a);
    cudaEventRecord(done, s);
    cudaEventSynchronize(done);
    add<<<1, 32, 0, t>>>(streams_ordered_d_a);
    cudaDeviceSynchronize();
}
static void without_need(void) {
    odd<<<1, 16, 0, s>>>(streams_ordered_d_a, 0);
    odd<<<1, 16, 0, t>>>(streams_ordered_d_a, 1);
    cudaDeviceSynchronize();
    sum<<<1, 32, 0, s>>>(streams_ordered_d_a, d_sum);
    sum<<<1, 32, 0, t>>>(streams_ordered_d_a, d_sum);
    odd<<<1, 16, 0, s>>>(m_a, 0);
    m_a[1] = 5; // the host and the kernel: different elements
    memset(m_a + 32, 0, 128);
    cudaDeviceSynchronize();
}
/* Functions of the host in a stream, and variables by which they and the host tell each other. */
static void by_functions(void) {
    go_on = 0;
    cudaLaunchHostFunc(s, wait_for_host, NULL);
    add<<<1, 32, 0, s>>>(m_a);
    m_a[0] = 3; // before it lets the stream go on
    go_on = 1;
    cudaLaunchHostFunc(s, change, &from_host);
    cudaStreamSynchronize(s);
    cudaMemcpyAsync(streams_ordered_d_a, h_a, 128, cudaMemcpyHostToDevice, s);
    cudaLaunchHostFunc(s, change, h_a);
    cudaMemcpyAsync(streams_ordered_d_a, h_a, 128, cudaMemcpyHostToDevice, s);
    cudaLaunchHostFunc(s, tell_host, NULL);
    while (!reached)
        usleep(100);
    h_a[0]++;
    cudaStreamSynchronize(s);
}
static void by_flags(void) {
    volatile int *flag = h_a;
    flag[0] = flag[1] = 0;
    cudaDeviceSynchronize();
    talk<<<1, 1, 0, t>>>(flag, m_a);
    m_a[0] = 7;
    flag[0] = 1;
    while (!flag[1])
        usleep(1000);
    m_a[0]++;
    cudaDeviceSynchronize();
}
/* A stream that is gone: stream 0 still comes after it. */
static void by_destroying(void) {
    cudaStream_t u;
    cudaStreamCreate(&u);
    add<<<1, 32, 0, u>>>(streams_ordered_d_a);
    cudaStreamDestroy(u);
    add<<<1, 32>>>(streams_ordered_d_a);
    cudaDeviceSynchronize();
}
PROGRAM(clean_streams_ordered) {
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&done);
    cudaMalloc(&streams_ordered_d_a, 128);
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMallocManaged(&m_a, 256);
    cudaMallocHost(&h_a, 128);
    cudaMemset(streams_ordered_d_a, 0, 128);
    cudaMemset(d_sum, 0, sizeof *d_sum);
    cudaDeviceSynchronize();
    memset(m_a, 0, 256);
    by_events();
    by_stream_0();
    by_the_host();
    without_need();
    by_functions();
    by_flags();
    by_destroying();
    cudaEventDestroy(done);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(streams_ordered_d_a);
    cudaFree(d_sum);
    cudaFree(m_a);
    exit_code = cudaFreeHost(h_a) != cudaSuccess;
}

// ---- clean_own_names: A function of the program has a name like CUDA's and returns nothing; what
// a kernel's parameter points to is volatile.
static void cudaCheckError(const char *what) {
    if (cudaGetLastError() != cudaSuccess)
        puts(what);
}
__global__ void own_names_add(volatile float4 *v, float *out) {
    out[threadIdx.x] = v[threadIdx.x].x + v[threadIdx.x].w;
}
PROGRAM(clean_own_names) {
    ZEROES(float4, d_v, 32);
    ARRAY(float, d_out, 32);
    own_names_add<<<1, 32>>>(d_v, d_out);
    cudaCheckError("own_names_add");
    cudaDeviceSynchronize();
}
