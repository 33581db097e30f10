// The sum of all blocks in one launch, as the CUDA C++ Programming Guide does it (the sample
// threadFenceReduction): the last block to take a ticket adds up what the others have stored.
// SPDX-License-Identifier: MIT
#include <stdio.h>

__device__ unsigned int tickets = 0;

__global__ void sum(const int *in, volatile int *part, int *out, int n) {
    __shared__ int tile[128];
    __shared__ bool is_last;
    int i = threadIdx.x, s = 0;
    for (int k = blockIdx.x * blockDim.x + i; k < n; k += gridDim.x * blockDim.x)
        s += in[k];
    tile[i] = s;
    for (int step = 64; step > 0; step /= 2) {
        __syncthreads();
        if (i < step)
            tile[i] += tile[i + step];
    }
    if (i == 0) {
        part[blockIdx.x] = tile[0];
        __threadfence();
        is_last = atomicInc(&tickets, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        tile[i] = 0;
        for (unsigned k = i; k < gridDim.x; k += blockDim.x)
            tile[i] += part[k];
        for (int step = 64; step > 0; step /= 2) {
            __syncthreads();
            if (i < step)
                tile[i] += tile[i + step];
        }
        if (i == 0) {
            *out = tile[0];
            tickets = 0;
        }
    }
}

int main(void) {
    static int h_in[10000];
    int *d_in, *d_part, *d_out, h_out = 0, expected = 0;
    for (int i = 0; i < 10000; i++)
        expected += h_in[i] = i % 7;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_part, 32 * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    for (int k = 0; k < 3; k++)
        sum<<<32, 128>>>(d_in, d_part, d_out, 10000);
    cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_part);
    cudaFree(d_out);
    printf("%d %d\n", h_out, expected);
    return h_out != expected;
}
