// The flag of one block tells another that a sum is there, after a fence for the threads of the
// block alone.
// EXPECT: data race: store of 4 bytes at race_fence_of_block.cu
// EXPECT: nothing orders two blocks of a launch but atomics with __threadfence()
// SPDX-License-Identifier: MIT
__global__ void hand_on(int *sum, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *sum = 42; // ERROR data race
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = *sum; // ERROR data race
    }
}

int main(void) {
    int *d_sum, *d_flag, *d_out;
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMalloc(&d_flag, sizeof *d_flag);
    cudaMalloc(&d_out, sizeof *d_out);
    cudaMemset(d_flag, 0, sizeof *d_flag);
    hand_on<<<2, 1>>>(d_sum, d_flag, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_sum);
    cudaFree(d_flag);
    cudaFree(d_out);
    return e != cudaSuccess;
}
