// The first block to run sets up what the others add to, by a plain store, and gives out numbers by
// volatile stores after a fence: none of that memory was written before.
// SPDX-License-Identifier: MIT
__device__ int next_block;

__global__ void add(int *sum, volatile int *number, int *ready) {
    __threadfence(); // so that the last block may set next_block plainly: it comes after all these
    int block = atomicAdd(&next_block, 1);
    if (block == 0) {
        *sum = 0;
        __threadfence();
        atomicExch(ready, 1);
    }
    while (atomicAdd(ready, 0) == 0)
        ;
    __threadfence();
    number[block] = block;
    atomicAdd(sum, number[block]);
    if (block == (int)gridDim.x - 1)
        next_block = 0;
}

int main(void) {
    int *d_sum, *d_number, *d_ready, sum = 0;
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMalloc(&d_number, 8 * sizeof *d_number);
    cudaMalloc(&d_ready, sizeof *d_ready);
    cudaMemset(d_ready, 0, sizeof *d_ready);
    add<<<8, 1>>>(d_sum, d_number, d_ready);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(d_sum);
    cudaFree(d_number);
    cudaFree(d_ready);
    return sum != 28;
}
