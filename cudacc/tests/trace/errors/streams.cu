// The host and streams do not wait for each other
// SPDX-License-Identifier: MIT
#include "program.h"
#include <algorithm>
#include <stdio.h>
#include <string.h>

// ---- copy_too_early: The host looks at the result of a copy without waiting for it.
// EXPECT: data race: load of 4 bytes at copy_too_early.cu:13, by the host, and cudaMemcpyAsync at copy_too_early.cu:12
// EXPECT: h_a, 256 bytes, allocated at copy_too_early.cu:9; the host has not waited for it: synchronize with its stream between the two
// EXPECT: data race: store of 4 bytes at copy_too_early.cu:17, by the host, and cudaMemcpyAsync at copy_too_early.cu:16
PROGRAM(copy_too_early, ANY_RESULT) {
    int seen;
    STREAM(stream);
    ARRAY(int, d_a, 64);
    PINNED(int, h_a, 64);
    cudaMemset(d_a, 1, 64 * sizeof *d_a);
    h_a[0] = 0;
    cudaMemcpyAsync(h_a, d_a, 256, cudaMemcpyDeviceToHost, stream); // ERROR data race
    seen = h_a[0];                                                  // ERROR data race
    cudaStreamSynchronize(stream);
    seen |= h_a[0];
    cudaMemcpyAsync(d_a, h_a, 128, cudaMemcpyHostToDevice, stream); // ERROR data race
    h_a[31] = 5;                                                    // ERROR data race
    h_a[32] = h_a[1];                                               // neither is
    cudaStreamSynchronize(stream);
    exit_code = seen != 0x01010101;
}

// ---- given_in_another_stream: Memory is allocated in the order of one stream and used in
// another, which does not wait.
// EXPECT: cudaMallocAsync at given_in_another_stream.cu:10
// EXPECT: d_a, 128 bytes, allocated at given_in_another_stream.cu:10; in two streams, and nothing orders them
__global__ void fill(int *p) { p[threadIdx.x] = 1; } // ERROR data race
PROGRAM(given_in_another_stream, ANY_RESULT) {
    int *d_a;
    STREAM(one);
    STREAM(two);
    cudaMallocAsync(&d_a, 128, one); // ERROR data race
    fill<<<1, 32, 0, two>>>(d_a);
    cudaDeviceSynchronize();
    cudaFreeAsync(d_a, one);
}

