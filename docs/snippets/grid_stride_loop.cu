// A grid-stride loop: a kernel for any n, on a grid that only has to fill the device.
// SPDX-License-Identifier: MIT-0
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call)                                                                                \
    for (cudaError_t error_ = (call); error_ != cudaSuccess; exit(1))                              \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_))

__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = first; i < n; i += stride) // neighboring threads touch neighboring elements
        y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? atol(argv[1]) : 1 << 24, wrong = 0;
    int multiprocessors;
    float *x, *y;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMallocManaged((void **)&x, n * sizeof(float)));
    CHECK(cudaMallocManaged((void **)&y, n * sizeof(float)));
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(i % 1000);
        y[i] = 1;
    }
    saxpy<<<32 * multiprocessors, 256>>>(y, x, 2, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i++)
        wrong += y[i] != 2 * (float)(i % 1000) + 1;
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
