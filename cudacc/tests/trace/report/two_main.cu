// With two_other.cu one program: lines carry the name of their file.
// SPDX-License-Identifier: MIT
#include <stdio.h>

void launch_other(float *x);
__global__ void here(float *x) { x[threadIdx.x] += 1; }

int main() {
    float *d_x;
    cudaMalloc(&d_x, 128);
    cudaMemset(d_x, 0, 128);
    here<<<1, 32>>>(d_x);
    launch_other(d_x);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_x);
    return 0;
}
