// Two blocks add to one counter with an atomic that is one for a block alone
// UNSEEN: `atomicAdd_block` is looked at as `atomicAdd`.
// SPDX-License-Identifier: MIT
__global__ void count(int *sum) { atomicAdd_block(sum, 1); }

int main(void) {
    int *d_sum;
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMemset(d_sum, 0, sizeof *d_sum);
    count<<<2, 64>>>(d_sum);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_sum);
    return e != cudaSuccess;
}
