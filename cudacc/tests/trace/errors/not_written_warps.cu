// Five warps of a block read what a memset has written, the sixth reads on past it.
// EXPECT: block (0,0,0), thread (160,0,0): d_in[160], byte 640 of 1024
// SPDX-License-Identifier: MIT
#include <stddef.h>

__global__ void copy(const float *in, float *out) {
    out[threadIdx.x] = in[threadIdx.x]; // ERROR read of memory never written
}

int main(void) {
    float *d_in, *d_out;
    size_t bytes = 256 * sizeof(float);
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemset(d_in, 0, 640);
    copy<<<1, 256>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
