// Two blocks add to one counter with an atomic that is one for a block alone
// EXPECT: kernel count, launch 0, block (0,0,0), thread (0,0,0), and block (1,0,0), thread (0,0,0): d_sum[0], byte 0 of 4
// EXPECT: an atomic function whose name ends in _block is one for the threads of a block
// SPDX-License-Identifier: MIT
__global__ void count(int *sum) {
    atomicAdd_block(sum, 1); // ERROR data race
}

int main(void) {
    int *d_sum;
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMemset(d_sum, 0, sizeof *d_sum);
    count<<<2, 64>>>(d_sum);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_sum);
    return e != cudaSuccess;
}
