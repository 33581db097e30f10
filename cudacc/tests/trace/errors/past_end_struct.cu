// An access that begins inside and ends outside: the last float4 of an array whose length is not a
// multiple of 4.
// EXPECT: ; the access ends 8 bytes past that
// EXPECT: kernel sum, launch 0, block (0,0,0), thread (25,0,0) and 6 more of its warp: d_in[100], byte 400 of 408
// SPDX-License-Identifier: MIT
__global__ void sum(const float4 *in, float *out) {
    float4 v = in[threadIdx.x]; // ERROR out of bounds
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main(void) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, 102 * sizeof(float));
    cudaMalloc(&d_out, 32 * sizeof(float));
    cudaMemset(d_in, 0, 102 * sizeof(float));
    sum<<<1, 32>>>((const float4 *)d_in, d_out);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
