// 5.3 A tile that is not square
//
//     make check EX=5.3       make hint EX=5.3       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
enum { COLUMNS = 32, ROWS = 16 }; // of a tile of `in`: one block, one element per thread

__global__ void transpose(float *out, const float *in, size_t width, size_t height) {
    // A warp reads two columns of 16 elements: 2 x 16 banks, where rows are 34 floats apart.
    __shared__ float tile[ROWS][COLUMNS + 2];
    size_t left = (size_t)blockIdx.x * COLUMNS, top = (size_t)blockIdx.y * ROWS;
    size_t column = left + threadIdx.x, row = top + threadIdx.y;
    if (column < width && row < height)
        tile[threadIdx.y][threadIdx.x] = in[row * width + column];
    __syncthreads();
    unsigned thread = threadIdx.y * COLUMNS + threadIdx.x;
    unsigned down = thread % ROWS, across = thread / ROWS; // in the tile
    column = left + across, row = top + down;
    if (column < width && row < height)
        out[column * height + row] = tile[down][across];
}

// out, of `width` rows and `height` columns, is the transpose of in, of `height` rows and `width`
// columns.
void transpose_matrix(float *out, const float *in, size_t width, size_t height) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((unsigned)((width + COLUMNS - 1) / COLUMNS), (unsigned)((height + ROWS - 1) / ROWS));
    if (width > 0 && height > 0)
        transpose<<<grid, block>>>(out, in, width, height);
    CUDA_CHECK(cudaGetLastError());
}
// ==== to here ====
