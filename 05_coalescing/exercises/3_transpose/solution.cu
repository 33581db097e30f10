// 5.3 Turn it in shared memory
//
//     make check EX=5.3       make hint EX=5.3       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
enum { TILE = 32, ROWS = 8 }; // a block of 32 x 8 threads for each tile of 32 x 32 elements

__global__ void transpose(float *out, const float *in, size_t width, size_t height) {
    __shared__ float tile[TILE][TILE + 1]; // one more, so that a column is in 32 banks
    size_t left = (size_t)blockIdx.x * TILE, top = (size_t)blockIdx.y * TILE;
    size_t x = left + threadIdx.x, y = top + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < width && y + k < height)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    x = top + threadIdx.x; // in `out` now
    y = left + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < height && y + k < width)
            out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

// out, of `width` rows and `height` columns, is the transpose of in, of `height` rows and `width`
// columns.
void transpose_matrix(float *out, const float *in, size_t width, size_t height) {
    dim3 block(TILE, ROWS);
    dim3 grid((unsigned)((width + TILE - 1) / TILE), (unsigned)((height + TILE - 1) / TILE));
    if (width > 0 && height > 0)
        transpose<<<grid, block>>>(out, in, width, height);
    CUDA_CHECK(cudaGetLastError());
}
// ==== to here ====
