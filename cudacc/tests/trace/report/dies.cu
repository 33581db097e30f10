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
    if (strcmp(which, "exit") == 0)
        leaves<<<1, 32>>>(d_a, 0);
    if (strcmp(which, "exit 3") == 0)
        leaves<<<1, 32>>>(d_a, 3);
    if (strcmp(which, "unseen") == 0)
        unseen<<<1, 32>>>(d_a, 4096);
    if (strcmp(which, "library") == 0)
        prints<<<1, 32>>>(d_a, (const char *)16);
    if (strcmp(which, "sampled") == 0)
        overruns<<<16, 32>>>(d_a, 1024);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_a);
    return 0;
}
