// All threads of all blocks add to one number, without an atomic.
// EXPECT: data race: store of 4 bytes at race_sum.cu
// EXPECT: d_sum[0], byte 0 of 4
// EXPECT: if both shall count, use atomicAdd()
// SPDX-License-Identifier: MIT
__global__ void sum(const int *in, int *total) {
    *total += in[blockIdx.x * blockDim.x + threadIdx.x]; // ERROR data race
}

int main(void) {
    int *d_in, *d_sum;
    cudaMalloc(&d_in, 1024 * sizeof *d_in);
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMemset(d_in, 0, 1024 * sizeof *d_in);
    cudaMemset(d_sum, 0, sizeof *d_sum);
    sum<<<4, 256>>>(d_in, d_sum);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_sum);
    return e != cudaSuccess;
}
