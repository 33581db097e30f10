// A barrier over the grid orders what is before it, not what comes after it: the next phase needs
// another one.
// EXPECT: nothing orders two blocks of a launch
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>

__global__ void two_phases(int *from, int *to, int count) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    from[i] = i;
    cooperative_groups::this_grid().sync();
    to[i] = from[count - 1 - i]; // ERROR data race
    from[i] = 0;                 // ERROR data race
}

int main(void) {
    int *d_from, *d_to, count = 4 * 64;
    cudaMalloc(&d_from, count * sizeof *d_from);
    cudaMalloc(&d_to, count * sizeof *d_to);
    void *arguments[] = {&d_from, &d_to, &count};
    cudaLaunchCooperativeKernel((void *)two_phases, dim3(4), dim3(64), arguments, 0, 0);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_from);
    cudaFree(d_to);
    return e != cudaSuccess;
}
