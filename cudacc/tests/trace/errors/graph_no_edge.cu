// A graph of two kernels, of which the second one reads what the first one writes; no edge says so.
// EXPECT: d_a, 128 bytes, allocated at graph_no_edge.cu:13; in one graph, and no edge leads from one to the other
// SPDX-License-Identifier: MIT
__global__ void fill(int *a) { a[threadIdx.x] = 1; } // ERROR data race
__global__ void twice(const int *a, int *out) {
    out[threadIdx.x] = 2 * a[threadIdx.x]; // ERROR data race
}

int main(void) {
    int *d_a, *d_out;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&d_a, 128);
    cudaMalloc(&d_out, 128);
    cudaMemset(d_a, 0, 128);
    cudaGraph_t graph;
    cudaGraphNode_t first, second;
    cudaGraphExec_t exec;
    cudaGraphCreate(&graph, 0);
    cudaKernelNodeParams p = {};
    void *of_fill[] = {&d_a}, *of_twice[] = {&d_a, &d_out};
    p.func = (void *)fill;
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
    cudaFree(d_a);
    cudaFree(d_out);
    cudaStreamDestroy(s);
    return 0;
}
