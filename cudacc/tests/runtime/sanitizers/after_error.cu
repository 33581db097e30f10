// SPDX-License-Identifier: MIT
// A kernel fails in the middle of a block, with fibers left behind at a barrier, and more work
// waits behind it: what all of it held is let go. The argument says how it fails.
#include <cuda_runtime.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { N = 256 };

__global__ void fail(int *a, int how) {
    __shared__ int shared[N];
    shared[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == N / 2 && how == 'n')
        *(volatile int *)NULL = 1;
    if (threadIdx.x == N / 2 && how == 'm')
        *(volatile int *)((char *)a + 2) = 1;
    assert(threadIdx.x != N / 2 || how != 'a');
    if (how == 'd') {
        if (threadIdx.x % 32 < 16)
            __syncthreads();
        else
            __syncwarp();
    }
    __syncthreads();
    a[threadIdx.x] = shared[N - 1 - threadIdx.x];
}

static void *volatile mine; // what the program itself holds on to

int main(int argc, char **argv) {
    int how = argc > 1 ? argv[1][0] : 'n', *d = NULL;
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    cudaMalloc((void **)&d, N * sizeof *d);
    mine = d;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaMemsetAsync(d, 0, N * sizeof *d, stream);
    for (int i = 0; i < 20; i++)
        fail<<<4, N, 0, stream>>>(d, i == 1 ? how : 0);
    cudaEventRecord(event, stream);
    cudaMemsetAsync(d, 1, N * sizeof *d, stream);
    cudaStreamDestroy(stream);
    cudaEventDestroy(event);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e == cudaSuccess;
}
