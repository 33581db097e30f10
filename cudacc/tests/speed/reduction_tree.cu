// a sum for each block, 16 elements for each thread: a tree in shared memory, nine barriers.
// SPDX-License-Identifier: MIT
#include "speed.h"

__global__ void reduction_tree(const float *a, const float *b, float *out, int n) {
    __shared__ float sums[BLOCK];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK)
        sum += a[i];
    sums[t] = sum;
    __syncthreads();
    for (int width = BLOCK / 2; width > 0; width /= 2) {
        if (t < width)
            sums[t] += sums[t + width];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

RUNS(reduction_tree, (n + 16 * BLOCK - 1) / (16 * BLOCK), BLOCK)
