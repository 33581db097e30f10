// Waits that never end, one in each run. SPDX-License-Identifier: MIT
#include <cstdio>

// Nobody sets the flag.
__global__ void flag(int *f) {
    if (threadIdx.x == 0)
        while (!atomicAdd(f, 0)) // flag
            ;
    __syncthreads();
}

// The same in shared memory.
__global__ void watch(int *f) {
    __shared__ volatile int set;
    if (threadIdx.x == 0)
        set = *f;
    __syncthreads();
    if (threadIdx.x == 0)
        while (!set) // watch
            ;
    __syncthreads();
}

// A lock that the first thread never gives back.
__global__ void lock(int *f) {
    if (threadIdx.x == 0)
        atomicExch(f, 1);
    __syncthreads();
    while (atomicCAS(f, 0, 1)) // lock
        ;
}

// A barrier of all blocks, and one more than there are.
__global__ void grid(int *f) {
    atomicAdd(f, 1);
    while (atomicAdd(f, 0) < gridDim.x + 1) // grid
        ;
}

// A barrier of more blocks than run at a time.
__global__ void crowd(int *f) {
    atomicAdd(f, 1);
    while (atomicAdd(f, 0) < gridDim.x) // crowd
        ;
}

// The index is never negative, and begins again with 2^32 - 1.
__global__ void overflow(int *f, unsigned n) {
    for (unsigned i = n - 1; i >= 0; i--)
        f[i % n] = i; // overflow
}

int main(int, char **argv) {
    int *f;
    cudaMalloc(&f, sizeof *f);
    cudaMemset(f, 0, sizeof *f);
#define RUN(kernel, blocks, threads, ...)                                                          \
    if (argv[1][0] == #kernel[0])                                                                  \
    kernel<<<blocks, threads>>>(__VA_ARGS__)
    RUN(flag, 1, 64, f);
    RUN(watch, 1, 64, f);
    RUN(lock, 1, 32, f);
    RUN(crowd, 1030, 1, f);
    RUN(overflow, 1, 1, f, 1);
    RUN(grid, 2, 1, f);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(f);
}
