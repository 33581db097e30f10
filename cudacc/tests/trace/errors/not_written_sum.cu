// A lock keeps the blocks that add to a sum apart, but none of them is the first: it was never set
// to zero.
// EXPECT: kernel add, launch 0, block (0,0,0), thread (0,0,0): d_sum[0], byte 0 of 4
// SPDX-License-Identifier: MIT
__global__ void add(int *sum, int *lock) {
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *sum += blockIdx.x; // ERROR read of memory never written
    __threadfence();
    atomicExch(lock, 0);
}

int main(void) {
    int *d_sum, *d_lock;
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMalloc(&d_lock, sizeof *d_lock);
    cudaMemset(d_lock, 0, sizeof *d_lock);
    add<<<8, 1>>>(d_sum, d_lock);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_sum);
    cudaFree(d_lock);
    return e != cudaSuccess;
}
