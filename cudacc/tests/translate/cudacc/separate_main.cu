// With -rdc=true: device functions and variables of separate_device.cu.
// SPDX-License-Identifier: MIT
#include <stdio.h>

extern __device__ int counter;
extern __constant__ int factor;
__device__ int scaled(int i);

__global__ void count(int n) { atomicAdd(&counter, scaled(n)); }

int main() {
    int result = 0;
    count<<<2, 32>>>(3);
    cudaMemcpyFromSymbol(&result, counter, sizeof result);
    printf("device function and variable of another file: %s\n", result == 1344 ? "ok" : "WRONG");
    return 0;
}
