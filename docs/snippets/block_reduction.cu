// Reduces rows of any length, a block for each: the maximum, then the sum of exp(x - maximum), the
// first half of a softmax. Every thread of the block gets the result.
// SPDX-License-Identifier: MIT-0
#include <math.h>
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

enum { ROWS = 3, MOST_WARPS = 32 };
enum operation { MAXIMUM, SUM };

__device__ double combine(double a, double b, enum operation operation) {
    return operation == SUM ? a + b : fmax(a, b);
}

// In blocks of whole warps, all of whose threads call it.
__device__ double block_reduce(double value, enum operation operation) {
    __shared__ double of_warp[MOST_WARPS];
    const unsigned lane = threadIdx.x % 32;
    for (int offset = 16; offset > 0; offset /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffff, value, offset), operation);
    if (lane == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = lane < blockDim.x / 32 ? of_warp[lane] : operation == SUM ? 0 : -INFINITY;
    for (int offset = 16; offset > 0; offset /= 2) // each warp for itself: all have the result
        value = combine(value, __shfl_xor_sync(0xffffffff, value, offset), operation);
    __syncthreads(); // of_warp may be written again
    return value;
}

__global__ void softmax_sums(float *maximum, double *sum, const float *x, size_t n) {
    const float *row = x + blockIdx.x * n;
    double most = -INFINITY, mine = 0;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        most = fmax(most, (double)row[i]);
    most = block_reduce(most, MAXIMUM);
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        mine += expf(row[i] - (float)most);
    mine = block_reduce(mine, SUM);
    if (threadIdx.x == 0) {
        maximum[blockIdx.x] = (float)most;
        sum[blockIdx.x] = mine;
    }
}

int main(int argc, char **argv) {
    char *end = NULL;
    size_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 100003, wrong = 0;
    if (argc > 2 || (end && *end) || n < 1 || n > 1 << 28) {
        fprintf(stderr, "usage: %s [elements of a row, 1 to 2^28]\n", argv[0]);
        return 2;
    }
    float *x, *maximum;
    double *sum;
    CUDA_CHECK(cudaMallocManaged((void **)&x, ROWS * n * sizeof(float)));
    CUDA_CHECK(cudaMallocManaged((void **)&maximum, ROWS * sizeof(float)));
    CUDA_CHECK(cudaMallocManaged((void **)&sum, ROWS * sizeof(double)));
    for (size_t i = 0; i < ROWS * n; i++)
        x[i] = (float)(i * 7919 % 1000) / 100;
    softmax_sums<<<ROWS, 256>>>(maximum, sum, x, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t row = 0; row < ROWS; row++) {
        float most = -INFINITY;
        double expected = 0;
        for (size_t i = row * n; i < (row + 1) * n; i++)
            most = fmaxf(most, x[i]);
        for (size_t i = row * n; i < (row + 1) * n; i++)
            expected += exp((double)x[i] - most);
        wrong += maximum[row] != most || !(fabs(sum[row] - expected) <= 1e-6 * expected);
    }
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(maximum));
    CUDA_CHECK(cudaFree(sum));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
