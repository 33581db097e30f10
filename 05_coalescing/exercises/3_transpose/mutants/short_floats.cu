// SPDX-License-Identifier: MIT
// Keeps 16 bits.
//   rejected: values
enum { TILE = 32, ROWS = 8 };

__global__ void transpose(float *out, const float *in, size_t width, size_t height) {
    __shared__ float tile[TILE][TILE + 1];
    size_t left = (size_t)blockIdx.x * TILE, top = (size_t)blockIdx.y * TILE;
    size_t x = left + threadIdx.x, y = top + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < width && y + k < height)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    x = top + threadIdx.x;
    y = left + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < height && y + k < width)
            out[(y + k) * height + x] = (float)(short)tile[threadIdx.x][threadIdx.y + k];
}

void transpose_matrix(float *out, const float *in, size_t width, size_t height) {
    dim3 block(TILE, ROWS);
    dim3 grid((unsigned)((width + TILE - 1) / TILE), (unsigned)((height + TILE - 1) / TILE));
    if (width > 0 && height > 0)
        transpose<<<grid, block>>>(out, in, width, height);
    CUDA_CHECK(cudaGetLastError());
}
