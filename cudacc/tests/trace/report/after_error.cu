// An index outside of the bins ends the first kernel; those after it are refused.
// SPDX-License-Identifier: MIT
#include <stdio.h>

__global__ void histogram(int *bins, const int *in) { atomicAdd(bins + in[threadIdx.x], 1); }
__global__ void scale(int *bins) { bins[threadIdx.x] *= 2; }

int main() {
    int *d_in, *d_bins, h_in[32];
    for (int i = 0; i < 32; i++)
        h_in[i] = i % 5;
    cudaMalloc(&d_in, sizeof h_in), cudaMalloc(&d_bins, 4 * sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, 4 * sizeof(int));
    histogram<<<1, 32>>>(d_bins, d_in);
    scale<<<1, 4>>>(d_bins);
    histogram<<<1, 32>>>(d_bins, d_in);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
