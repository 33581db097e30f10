// The array has been freed before the kernel reads it.
// EXPECT: use after free: load of 4 bytes at use_after_free.cu
// EXPECT: kernel copy, launch 0, block (0,0,0), thread (0,0,0): d_in[0], byte 0 of 256, allocated at use_after_free.cu:11, which has been freed
// SPDX-License-Identifier: MIT
__global__ void copy(const int *in, int *out) {
    out[threadIdx.x] = in[threadIdx.x]; // ERROR use after free
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 64 * sizeof *d_in);
    cudaMalloc(&d_out, 64 * sizeof *d_out);
    cudaMemset(d_in, 0, 64 * sizeof *d_in);
    cudaFree(d_in);
    copy<<<1, 64>>>(d_in, d_out);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
