// Atomics for a block alone: on shared memory and on a sum of the block's own, which the last block
// adds to the others' sums
// SPDX-License-Identifier: MIT
__device__ unsigned ticket;

__global__ void count(int *sums, int *total) {
    __shared__ int bins[4];
    __shared__ bool last;
    if (threadIdx.x < 4)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd_block(&bins[threadIdx.x % 4], 1);
    __syncthreads();
    if (threadIdx.x < 4)
        atomicAdd_block(&sums[blockIdx.x], bins[threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&ticket, 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (unsigned i = 0; i < gridDim.x; i++)
            *total += ((volatile int *)sums)[i];
}

int main(void) {
    const int blocks = 4, threads = 64;
    int *d_sums, *d_total, total;
    cudaMalloc(&d_sums, blocks * sizeof *d_sums);
    cudaMalloc(&d_total, sizeof *d_total);
    cudaMemset(d_sums, 0, blocks * sizeof *d_sums);
    cudaMemset(d_total, 0, sizeof *d_total);
    count<<<blocks, threads>>>(d_sums, d_total);
    cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost);
    cudaFree(d_sums);
    cudaFree(d_total);
    return total != blocks * threads;
}
