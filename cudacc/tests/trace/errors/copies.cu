// Copies and memsets of wrong sizes, directions and places, and calls that fail
// SPDX-License-Identifier: MIT
#include "program.h"
#include <stdlib.h>
#include <vector>

__global__ void fill(int *a) { a[threadIdx.x] = 1; }

// ---- copy_freed: A result is fetched after its memory has been freed.
// EXPECT: use after free: cudaMemcpy at copy_freed.cu:11: its source is d_a[0], byte 0 of 256, allocated at copy_freed.cu:6, which has been freed; it did nothing
PROGRAM(copy_freed, ANY_RESULT) {
    int *d_a;
    static int h_a[64];
    cudaMalloc(&d_a, sizeof h_a);
    fill<<<1, 64>>>(d_a);
    cudaFree(d_a);
    // Nothing wrong with the size, the direction or the host's memory: only with the order of the
    // calls.
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyDeviceToHost); // ERROR use after free
}

// ---- copy_overlapping: Elements of an array are moved up by one, by a copy whose destination
// overlaps its source
// EXPECT: cudaMemcpy at copy_overlapping.cu:7: its destination begins 4 bytes after its source, and it copies 252: they overlap, and what comes of that is not defined
// EXPECT: CPU device: 1 error
PROGRAM(copy_overlapping) {
    ZEROES(int, d_a, 64);
    cudaMemcpy(d_a + 1, d_a, 252, cudaMemcpyDeviceToDevice); // ERROR wrong argument
    // They may touch.
    cudaMemcpy(d_a, d_a + 32, 128, cudaMemcpyDeviceToDevice);
}

// ---- copy_past_end: Copies and memsets that do not fit. On a GPU only their error codes would
// tell.
// EXPECT: its destination ends 40 bytes past the end of d_a, 4000 bytes, allocated at copy_past_end.cu:14; it did nothing
// EXPECT: its source ends 4 bytes past the end of d_a, 4000 bytes
// EXPECT: its memory ends 1 byte past the end of d_a, 4000 bytes
// EXPECT: its destination ends 400 bytes past the end of d_rows
// EXPECT: its destination ends past the end of factors, 64 bytes
// EXPECT: CPU device: 7 errors
__device__ int counters[16];
__constant__ float factors[16];
PROGRAM(copy_past_end, ANY_RESULT) {
    static float h_a[1100];
    float *d_rows;
    ZEROES(float, d_a, 1000);
    size_t pitch;
    STREAM(stream);
    cudaMallocPitch(&d_rows, &pitch, 100 * sizeof *d_rows, 10);
    cudaMemcpy(d_a, h_a, 1010 * sizeof *d_a, cudaMemcpyHostToDevice);       // ERROR out of bounds
    cudaMemcpy(h_a, d_a + 1, 1000 * sizeof *d_a, cudaMemcpyDeviceToHost);   // ERROR out of bounds
    cudaMemcpyAsync(h_a, d_a, 4001, cudaMemcpyDeviceToHost, stream);        // ERROR out of bounds
    cudaMemset(d_a, 0, 4001);                                               // ERROR out of bounds
    cudaMemcpy2D(d_rows, pitch, h_a, 400, 400, 11, cudaMemcpyHostToDevice); // ERROR out of bounds
    cudaMemcpyFromSymbol(h_a, counters, 8, 60);                             // ERROR out of bounds
    cudaMemcpyToSymbol(factors, h_a, 17 * sizeof(float));                   // ERROR out of bounds
    cudaFree(d_rows);
}

// ---- copy_wrong: Copies that go the wrong way, or to no memory of theirs.
// EXPECT: cudaMemcpyDeviceToHost, but its destination is memory of the device and its source of the host; it did nothing
// EXPECT: cudaMemcpyHostToDevice, but its destination is memory of the host and its source of the device
// EXPECT: its source is a null pointer
// EXPECT: its memory is the host's
// EXPECT: its width is larger than a pitch
// EXPECT: its destination is table, a variable of the device, whose address the host does not have: use cudaMemcpyToSymbol, or cudaGetSymbolAddress
// EXPECT: its symbol is no variable of the device
__device__ int table[64];
PROGRAM(copy_wrong, ANY_RESULT) {
    static int h_a[64];
    int *d_never = 0;
    ZEROES(int, d_a, 64);
    // Each of them fails, and the program does not look.
    cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyDeviceToHost);      // ERROR wrong argument
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyHostToDevice);      // ERROR wrong argument
    cudaMemcpy(h_a, d_never, sizeof h_a, cudaMemcpyDeviceToHost);  // ERROR wrong argument
    cudaMemset(h_a, 0, sizeof h_a);                                // ERROR wrong argument
    cudaMemcpy2D(d_a, 16, h_a, 16, 32, 2, cudaMemcpyHostToDevice); // ERROR wrong argument
    cudaMemcpy(table, h_a, sizeof h_a, cudaMemcpyHostToDevice);    // ERROR wrong argument
    cudaMemcpyToSymbol((const void *)h_a, h_a, sizeof h_a);        // ERROR wrong argument
}

