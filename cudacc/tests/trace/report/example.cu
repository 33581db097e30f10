// What cudacc/README.md shows: a stride, and a column of a tile in shared memory.
// SPDX-License-Identifier: MIT
#include <stdio.h>

enum { N = 1024, TILE = 32 };

__global__ void every_fourth(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[4 * i];
}

__global__ void transpose(float *out, const float *in) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    out[y * N + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    float *d_in, *d_out;
    cudaMalloc(&d_in, N * N * sizeof(float));
    cudaMalloc(&d_out, N * N * sizeof(float));
    cudaMemset(d_in, 0, N * N * sizeof(float));
    for (int i = 0; i < 20; i++)
        every_fourth<<<N, 256>>>(d_out, d_in);
    transpose<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(d_out, d_in);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
