// A counter in shared memory that was never set to zero.
// EXPECT: read of memory never written: atomic of 4 bytes at shared_not_written.cu
// EXPECT: byte 0 of shared count, 4 bytes; no thread of the block has written it
// SPDX-License-Identifier: MIT
__global__ void count_odd(const int *in, int *out) {
    __shared__ int count;
    if (in[threadIdx.x] % 2)
        atomicAdd(&count, 1); // ERROR read of memory never written
    __syncthreads();
    if (threadIdx.x == 0)
        *out = count;
}

int main(void) {
    static int h_in[64];
    int *d_in, *d_out;
    for (int i = 0; i < 64; i++)
        h_in[i] = i;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof *d_out);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    count_odd<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return e != cudaSuccess;
}
