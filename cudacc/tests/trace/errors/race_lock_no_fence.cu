// A lock made of atomics keeps the others out, but without a fence before it is given back the sum
// may not have arrived.
// EXPECT: data race: store of 4 bytes at race_lock_no_fence.cu
// SPDX-License-Identifier: MIT
__global__ void add(int *lock, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        *sum += 1; // ERROR data race
        atomicExch(lock, 0);
    }
}

int main(void) {
    int *d_lock, *d_sum;
    cudaMalloc(&d_lock, sizeof *d_lock);
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMemset(d_lock, 0, sizeof *d_lock);
    cudaMemset(d_sum, 0, sizeof *d_sum);
    add<<<8, 32>>>(d_lock, d_sum);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_lock);
    cudaFree(d_sum);
    return e != cudaSuccess;
}
