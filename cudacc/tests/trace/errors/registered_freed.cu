// Registered host memory is freed while a copy or a kernel may still use it, and used after that
// EXPECT: use after free: free at registered_freed.cu:26, by the host, and cudaMemcpyAsync at registered_freed.cu:25
// EXPECT: use after free: free at registered_freed.cu:29, by the host, and store of 4 bytes at registered_freed.cu:10 in kernel twice
// EXPECT: h_b, 4096 bytes, allocated at registered_freed.cu:21; the host has not waited for it
// EXPECT: use after free: cudaMemcpyAsync at registered_freed.cu:32: its source is byte 0 of h_a, 4096 bytes, allocated at registered_freed.cu:20, which has been freed
// EXPECT: thread (0,0,0): byte 0 of h_b, 4096 bytes, allocated at registered_freed.cu:21, which has been freed
// SPDX-License-Identifier: MIT
#include <stdlib.h>

__global__ void twice(int *a) { a[threadIdx.x] *= 2; }
__global__ void thrice(int *a) { a[threadIdx.x] *= 3; } // ERROR use after free

int main(void) {
    int *d_a, *h_a = (int *)calloc(1024, sizeof *h_a), *h_b = (int *)calloc(1024, sizeof *h_b);
    cudaStream_t stream;
    if (!h_a || !h_b)
        return 1;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_a, 4096);
    cudaHostRegister(h_a, 4096, cudaHostRegisterDefault);
    cudaHostRegister(h_b, 4096, cudaHostRegisterDefault);

    // A synchronize and cudaHostUnregister belong before each free().
    int *a = h_a, *b = h_b;
    cudaMemcpyAsync(d_a, a, 4096, cudaMemcpyHostToDevice, stream);
    free(h_a); // ERROR use after free

    twice<<<1, 32, 0, stream>>>(b);
    free(h_b); // ERROR use after free

    cudaStreamSynchronize(stream);
    cudaMemcpyAsync(d_a, a, 4096, cudaMemcpyHostToDevice, stream); // ERROR use after free
    cudaStreamSynchronize(stream);
    cudaGetLastError();
    thrice<<<1, 32, 0, stream>>>(b);
    cudaError_t e = cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(d_a);
    return e != cudaErrorIllegalAddress;
}
