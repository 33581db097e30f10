// Times a kernel with CUDA events: a launch to warm up, then the mean of many between two events.
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
    size_t n = argc > 1 ? atol(argv[1]) : 1 << 24, wrong = 0;
    unsigned blocks = (unsigned)((n + 255) / 256);
    float *x, ms;
    cudaEvent_t start, stop;
    CHECK(cudaMallocManaged((void **)&x, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    add_one<<<blocks, 256>>>(x, n); // the first launch also loads the kernel
    CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < LAUNCHES; i++)
        add_one<<<blocks, 256>>>(x, n);
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaGetLastError());
    CHECK(cudaEventSynchronize(stop)); // before the device is there, the event has no time
    CHECK(cudaEventElapsedTime(&ms, start, stop));
#ifndef __CUDACC_CPU__ // times of cudacc's CPU device say nothing about a GPU
    printf("%.4f ms for a launch\n", ms / LAUNCHES);
#endif
    for (size_t i = 0; i < n; i++)
        wrong += x[i] != LAUNCHES + 1;
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(x));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
