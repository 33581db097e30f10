// A tile of 32 floats, read one element too far: that would be whatever follows it.
// EXPECT: out of bounds: load of 4 bytes at shared_past_end.cu
// EXPECT: kernel shift, launch 0, block (0,0,0), thread (31,0,0): just past the end of shared tile, 128 bytes
// SPDX-License-Identifier: MIT
__global__ void shift(const float *in, float *out) {
    __shared__ float tile[32];
    __shared__ float other[32];
    tile[threadIdx.x] = in[threadIdx.x];
    other[threadIdx.x] = 0;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + 1] + other[threadIdx.x]; // ERROR out of bounds
}

int main(void) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, 128);
    cudaMalloc(&d_out, 128);
    cudaMemset(d_in, 0, 128);
    shift<<<1, 32>>>(d_in, d_out);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