// ---- call_failed: A launch with too many threads and a copy of too many bytes; the program
// ignores their errors.
// EXPECT: launch refused: kernel fill at call_failed.cu:8 did not run
// EXPECT: out of bounds: cudaMemcpy at call_failed.cu:9: its destination ends 128 bytes past the end of d_a
PROGRAM(call_failed) {
    static int h_a[64];
    ARRAY(int, d_a, 32);
    fill<<<1, 2048>>>(d_a);                                   // ERROR launch refused
    cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice); // ERROR out of bounds
}

// ---- calls_failed: Calls that fail, and the program looks at the result of none
// EXPECT: failed call: cudaMalloc at calls_failed.cu:14: error 2, out of memory; the program did not look at its result
// EXPECT: failed call: cudaSetDevice at calls_failed.cu:15: error 101, invalid device ordinal
// EXPECT: failed call: cudaEventElapsedTime at calls_failed.cu:17: error 400, invalid resource handle
PROGRAM(calls_failed, ANY_RESULT) {
    int *d_a;
    float ms;
    cudaEvent_t start, stop;
    cudaSetDevice(-1);
    cudaGetLastError(); // that one was asked about
    cudaStreamQuery(0);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaMalloc(&d_a, (size_t)1 << 50); // ERROR failed call
    cudaSetDevice(5);                  // ERROR failed call
    cudaEventRecord(start);
    cudaEventElapsedTime(&ms, start, stop); // ERROR failed call
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    exit_code = cudaSetDevice(7) == cudaSuccess;
}

// ---- launch_refused: Launches that cannot be, and the program never asks.
// EXPECT: launch refused: kernel fill at launch_refused.cu:14 did not run: a block of 2048x1x1 has 2048 threads, and may have 1024; cudaGetLastError() tells so, but was not asked
// EXPECT: kernel fill at launch_refused.cu:15 did not run: a block of 33x32x1 has 1056 threads, and may have 1024
// EXPECT: kernel fill at launch_refused.cu:16 did not run: a grid of 0x1x1 has no blocks
// EXPECT: kernel fill at launch_refused.cu:17 did not run: a block asks for 65536 bytes of dynamic shared memory, and may have 49152
// EXPECT: kernel small at launch_refused.cu:18 did not run: a block has 128 threads, and by __launch_bounds__ may have 64
// EXPECT: kernel fill at launch_refused.cu:19 did not run: a grid of 1x70000x1 has too many blocks: in y and in z it may have 65535
__global__ void __launch_bounds__(64) small(int *a) { a[threadIdx.x] = 1; }
PROGRAM(launch_refused) {
    int n = 100;
    ARRAY(int, d_a, 2048);
    fill<<<1, 2048>>>(d_a);
    cudaGetLastError();                // that one was asked about
    fill<<<1, 2048>>>(d_a);            // ERROR launch refused
    fill<<<1, dim3(33, 32)>>>(d_a);    // ERROR launch refused
    fill<<<n / 256, 256>>>(d_a);       // ERROR launch refused
    fill<<<1, 64, 64 << 10>>>(d_a);    // ERROR launch refused
    small<<<1, 128>>>(d_a);            // ERROR launch refused
    fill<<<dim3(1, 70000), 64>>>(d_a); // ERROR launch refused
}

// ---- stream_destroyed: A launch into a stream that has been destroyed
// EXPECT: launch refused: kernel fill at stream_destroyed.cu:8 did not run: its stream has been destroyed, or was never created
PROGRAM(stream_destroyed) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    ARRAY(int, d_a, 32);
    cudaStreamDestroy(stream);
    fill<<<1, 32, 0, stream>>>(d_a); // ERROR launch refused
}

