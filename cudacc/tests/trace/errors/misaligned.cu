// A float4 must lie at a multiple of 16 bytes: here the array is read from its second float on.
// EXPECT: misaligned access: load of 16 bytes at misaligned.cu
// EXPECT: thread (0,0,0): the address must be a multiple of 16; it is d_in[1], byte 4 of 256
// SPDX-License-Identifier: MIT
__global__ void copy(const float *in, float4 *out) {
    const float4 *in4 = (const float4 *)(in + 1);
    out[threadIdx.x] = in4[threadIdx.x]; // ERROR misaligned access
}

int main(void) {
    float *d_in;
    float4 *d_out;
    cudaMalloc(&d_in, 64 * sizeof *d_in);
    cudaMalloc(&d_out, 15 * sizeof *d_out);
    cudaMemset(d_in, 0, 64 * sizeof *d_in);
    copy<<<1, 15>>>(d_in, d_out);
    return cudaDeviceSynchronize() != cudaErrorMisalignedAddress;
}