// ---- graph_no_edge: A graph of two kernels, of which the second one reads what the first one
// writes; no edge says so.
// EXPECT: d_a, 128 bytes, allocated at graph_no_edge.cu:10; in one graph, and no edge leads from one to the other
__global__ void fill_node(int *a) { a[threadIdx.x] = 1; } // ERROR data race
__global__ void twice(const int *a, int *out) {
    out[threadIdx.x] = 2 * a[threadIdx.x]; // ERROR data race
}
PROGRAM(graph_no_edge, ANY_RESULT) {
    STREAM(s);
    ZEROES(int, d_a, 32);
    ARRAY(int, d_out, 32);
    cudaGraph_t graph;
    cudaGraphNode_t first, second;
    cudaGraphExec_t exec;
    cudaGraphCreate(&graph, 0);
    cudaKernelNodeParams p = {};
    void *of_fill[] = {&d_a}, *of_twice[] = {&d_a, &d_out};
    p.func = (void *)fill_node;
    p.gridDim = dim3(1);
    p.blockDim = dim3(32);
    p.kernelParams = of_fill;
    cudaGraphAddKernelNode(&first, graph, NULL, 0, &p);
    p.func = (void *)twice;
    p.kernelParams = of_twice;
    cudaGraphAddKernelNode(&second, graph, NULL, 0, &p);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

// ---- library_too_early: The host changes the source of a copy without waiting for it, by
// functions of the library
// EXPECT: data race: store of 64 bytes at library_too_early.cu:11, by the host, and cudaMemcpyAsync at library_too_early.cu:10
PROGRAM(library_too_early, ANY_RESULT) {
    int values[64] = {0};
    STREAM(stream);
    ARRAY(int, d_a, 64);
    PINNED(int, h_a, 64);
    memset(h_a, 1, 256);
    cudaMemcpyAsync(d_a, h_a, 256, cudaMemcpyHostToDevice, stream); // ERROR data race
    memset(h_a, 0, 64);                                             // ERROR data race
    memcpy(h_a, values, 64);                                        // ERROR data race
    std::copy(values, values + 64, h_a);                            // ERROR data race
    memcpy(values, h_a, sizeof values);                             // reads, as the copy does
    cudaStreamSynchronize(stream);
    exit_code = values[0];
}

// ---- streams_unordered: Work in two streams on one array, and nothing orders the two
// EXPECT: data race: store of 4 bytes at streams_unordered.cu:9 in kernel add and store of 4 bytes at streams_unordered.cu:9 in kernel add
// EXPECT: d_a, 256 bytes, allocated at streams_unordered.cu:18; in two streams, and nothing orders them: an event that one records and the other waits for, or a synchronize, must lie between
// EXPECT: data race: load of 4 bytes at streams_unordered.cu:13 in kernel sum and cudaMemcpyAsync at streams_unordered.cu:30
// EXPECT: data race: store of 4 bytes at streams_unordered.cu:11 in kernel fill_value and cudaMemcpy at streams_unordered.cu:36
// EXPECT: data race: store of 4 bytes at streams_unordered.cu:11 in kernel fill_value and load of 4 bytes at streams_unordered.cu:13 in kernel sum
// EXPECT: data race: cudaMemsetAsync at streams_unordered.cu:40 and cudaMemcpyAsync at streams_unordered.cu:41
__global__ void add(int *a) {
    a[threadIdx.x]++; // ERROR data race
}
__global__ void fill_value(int *a, int n) { a[threadIdx.x] = n; } // ERROR data race
__global__ void sum(const int *a, int *out) {
    atomicAdd(out, a[threadIdx.x]); // ERROR data race
}
PROGRAM(streams_unordered, ANY_RESULT) {
    STREAM(s);
    NON_BLOCKING_STREAM(t);
    ZEROES(int, d_a, 64);
    ZEROES(int, d_b, 64);
    ZEROES(int, d_sum, 1);
    PINNED(int, h_a, 64);
    for (int i = 0; i < 64; i++)
        h_a[i] = i;
    cudaDeviceSynchronize();
    add<<<1, 32, 0, s>>>(d_a);
    add<<<1, 32, 0, t>>>(d_a);
    cudaDeviceSynchronize();

    // A copy in one stream, a kernel that needs it in the other.
    cudaMemcpyAsync(d_a, h_a, 256, cudaMemcpyHostToDevice, s); // ERROR data race
    sum<<<1, 64, 0, t>>>(d_a, d_sum);
    cudaDeviceSynchronize();

    // Stream 0 does not wait for a non-blocking one.
    fill_value<<<1, 64, 0, t>>>(d_b, 1);
    cudaMemcpy(h_a, d_b, 256, cudaMemcpyDeviceToHost); // ERROR data race
    cudaDeviceSynchronize();

    // Nor does another stream.
    cudaMemsetAsync(d_b, 1, 256, s);                           // ERROR data race
    cudaMemcpyAsync(h_a, d_b, 256, cudaMemcpyDeviceToHost, t); // ERROR data race
    cudaDeviceSynchronize();

    // The event is recorded, and not waited for; so at the second launch.
    cudaEvent_t filled;
    cudaEventCreate(&filled);
    fill_value<<<1, 64, 0, s>>>(d_a, 2);
    cudaEventRecord(filled, s);
    sum<<<1, 64, 0, t>>>(d_a, d_sum);
    cudaError_t e = cudaDeviceSynchronize();
    cudaEventDestroy(filled);
    exit_code = e != cudaSuccess;
}

// ---- text_too_early: The host prints, copies and writes texts that a copy may not have fetched
// yet
// EXPECT: data race: load of 1 byte at text_too_early.cu:12, by the host, and cudaMemcpyAsync at text_too_early.cu:10
PROGRAM(text_too_early, ANY_RESULT) {
    char other[64];
    STREAM(stream);
    ARRAY(char, d_a, 64);
    PINNED(char, h_a, 64);
    cudaMemset(d_a, 0, 64), strcpy(h_a, "early");
    cudaMemcpyAsync(h_a + 8, d_a, 32, cudaMemcpyDeviceToHost, stream); // ERROR data race
    puts(h_a);
    puts(h_a + 8);                                        // ERROR data race
    int n = snprintf(other, sizeof other, "%s", h_a + 9); // ERROR data race
    cudaStreamSynchronize(stream);
    n += (int)strlen(h_a + 8);
    exit_code = n;
}
