// The address of a shared variable is kept for the next kernel.
// EXPECT: shared table[0], byte 0 of 128; it is kernel fill's, and this address has been kept: shared memory ends with its block
// SPDX-License-Identifier: MIT
__device__ int *kept;

__global__ void fill(void) {
    __shared__ int table[32];
    table[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        kept = table;
}

__global__ void use(int *out) {
    out[threadIdx.x] = kept[threadIdx.x]; // ERROR read of memory never written
}

int main(void) {
    int *d_out;
    cudaMalloc(&d_out, 128);
    fill<<<1, 32>>>();
    use<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
