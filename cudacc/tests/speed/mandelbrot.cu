// steps until a point leaves: no barrier, threads of unequal length.
// SPDX-License-Identifier: MIT
#include "speed.h"

enum { TILE = 16, MOST_STEPS = 256 };

__global__ void mandelbrot(const float *a, const float *b, float *out, int n) {
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y, steps = 0;
    float x0 = 3.0f * column / n - 2.25f, y0 = 3.0f * row / n - 1.5f, x = 0, y = 0;
    while (steps < MOST_STEPS && x * x + y * y < 4) {
        float next = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = next;
        steps++;
    }
    out[row * n + column] = steps;
}

RUNS(mandelbrot, dim3(n / TILE, n / TILE), dim3(TILE, TILE))
