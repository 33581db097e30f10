// Effective bandwidth: the bytes that a kernel has to read and write, divided by its time.
// SPDX-License-Identifier: MIT-0
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call)                                                                                \
    for (cudaError_t error_ = (call); error_ != cudaSuccess; exit(1))                              \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_))

enum { LAUNCHES = 20 };

__global__ void add_one(float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] + 1;
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? atol(argv[1]) : 1 << 26, wrong = 0; // far more than the L2 cache holds
    unsigned blocks = (unsigned)((n + 255) / 256);
    float *x, ms;
    cudaEvent_t start, stop;
    CHECK(cudaMallocManaged((void **)&x, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    add_one<<<blocks, 256>>>(x, n);
    CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < LAUNCHES; i++)
        add_one<<<blocks, 256>>>(x, n);
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaGetLastError());
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
#ifndef __CUDACC_CPU__                      // times of cudacc's CPU device say nothing about a GPU
    double bytes = 2.0 * n * sizeof(float); // of one launch: each element is read and written
    printf("%.1f GB/s\n", bytes * LAUNCHES / (ms * 1e-3) * 1e-9);
#endif
    for (size_t i = 0; i < n; i++)
        wrong += x[i] != LAUNCHES + 1;
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(x));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
