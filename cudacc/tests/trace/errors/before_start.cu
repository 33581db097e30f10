// The left neighbor of the first element.
// EXPECT: out of bounds: load of 4 bytes at before_start.cu
// EXPECT: kernel difference, launch 0, block (0,0,0), thread (0,0,0): 4 bytes before d_in, 1024 bytes
// SPDX-License-Identifier: MIT
__global__ void difference(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] - in[i - 1]; // ERROR out of bounds
}

int main(void) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 256 * sizeof(int));
    cudaMalloc(&d_out, 256 * sizeof(int));
    cudaMemset(d_in, 0, 256 * sizeof(int));
    difference<<<2, 128>>>(d_in, d_out);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
