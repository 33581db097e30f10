// Sums an array of any length: each thread adds some elements, each warp its threads by shuffles.
// SPDX-License-Identifier: MIT-0
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call)                                                                                \
    for (cudaError_t error_ = (call); error_ != cudaSuccess; exit(1))                              \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_))

__global__ void sum(float *result, const float *x, size_t n) { // in blocks of whole warps
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    float mine = 0;
    for (size_t i = first; i < n; i += stride)
        mine += x[i];
    for (int offset = 16; offset > 0; offset /= 2) // all 32 lanes are here, also where n is small
        mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(result, mine);
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? atol(argv[1]) : 1000003;
    float *x, *result, expected = 0; // whole numbers below 2^24: exact in any order
    CHECK(cudaMallocManaged((void **)&x, n * sizeof(float)));
    CHECK(cudaMallocManaged((void **)&result, sizeof(float)));
    *result = 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(i % 7);
        expected += x[i];
    }
    sum<<<256, 256>>>(result, x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int wrong = *result != expected;
    CHECK(cudaFree(x));
    CHECK(cudaFree(result));
    puts(wrong ? "FAIL" : "PASS");
    return wrong;
}
