// Multiplies matrices of any size through shared memory: each element is read once for each tile,
// not once for each element of the result.
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

enum { TILE = 16 }; // a block of 16 x 16 threads computes a tile of c

// c = a b; a has rows x inner, b inner x columns elements, row after row.
__global__ void multiply(float *c, const float *a, const float *b, int rows, int inner,
                         int columns) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < inner; first += TILE) {
        const int i = first + threadIdx.x, j = first + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] =
            row < rows && i < inner ? a[(size_t)row * inner + i] : 0; // beyond the edge: zeros
        tile_b[threadIdx.y][threadIdx.x] =
            j < inner && column < columns ? b[(size_t)j * columns + column] : 0;
        __syncthreads(); // the tiles are complete
        for (int k = 0; k < TILE; k++)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads(); // and no longer in use
    }
    if (row < rows && column < columns)
        c[(size_t)row * columns + column] = sum;
}

int main(int argc, char **argv) {
    int rows = argc > 1 ? atoi(argv[1]) : 300;
    int columns = argc > 2 ? atoi(argv[2]) : 200;
    int inner = argc > 3 ? atoi(argv[3]) : 100;
    size_t wrong = 0;
    if (argc > 4 || rows < 1 || columns < 1 || inner < 1 || (rows - 1) / TILE >= 65535) {
        fprintf(stderr, "usage: %s [rows, at most 1048560 [columns [inner]]]\n", argv[0]);
        return 2;
    }
    dim3 block(TILE, TILE), grid((columns - 1) / TILE + 1, (rows - 1) / TILE + 1);
    float *a, *b, *c;
    CUDA_CHECK(cudaMallocManaged((void **)&a, (size_t)rows * inner * sizeof(float)));
    CUDA_CHECK(cudaMallocManaged((void **)&b, (size_t)inner * columns * sizeof(float)));
    CUDA_CHECK(cudaMallocManaged((void **)&c, (size_t)rows * columns * sizeof(float)));
    for (size_t i = 0; i < (size_t)rows * inner; i++)
        a[i] = (float)(i % 13); // small whole numbers: exact in any order
    for (size_t i = 0; i < (size_t)inner * columns; i++)
        b[i] = (float)(i % 11);
    multiply<<<grid, block>>>(c, a, b, rows, inner, columns);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < (size_t)rows * columns; i++) {
        double expected = 0;
        for (int k = 0; k < inner; k++)
            expected += (double)a[i / columns * inner + k] * b[(size_t)k * columns + i % columns];
        wrong += c[i] != expected;
    }
    CUDA_CHECK(cudaFree(a));
    CUDA_CHECK(cudaFree(b));
    CUDA_CHECK(cudaFree(c));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
