// how often each value occurs in a part of a: atomics in shared memory, two barriers.
// SPDX-License-Identifier: MIT
#include "speed.h"

enum { BINS = 256 };

__global__ void histogram(const float *a, const float *b, float *out, int n) {
    __shared__ unsigned bins[BINS];
    for (int i = threadIdx.x; i < BINS; i += BLOCK)
        bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&bins[(int)(64 * a[i] + b[i])], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += BLOCK)
        out[blockIdx.x * BINS + i] = bins[i];
}

RUNS(histogram, (n + 16 * BLOCK - 1) / (16 * BLOCK), BLOCK)
