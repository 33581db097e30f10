// Sums an array of any length: each thread adds some elements, each warp its threads by shuffles,
// the host what the warps have left. In double: a float that has reached 2^24 cannot count by one.
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

enum { BLOCKS = 256, THREADS = 256, WARPS = BLOCKS * THREADS / 32 };

__global__ void sum(double *of_warp, const float *x, size_t n) { // in blocks of whole warps
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    double mine = 0;
    for (size_t i = first; i < n; i += stride)
        mine += x[i];
    for (int offset = 16; offset > 0; offset /= 2) // all 32 lanes are here, also where n is small
        mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (threadIdx.x % 32 == 0)
        of_warp[first / 32] = mine;
}

int main(int argc, char **argv) {
    char *end = NULL;
    size_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 1000003;
    if (argc > 2 || (end && *end) || n < 1 || n > 1 << 30) {
        fprintf(stderr, "usage: %s [elements, 1 to 2^30]\n", argv[0]);
        return 2;
    }
    float *x;
    double *of_warp;
    double result = 0, expected = 0;
    CUDA_CHECK(cudaMallocManaged((void **)&x, n * sizeof(float)));
    CUDA_CHECK(cudaMallocManaged((void **)&of_warp, WARPS * sizeof(double)));
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(i % 7); // whole numbers: exact in any order
        expected += x[i];
    }
    sum<<<BLOCKS, THREADS>>>(of_warp, x, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int warp = 0; warp < WARPS; warp++)
        result += of_warp[warp];
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(of_warp));
    puts(result == expected ? "PASS" : "FAIL");
    return result != expected;
}
