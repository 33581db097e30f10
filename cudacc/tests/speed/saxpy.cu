// out = 2 a + b: no barrier.
// SPDX-License-Identifier: MIT
#include "speed.h"

__global__ void saxpy(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * a[i] + b[i];
}

RUNS(saxpy, (n + BLOCK - 1) / BLOCK, BLOCK)
