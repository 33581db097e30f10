// A lock for one thread of each block: taken by compare-and-swap, given back by an exchange, with
// fences on both sides. The sum it guards is plain memory.
// SPDX-License-Identifier: MIT
__device__ int lock_word;

__device__ void lock(void) {
    while (atomicCAS(&lock_word, 0, 1) != 0)
        ;
    __threadfence();
}
__device__ void unlock(void) {
    __threadfence();
    atomicExch(&lock_word, 0);
}

__global__ void add(int *sum) {
    __shared__ int in_block;
    if (threadIdx.x == 0)
        in_block = 0;
    __syncthreads();
    atomicAdd(&in_block, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        lock();
        *sum += in_block;
        unlock();
    }
}

int main(void) {
    int *d_sum, sum = 0;
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMemset(d_sum, 0, sizeof *d_sum);
    add<<<20, 64>>>(d_sum);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(d_sum);
    return sum != 20 * 64;
}
