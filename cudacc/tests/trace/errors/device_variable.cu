// The host reads a __device__ variable by its name: that is a copy of its own, which no kernel
// sees.
// EXPECT: device pointer on the host: load of 4 bytes at device_variable.cu
// EXPECT: byte 0 of total, 4 bytes
// EXPECT: CPU device: 1 error
// SPDX-License-Identifier: MIT
#include <stdio.h>

__device__ int total;

__global__ void count(void) { atomicAdd(&total, 1); }

int main(void) {
    int right = 0;
    count<<<1, 32>>>();
    cudaMemcpyFromSymbol(&right, total, sizeof right);
    for (int i = 0; i < 3; i++)
        printf("%d %d\n", right, total); // ERROR device pointer on the host
    return 0;
}
