// Each block waits for its predecessor (blocks are numbered by a ticket, so that the predecessor
// runs already), through a volatile flag and fences, and continues from its sum: a chained scan.
// SPDX-License-Identifier: MIT
#include <stdio.h>

__device__ int next_block;

__global__ void scan(const int *in, int *sums, volatile int *flag, int blocks) {
    __shared__ int block;
    if (threadIdx.x == 0)
        block = atomicAdd(&next_block, 1);
    __syncthreads();
    int s = in[block * 32 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_down_sync(0xffffffff, s, step);
    if (threadIdx.x == 0) {
        if (block > 0) {
            while (flag[block - 1] == 0)
                ;
            __threadfence();
            s += sums[block - 1];
        }
        sums[block] = s;
        __threadfence();
        flag[block] = 1;
    }
    if (threadIdx.x == 0 && block == blocks - 1)
        next_block = 0;
    if (block == 0) // it ends long after the next one has read what it wrote
        for (long long start = clock64(); clock64() - start < 20000000;)
            ;
}

int main(void) {
    static int h_in[32 * 24];
    int *d_in, *d_sums, *d_flag, sum = 0;
    for (int i = 0; i < 32 * 24; i++)
        h_in[i] = 1;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_sums, 24 * sizeof(int));
    cudaMalloc(&d_flag, 24 * sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    cudaMemset(d_flag, 0, 24 * sizeof(int));
    scan<<<24, 32>>>(d_in, d_sums, d_flag, 24);
    cudaMemcpy(&sum, d_sums + 23, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_sums);
    cudaFree(d_flag);
    printf("%d\n", sum);
    return sum != 32 * 24;
}
