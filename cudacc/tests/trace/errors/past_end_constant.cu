// Past the end of a __constant__ variable, with another one on either side.
// EXPECT: out of bounds: load of 4 bytes at past_end_constant.cu
// EXPECT: kernel polynomial, launch 0, block (0,0,0), thread (16,0,0): just past the end of factors, 64 bytes
// SPDX-License-Identifier: MIT
__constant__ float before[16];
__constant__ float factors[16], after[16];

__global__ void polynomial(float *out) {
    out[threadIdx.x] = before[threadIdx.x % 16] + after[threadIdx.x % 16];
    out[threadIdx.x] *= factors[threadIdx.x]; // ERROR out of bounds
}

int main(void) {
    float *d_out;
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    polynomial<<<1, 17>>>(d_out);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
