// Launches: 20 equal ones, 60 that differ, one that does nothing; none with the argument `none`.
// SPDX-License-Identifier: MIT
#include <stdio.h>

__global__ void add_one(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}
__global__ void nothing(void) {}
__global__ void fill(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

int main(int argc, char **) {
    float *d_x;
    printf("before\n");
    if (argc > 1)
        return 0;
    cudaMalloc(&d_x, 1 << 16);
    fill<<<64, 256>>>(d_x);
    for (int i = 0; i < 20; i++)
        add_one<<<4, 256>>>(d_x, 1024);
    nothing<<<dim3(2, 3, 4), dim3(5, 6)>>>();
    for (int i = 1; i <= 60; i++)
        add_one<<<i, 256>>>(d_x, 256 * i);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_x);
    return 0;
}
