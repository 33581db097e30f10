// A pointer to the host's memory is handed to a kernel.
// EXPECT: host pointer in a kernel: load of 4 bytes at host_pointer.cu
// EXPECT: kernel sum, launch 0, block (0,0,0), thread (0,0,0): its 2nd argument is a pointer to host memory
// SPDX-License-Identifier: MIT
__global__ void sum(float *out, const float *in) {
    out[threadIdx.x] += in[threadIdx.x]; // ERROR host pointer in a kernel
}

int main(void) {
    static float h_in[64];
    float *d_out;
    cudaMalloc(&d_out, sizeof h_in);
    cudaMemset(d_out, 0, sizeof h_in);
    sum<<<1, 64>>>(d_out, h_in);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
