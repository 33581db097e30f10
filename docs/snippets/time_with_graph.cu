// Times a short kernel: launched one by one, you measure how fast the host launches; as nodes of a
// graph, launched by one call, the kernels follow each other without the host.
// SPDX-License-Identifier: MIT-0
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s failed: %s: %s\n", __FILE__, __LINE__, #call,               \
                    cudaGetErrorName(error_), cudaGetErrorString(error_));                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { LAUNCHES = 100 };

__global__ void add_one(float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] + 1;
}

static void launch_all(float *d_x, size_t n, cudaStream_t stream) {
    for (int i = 0; i < LAUNCHES; i++)
        add_one<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(d_x, n);
    CUDA_CHECK(cudaGetLastError());
}

int main(int argc, char **argv) {
    char *end = NULL;
    size_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 1 << 12, wrong = 0;
    if (argc > 2 || (end && *end) || n < 1 || n > 1 << 30) {
        fprintf(stderr, "usage: %s [elements, 1 to 2^30]\n", argv[0]);
        return 2;
    }
    float *x = (float *)malloc(n * sizeof(float));
    float *d_x;
    float one_by_one_ms, graph_ms;
    cudaStream_t stream; // the default stream cannot be captured
    cudaEvent_t start, stop;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    if (x == NULL) {
        fprintf(stderr, "no room for %zu floats\n", n);
        return 1;
    }
    CUDA_CHECK(cudaMalloc((void **)&d_x, n * sizeof(float)));
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaMemsetAsync(d_x, 0, n * sizeof(float), stream));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch_all(d_x, n, stream); // runs nothing: becomes the graph
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiateWithFlags(&ready, graph, 0));

    launch_all(d_x, n, stream); // warms up, and so does the next line
    CUDA_CHECK(cudaGraphLaunch(ready, stream));
    CUDA_CHECK(cudaEventRecord(start, stream));
    launch_all(d_x, n, stream);
    CUDA_CHECK(cudaEventRecord(stop, stream));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&one_by_one_ms, start, stop));
    CUDA_CHECK(cudaEventRecord(start, stream));
    CUDA_CHECK(cudaGraphLaunch(ready, stream));
    CUDA_CHECK(cudaEventRecord(stop, stream));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&graph_ms, start, stop));
#ifndef __CUDACC_CPU__ // times of cudacc's CPU device say nothing about a GPU
    printf("one by one %.2f us for each kernel, in a graph %.2f us\n",
           1e3 * one_by_one_ms / LAUNCHES, 1e3 * graph_ms / LAUNCHES);
#endif
    CUDA_CHECK(cudaMemcpy(x, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        wrong += x[i] != 4 * LAUNCHES;
    CUDA_CHECK(cudaGraphExecDestroy(ready));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(d_x));
    free(x);
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
