// matrix product, each element by its own loop: no barrier.
// SPDX-License-Identifier: MIT
#include "speed.h"

enum { TILE = 16 };

__global__ void product_naive(const float *a, const float *b, float *out, int n) {
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    out[row * n + column] = sum;
}

RUNS(product_naive, dim3(n / TILE, n / TILE), dim3(TILE, TILE))
