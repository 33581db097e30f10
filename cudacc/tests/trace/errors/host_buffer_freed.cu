// Buffers of the host that are freed before the copy, and before a graph that copies is launched.
// EXPECT: its source is in memory of the host, 4096 bytes, allocated at host_buffer_freed.cu:14
// EXPECT: its destination is in memory of the host, 16777216 bytes
// SPDX-License-Identifier: MIT
#include <stdlib.h>

static int *moved(int *p) { // so that the compiler does not see it
    static int *volatile kept;
    kept = p;
    return kept;
}

int main(void) {
    int *d_a, *small = moved((int *)malloc(4096)), *large = moved((int *)malloc(1 << 24));
    cudaMalloc(&d_a, 4096);
    cudaMemset(d_a, 0, 4096);
    free(small);
    free(large);
    int *other = (int *)malloc(4096);                         // not where the first one was
    cudaMemcpy(d_a, small, 4096, cudaMemcpyHostToDevice);     // ERROR use after free
    cudaMemcpy(large + 5, d_a, 4096, cudaMemcpyDeviceToHost); // ERROR use after free
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(other, d_a, 4096, cudaMemcpyDeviceToHost, stream); // ERROR use after free
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    free(other);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(d_a);
    return 0;
}
