// The left neighbor of the first pair, by an unsigned index: it is 2^32 pairs off, not one.
// EXPECT: out of bounds: load of 4 bytes at unsigned_below.cu
// EXPECT: kernel difference, launch 0, block (0,0,0), thread (0,0,0): d_in[-1], where an unsigned index is 4294967295; d_in has 2048 bytes
// SPDX-License-Identifier: MIT
__global__ void difference(const float2 *in, float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].y - in[i - 1].y; // ERROR out of bounds
}

int main(void) {
    float2 *d_in;
    float *d_out, *d_after; // which is nearer to the address than d_in
    cudaMalloc(&d_in, 256 * sizeof(float2));
    cudaMalloc(&d_out, 256 * sizeof(float));
    cudaMalloc(&d_after, 1 << 20);
    cudaMemset(d_in, 0, 256 * sizeof(float2));
    difference<<<2, 128>>>(d_in, d_out);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
