// A block returns before a barrier over the grid, and the others wait for it forever.
// EXPECT: kernel died: waits at a barrier over the grid for blocks that have returned
// EXPECT: error 702, the launch timed out
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>

__global__ void leaves(int *a, int count) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if ((int)(blockIdx.x * blockDim.x) >= count)
        return;
    a[i] = i;
    cooperative_groups::this_grid().sync(); // ERROR kernel died
}

int main(void) {
    int *d_a, count = 192;
    cudaMalloc(&d_a, 256 * sizeof *d_a);
    void *arguments[] = {&d_a, &count};
    cudaLaunchCooperativeKernel((void *)leaves, dim3(4), dim3(64), arguments, 0, 0);
    return cudaDeviceSynchronize() == cudaSuccess;
}
