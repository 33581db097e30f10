// Past the end of a __device__ variable.
// EXPECT BY GCC: out of bounds: load of 4 bytes at past_end_variable.cu
// EXPECT BY GCC: just past the end of table, 64 bytes
// SPDX-License-Identifier: MIT
__device__ float table[16];

__global__ void look_up(float *out) {
    out[threadIdx.x] = table[threadIdx.x]; // ERROR out of bounds, by gcc
}

int main(void) {
    float *d_out;
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    look_up<<<1, 17>>>(d_out);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
