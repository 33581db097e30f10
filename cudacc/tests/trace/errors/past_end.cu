// The loop bound is <= where < belongs: one element past the end.
// EXPECT: out of bounds: store of 4 bytes at past_end.cu
// EXPECT: kernel fill, launch 0, block (3,0,0), thread (232,0,0): just past the end of d_a, 4000 bytes, allocated at past_end.cu:16
// SPDX-License-Identifier: MIT
#include <stdio.h>

__global__ void fill(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        a[i] = 1; // ERROR out of bounds
}

int main(void) {
    float *d_a;
    int n = 1000;
    cudaMalloc(&d_a, n * sizeof *d_a);
    fill<<<4, 256>>>(d_a, n);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    cudaFree(d_a);
    return e != cudaErrorIllegalAddress;
}
