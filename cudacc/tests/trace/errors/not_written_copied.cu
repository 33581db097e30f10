// A copy on the device of memory that was never written is still not written; so is what a kernel
// leaves out.
// EXPECT: kernel read, launch 1, block (0,0,0), thread (1,0,0): d_copy[1], byte 4 of 256
// SPDX-License-Identifier: MIT
__global__ void write_even(int *a) {
    if (threadIdx.x % 2 == 0)
        a[threadIdx.x] = 1;
}
__global__ void read(const int *a, int *out) {
    out[threadIdx.x] = a[threadIdx.x]; // ERROR read of memory never written
}

int main(void) {
    int *d_a, *d_copy, *d_out;
    cudaMalloc(&d_a, 64 * sizeof(int));
    cudaMalloc(&d_copy, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    write_even<<<1, 64>>>(d_a);
    cudaMemcpy(d_copy, d_a, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
    read<<<1, 64>>>(d_copy, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    cudaFree(d_copy);
    cudaFree(d_out);
    return e != cudaSuccess;
}
