// A kernel prints just before the program ends; another one has printed before its buffer is set
// EXPECT: lost output: printf at printf_lost.cu:9: the program ends, and the last 44 bytes that kernels printed are not shown: cudaDeviceSynchronize() after the launch shows them
// EXPECT: failed call: cudaDeviceSetLimit at printf_lost.cu:16: error 1, invalid argument
// SPDX-License-Identifier: MIT
#include <stdio.h>

__global__ void hello(void) { printf("hello of thread %3d\n", threadIdx.x); }
__global__ void good_bye(void) {
    printf("good-bye %d\n", threadIdx.x); // ERROR lost output
}

int main(void) {
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 16384);
    hello<<<1, 704>>>();
    cudaDeviceSynchronize();
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096); // ERROR failed call
    hello<<<1, 704>>>();
    cudaDeviceSynchronize();
    good_bye<<<1, 4>>>();
    return 0;
}
