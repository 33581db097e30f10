// Transposes a matrix of any size through shared memory: coalesced, and free of bank conflicts.
// SPDX-License-Identifier: MIT-0
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s failed: %s: %s\n", __FILE__, __LINE__, #call,               \
                    cudaGetErrorName(error_), cudaGetErrorString(error_));                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { TILE = 32, ROWS = 8 }; // a block of 32 x 8 threads moves a tile of 32 x 32

__global__ void transpose(float *out, const float *in, int width, int height) {
    __shared__ float tile[TILE][TILE + 1]; // + 1: a column lies in 32 different banks
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x; // the tile's place in the transposed matrix
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            out[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv) {
    int width = argc > 1 ? atoi(argv[1]) : 1000;
    int height = argc > 2 ? atoi(argv[2]) : 777;
    if (argc > 3 || width < 1 || height < 1 || (height - 1) / TILE >= 65535) { // of blocks in y
        fprintf(stderr, "usage: %s [width [height, at most 2097120]]\n", argv[0]);
        return 2;
    }
    size_t n = (size_t)width * height, wrong = 0;
    dim3 block(TILE, ROWS), grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    float *in, *out;
    CUDA_CHECK(cudaMallocManaged((void **)&in, n * sizeof(float)));
    CUDA_CHECK(cudaMallocManaged((void **)&out, n * sizeof(float)));
    for (size_t i = 0; i < n; i++)
        in[i] = (float)(i % 65536);
    transpose<<<grid, block>>>(out, in, width, height);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i++)
        wrong += out[i % width * height + i / width] != in[i];
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