// ---- host_buffer_freed: Buffers of the host that are freed before the copy, and before a graph
// that copies is launched.
// EXPECT: its source is in memory of the host, 4096 bytes, allocated at host_buffer_freed.cu:11
// EXPECT: its destination is in memory of the host, 16777216 bytes
static int *moved(int *p) { // so that the compiler does not see it
    static int *volatile kept;
    kept = p;
    return kept;
}
PROGRAM(host_buffer_freed, ANY_RESULT) {
    int *small = moved((int *)malloc(4096)), *large = moved((int *)malloc(1 << 24));
    ZEROES(int, d_a, 1024);
    free(small);
    free(large);
    int *other = (int *)malloc(4096);                         // not where the first one was
    cudaMemcpy(d_a, small, 4096, cudaMemcpyHostToDevice);     // ERROR use after free
    cudaMemcpy(large + 5, d_a, 4096, cudaMemcpyDeviceToHost); // ERROR use after free
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    STREAM(stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(other, d_a, 4096, cudaMemcpyDeviceToHost, stream); // ERROR use after free
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    free(other);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
}

// ---- host_buffer_small: Buffers of the host that are smaller than what is copied: from malloc,
// calloc and new, of a vector, from the middle on, on the stack, static, a member of a struct
// that ends it.
// EXPECT: its destination ends 4 bytes past the end of memory of the host, 60 bytes, allocated at
// EXPECT: 60 bytes, allocated at host_buffer_small.cu:15
// EXPECT: 60 bytes, allocated at host_buffer_small.cu:16
// EXPECT BY GCC: its destination ends 40 bytes past the end of a variable of the host
static int totals[15];
struct pair {
    int a[8], b[7];
};
PROGRAM(host_buffer_small, ANY_RESULT) {
    const size_t BYTES = 16 * sizeof(int);
    int *d_a, local[15];
    int *h_a = (int *)malloc(15 * sizeof *h_a), *zeroes = (int *)calloc(15, sizeof *zeroes);
    int *fresh = new int[15]();
    std::vector<int> v(15);
    struct pair p;
    cudaMalloc(&d_a, BYTES);
    cudaMemset(d_a, 0, BYTES);
    cudaMemcpy(h_a, d_a, BYTES, cudaMemcpyDeviceToHost);            // ERROR out of bounds
    cudaMemcpy(d_a, zeroes, BYTES, cudaMemcpyHostToDevice);         // ERROR out of bounds
    cudaMemcpyAsync(d_a, fresh, BYTES, cudaMemcpyHostToDevice);     // ERROR out of bounds
    cudaMemcpy(v.data(), d_a, BYTES, cudaMemcpyDeviceToHost);       // ERROR out of bounds
    cudaMemcpy(h_a + 8, d_a, BYTES / 2, cudaMemcpyDeviceToHost);    // ERROR out of bounds
    cudaMemcpy(local, d_a, BYTES, cudaMemcpyDeviceToHost);          // ERROR out of bounds, by gcc
    cudaMemcpy(totals, d_a, BYTES, cudaMemcpyDeviceToHost);         // ERROR out of bounds, by gcc
    cudaMemcpy(&local[5], d_a, BYTES + 16, cudaMemcpyDeviceToHost); // ERROR out of bounds
    cudaMemcpy(p.b, d_a, BYTES / 2, cudaMemcpyDeviceToHost);        // ERROR out of bounds, by gcc
    cudaFree(d_a);
    free(h_a);
    free(zeroes);
    delete[] fresh;
}

// ---- symbol_past_end: Copies to and from a variable that is too small for them, or from its end;
// a memset of a null pointer
// EXPECT: its destination ends past the end of powers, 80 bytes, declared at symbol_past_end.cu:6
// EXPECT: its source ends past the end of powers, 80 bytes, declared at symbol_past_end.cu:6
// EXPECT: its memory is a null pointer
__device__ int powers[20];
PROGRAM(symbol_past_end, ANY_RESULT) {
    int h[21] = {0};
    cudaMemcpyToSymbol(powers, h, sizeof h);   // ERROR out of bounds
    cudaMemcpyFromSymbol(h, powers, 4, 80);    // ERROR out of bounds
    cudaMemcpyFromSymbol(h, powers, sizeof h); // ERROR out of bounds
    cudaMemset(NULL, 0, 4);                    // ERROR wrong argument
}

// ---- graph_by_hand: Nodes that are added to a graph one by one: two memsets that no edge orders,
// one that does not fit, a copy that does not fit, one of what nothing has written
// EXPECT: data race: cudaGraphAddMemsetNode at graph_by_hand.cu:21 and cudaGraphAddMemsetNode at graph_by_hand.cu:23
// EXPECT: out of bounds: cudaGraphAddMemsetNode at graph_by_hand.cu:25
// EXPECT: out of bounds: cudaGraphAddMemcpyNode1D at graph_by_hand.cu:26
// EXPECT: read of memory never written: cudaGraphAddMemcpyNode at graph_by_hand.cu:27
PROGRAM(graph_by_hand, ANY_RESULT) {
    ARRAY(int, d_a, 32);
    ARRAY(int, d_b, 32);
    PINNED(int, h, 32);
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaGraphExec_t exec;
    cudaMemsetParams set = {};
    cudaMemcpy3DParms copy = {};
    set.dst = d_a, set.elementSize = 4, set.width = 32, set.height = 1;
    copy.srcPtr = make_cudaPitchedPtr(d_b, 64, 64, 2);
    copy.dstPtr = make_cudaPitchedPtr(h, 64, 64, 2);
    copy.extent = make_cudaExtent(64, 2, 1), copy.kind = cudaMemcpyDeviceToHost;
    cudaGraphCreate(&g, 0);
    cudaGraphAddMemsetNode(&n, g, NULL, 0, &set); // ERROR data race
    set.value = 1;
    cudaGraphAddMemsetNode(&n, g, NULL, 0, &set); // ERROR data race
    set.width = 33;
    cudaGraphAddMemsetNode(&n, g, NULL, 0, &set);                     // ERROR out of bounds
    cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, h, d_b, 132, copy.kind); // ERROR out of bounds
    cudaGraphAddMemcpyNode(&n, g, NULL, 0, &copy); // ERROR read of memory never written
    cudaGraphInstantiate(&exec, g, 0);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(g);
}
