// Effective bandwidth: the bytes that a kernel has to read and write, divided by its time.
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

enum { LAUNCHES = 20 };

__global__ void add_one(float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] + 1;
}

int main(int argc, char **argv) {
    char *end = NULL;
    size_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 1 << 26,
           wrong = 0; // far more than the L2 cache holds
    if (argc > 2 || (end && *end) || n < 1 || n > 1 << 30) {
        fprintf(stderr, "usage: %s [elements, 1 to 2^30]\n", argv[0]);
        return 2;
    }
    unsigned blocks = (unsigned)((n + 255) / 256);
    float *x = (float *)malloc(n * sizeof(float));
    float *d_x;
    float ms;
    cudaEvent_t start, stop;
    if (x == NULL) {
        fprintf(stderr, "no room for %zu floats\n", n);
        return 1;
    }
    CUDA_CHECK(cudaMalloc((void **)&d_x, n * sizeof(float)));
    CUDA_CHECK(cudaMemset(d_x, 0, n * sizeof(float)));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    add_one<<<blocks, 256>>>(d_x, n);
    CUDA_CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < LAUNCHES; i++)
        add_one<<<blocks, 256>>>(d_x, n);
    CUDA_CHECK(cudaEventRecord(stop, 0));
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
#ifndef __CUDACC_CPU__                      // times of cudacc's CPU device say nothing about a GPU
    double bytes = 2.0 * n * sizeof(float); // of one launch: each element is read and written
    printf("%.1f GB/s\n", bytes * LAUNCHES / (ms * 1e-3) * 1e-9);
#endif
    CUDA_CHECK(cudaMemcpy(x, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        wrong += x[i] != LAUNCHES + 1;
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(d_x));
    free(x);
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
