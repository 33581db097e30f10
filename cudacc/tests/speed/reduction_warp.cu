// the same sums by shuffles in a warp, then over the warps: one barrier.
// SPDX-License-Identifier: MIT
#include "speed.h"

__global__ void reduction_warp(const float *a, const float *b, float *out, int n) {
    __shared__ float sums[BLOCK / 32];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK)
        sum += a[i];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < BLOCK / 32 ? sums[t] : 0;
        for (int step = BLOCK / 64; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, step);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

RUNS(reduction_warp, (n + 16 * BLOCK - 1) / (16 * BLOCK), BLOCK)
