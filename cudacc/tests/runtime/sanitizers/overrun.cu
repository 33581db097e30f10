// SPDX-License-Identifier: MIT
// Host code that writes one element too far, between kernels that wait at barriers:
// AddressSanitizer names the line, and says nothing of the kernels' stacks.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 256 };

__global__ void reverse(int *a) {
    __shared__ int shared[N];
    int own[4]; // in memory, on the stack of this thread
    for (int k = 0; k < 4; k++)
        *(volatile int *)&own[k] = a[threadIdx.x] + k;
    shared[N - 1 - threadIdx.x] = own[0];
    __syncthreads();
    a[threadIdx.x] = shared[threadIdx.x] + own[3] - own[3];
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : N; // more than N: too many
    int *h = (int *)malloc(N * sizeof *h), *d = NULL, right = 1;
    cudaMalloc((void **)&d, N * sizeof *d);
    for (int i = 0; i < N; i++)
        h[i] = i;
    cudaMemcpy(d, h, N * sizeof *d, cudaMemcpyHostToDevice);
    reverse<<<1, N>>>(d);
    cudaMemcpy(h, d, N * sizeof *d, cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++)
        h[i] -= N - 1 - i; // OVERRUN
    for (int i = 0; i < N; i++)
        right &= h[i] == 0;
    cudaFree(d);
    free(h);
    printf("%s\n", right ? "PASS" : "FAIL");
    return !right;
}
