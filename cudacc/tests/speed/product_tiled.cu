// matrix product by tiles in shared memory: two barriers for each tile.
// SPDX-License-Identifier: MIT
#include "speed.h"

enum { TILE = 16 };

__global__ void product_tiled(const float *a, const float *b, float *out, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x,
        row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int begin = 0; begin < n; begin += TILE) {
        tile_a[y][x] = a[row * n + begin + x];
        tile_b[y][x] = b[(begin + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    out[row * n + column] = sum;
}

RUNS(product_tiled, dim3(n / TILE, n / TILE), dim3(TILE, TILE))
