// An assertion fails in every block from the 1000th on.
// EXPECT: kernel died: assertion `index[i] < n` failed at dies_assert.cu
// EXPECT: kernel gather, launch 0, block (1000,0,0), thread (5,0,0): error 710, device-side assert triggered
// SPDX-License-Identifier: MIT
#include <cassert>

__global__ void gather(float *out, const float *in, const int *index, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(index[i] < n); // ERROR kernel died
    out[i] = in[index[i]];
}

int main(void) {
    const int n = 2000 * 64;
    static int h_index[n];
    for (int i = 0; i < n; i++)
        h_index[i] = n - 1 - i;
    for (int block = 1000; block < n / 64; block++)
        h_index[64 * block + 5] = n;
    float *d_in, *d_out;
    int *d_index;
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMalloc(&d_out, n * sizeof *d_out);
    cudaMalloc(&d_index, sizeof h_index);
    cudaMemset(d_in, 0, n * sizeof *d_in);
    cudaMemcpy(d_index, h_index, sizeof h_index, cudaMemcpyHostToDevice);
    gather<<<n / 64, 64>>>(d_out, d_in, d_index, n);
    return cudaDeviceSynchronize() != cudaErrorAssert;
}
