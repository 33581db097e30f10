// A kernel prints more than its buffer holds; another one prints just before the program ends
// EXPECT: lost output: printf at printf_overwritten.cu:8: its buffer holds 4096 bytes, and the first 10000 that kernels printed since the host last waited are overwritten
// EXPECT: lost output: printf at printf_overwritten.cu:11: the program ends, and the last 44 bytes that kernels printed are not shown: cudaDeviceSynchronize() after the launch shows them
// SPDX-License-Identifier: MIT
#include <stdio.h>

__global__ void hello(void) {
    printf("hello of thread %3d\n", threadIdx.x); // ERROR lost output
}
__global__ void good_bye(void) {
    printf("good-bye %d\n", threadIdx.x); // ERROR lost output
}

int main(void) {
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096);
    hello<<<1, 704>>>();
    cudaDeviceSynchronize();
    good_bye<<<1, 4>>>();
    return 0;
}
