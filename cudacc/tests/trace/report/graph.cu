// A graph's kernels are launches, each time it is launched; its copies are queued then.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstring>

__global__ void fill(int *x) { x[threadIdx.x] = 1; }
__global__ void twice(int *x) { x[threadIdx.x] *= 2; }

int main(int argc, char **argv) {
    int *d_x, *h_x;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMalloc(&d_x, 64 * sizeof *d_x);
    cudaMallocHost(&h_x, 64 * sizeof *h_x);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    fill<<<1, 64, 0, stream>>>(d_x);
    for (int i = 0; i < 3; i++)
        twice<<<1, 32, 0, stream>>>(d_x);
    cudaMemcpyAsync(h_x, d_x, 64 * sizeof *h_x, cudaMemcpyDeviceToHost, stream);
    int before = h_x[0];
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
    for (int i = 0; i < 5; i++)
        cudaGraphLaunch(exec, stream);
    if (argc > 1 && strcmp(argv[1], "hasty") == 0)
        before = h_x[0]; // -> hasty
    cudaStreamSynchronize(stream);
    printf("%d %d\n", before, h_x[0]);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(d_x);
    cudaFreeHost(h_x);
    return 0;
}
