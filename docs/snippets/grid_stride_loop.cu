// A grid-stride loop: a kernel for any n, on a grid that only has to fill the device.
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

__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = first; i < n; i += stride) // neighboring threads touch neighboring elements
        y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
    char *end = NULL;
    size_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 1 << 24, wrong = 0;
    if (argc > 2 || (end && *end) || n < 1 || n > 1 << 30) {
        fprintf(stderr, "usage: %s [elements, 1 to 2^30]\n", argv[0]);
        return 2;
    }
    int multiprocessors;
    float *x, *y;
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaMallocManaged((void **)&x, n * sizeof(float)));
    CUDA_CHECK(cudaMallocManaged((void **)&y, n * sizeof(float)));
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(i % 1000);
        y[i] = 1;
    }
    saxpy<<<32 * multiprocessors, 256>>>(y, x, 2, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i++)
        wrong += y[i] != 2 * (float)(i % 1000) + 1;
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
