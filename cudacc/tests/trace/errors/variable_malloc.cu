// A pointer that kernels know by its name: cudaMalloc fills in the host's copy of it.
// EXPECT: wrong argument: cudaMalloc at variable_malloc.cu:13: its result is d_list, a variable of the device, whose address the host does not have: use a variable of the host and cudaMemcpyToSymbol
// EXPECT: device pointer on the host: store of 4 bytes at variable_malloc.cu:14: byte 4 of factors, 8 bytes
// SPDX-License-Identifier: MIT
__device__ float *d_list;
__constant__ float factors[2];

__global__ void fill(void) {
    d_list[threadIdx.x] = factors[0] + factors[1]; // on a GPU d_list is still a null pointer here
}

int main(void) {
    cudaMalloc(&d_list, 64 * sizeof *d_list); // ERROR wrong argument
    factors[1] = 2;                           // ERROR device pointer on the host
    fill<<<1, 64>>>();
    cudaError_t e = cudaDeviceSynchronize();
    cudaDeviceReset();
    return e != cudaSuccess;
}
