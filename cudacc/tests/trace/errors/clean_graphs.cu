// Graphs whose edges order what must be: a diamond made by hand, launched twice and beside work
// before and after it in its stream; one that two streams have captured.
// SPDX-License-Identifier: MIT
__global__ void fill(int *a, int v) { a[threadIdx.x] = v; }
__global__ void add(const int *a, const int *b, int *out) {
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
    add<<<1, 32, 0, s>>>(d_a, d_out, d_b);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

int main(void) {
    cudaStream_t s, t;
    cudaEvent_t begin, end;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
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
    node(graph, filled, 2, (void *)add, of_add);
    launch_twice(graph, s);

    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(d_out, 0);
    cudaEventRecord(begin, s);
    cudaStreamWaitEvent(t, begin, 0);
    fill<<<1, 32, 0, t>>>(d_b, 2);
    fill<<<1, 32, 0, s>>>(d_a, 1);
    cudaEventRecord(end, t);
    cudaStreamWaitEvent(s, end, 0);
    add<<<1, 32, 0, s>>>(d_a, d_b, d_out);
    cudaStreamEndCapture(s, &graph);
    launch_twice(graph, s);

    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_out);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    return 0;
}
