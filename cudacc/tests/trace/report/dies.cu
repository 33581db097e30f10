// Ways in which a kernel ends that its memory accesses do not tell. SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void leaves(int *a, int code) {
    a[threadIdx.x] = 1;        // -> exit
    void (*leave)(int) = exit; // by its name cudacc refuses it, as nvcc does
    leave(code);
}

// What the tracer does not see.
__attribute__((no_sanitize("thread"))) __device__ __noinline__ void store(int *p) {
    *p = 1; // -> unseen
}
__global__ void unseen(int *a, size_t bytes) {
    a[threadIdx.x] = 1;
    if (threadIdx.x == 9)
        store((int *)((char *)a + bytes));
}

// In the C library, whose lines say nothing.
__global__ void prints(int *a, const char *text) {
    int n = a[threadIdx.x]; // -> library
    if (threadIdx.x == 9)
        printf("%s %d\n", text, n);
}

// Of 16 blocks, some of which are not traced.
__global__ void overruns(int *a, size_t n) {
    if (blockIdx.x == 7)
        a[n + threadIdx.x] = 1; // -> sampled
}

int main(int count, char **argument) {
    const char *which = count > 1 ? argument[1] : "";
    int *d_a;
    cudaMalloc(&d_a, 32 * sizeof *d_a);
    cudaMemset(d_a, 0, 32 * sizeof *d_a);
#define RUN(name, kernel, blocks, ...)                                                             \
    if (strcmp(which, name) == 0)                                                                  \
    kernel<<<blocks, 32>>>(d_a, __VA_ARGS__)
    RUN("exit", leaves, 1, 0);
    RUN("exit 3", leaves, 1, 3);
    RUN("unseen", unseen, 1, 4096);
    RUN("library", prints, 1, (const char *)16);
    RUN("sampled", overruns, 16, 1024);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_a);
    return 0;
}
