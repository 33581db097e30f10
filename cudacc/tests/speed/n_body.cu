// each body's pull by all others along one axis: no barrier.
// SPDX-License-Identifier: MIT
#include "speed.h"

__global__ void n_body(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float pull = 0;
    for (int k = 0; k < n; k++) {
        float x = a[k] - a[i], y = b[k] - b[i], square = x * x + y * y + 1;
        pull += x / (square * sqrtf(square));
    }
    out[i] = pull;
}

RUNS(n_body, (n + BLOCK - 1) / BLOCK, BLOCK)
