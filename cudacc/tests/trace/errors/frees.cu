// Memory that is freed twice, by the wrong call, too early or never
// SPDX-License-Identifier: MIT
#include "program.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// ---- free_twice: The same pointer is freed twice; another one was never allocated.
// EXPECT: free of a wrong pointer: cudaFree at free_twice.cu:9: d_a[0], byte 0 of 1000, allocated at free_twice.cu:7, which has been freed
// EXPECT: free of a wrong pointer: cudaFree at free_twice.cu:12: d_b[1], byte 4 of 1000
PROGRAM(free_twice, ANY_RESULT) {
    float *d_a, *d_b;
    int failed = 0;
    cudaMalloc(&d_a, 1000);
    cudaFree(d_a);
    failed += cudaFree(d_a) != cudaSuccess; // ERROR free of a wrong pointer

    cudaMalloc(&d_b, 1000);
    failed += cudaFree(d_b + 1) != cudaSuccess; // ERROR free of a wrong pointer
    cudaFree(d_b);
    exit_code = failed != 2;
}

// ---- free_wrong: Each memory is freed by the call for another one.
// EXPECT: free of a wrong pointer: cudaFree at free_wrong.cu:11: memory of the host that no call of CUDA gave; malloc's is freed with free()
// EXPECT: cudaFree at free_wrong.cu:12: h_pinned[0], byte 0 of 100, allocated at free_wrong.cu:9; memory of cudaMallocHost is freed with cudaFreeHost
// EXPECT: cudaFreeHost at free_wrong.cu:13: d_a[0], byte 0 of 100, allocated at free_wrong.cu:10; memory of the device is freed with cudaFree
// EXPECT: cudaFree at free_wrong.cu:14: d_a[1], byte 4 of 100, allocated at free_wrong.cu:10; only the pointer to its first byte can be freed
PROGRAM(free_wrong, ANY_RESULT) {
    int *h_a = (int *)malloc(100);
    int *h_pinned, *d_a;
    cudaMallocHost(&h_pinned, 100);
    cudaMalloc(&d_a, 100);
    cudaFree(h_a);      // ERROR free of a wrong pointer
    cudaFree(h_pinned); // ERROR free of a wrong pointer
    cudaFreeHost(d_a);  // ERROR free of a wrong pointer
    cudaFree(d_a + 1);  // ERROR free of a wrong pointer
    free(h_a);
    cudaFreeHost(h_pinned);
    cudaFree(d_a);
}

// ---- freed_as_malloc: Memory that CUDA gave goes to free(), which ends the program.
// EXPECT: free at freed_as_malloc.cu:9: h_pinned[0], byte 0 of 100, allocated at freed_as_malloc.cu:7; memory of cudaMallocHost is freed with cudaFreeHost
// EXPECT: free at freed_as_malloc.cu:10: d_a[0], byte 0 of 100, allocated at freed_as_malloc.cu:8; memory of the device is freed with cudaFree
// EXPECT: realloc at freed_as_malloc.cu:11: h_pinned[0], byte 0 of 100
PROGRAM(freed_as_malloc, ANY_RESULT) {
    int *h_pinned, *d_a;
    cudaMallocHost(&h_pinned, 100);
    cudaMalloc(&d_a, 100);
    free(h_pinned);             // ERROR free of a wrong pointer
    free(d_a);                  // ERROR free of a wrong pointer
    if (realloc(h_pinned, 200)) // ERROR free of a wrong pointer
        exit(1);
    cudaFreeHost(h_pinned);
    cudaFree(d_a);
}

// ---- free_in_use: Memory of cudaMallocAsync is freed, by cudaFree or in another stream, while
// its stream uses it
// EXPECT: use after free: cudaFree at free_in_use.cu:14, by the host, and cudaMemsetAsync at free_in_use.cu:13
// EXPECT: use after free: cudaFree at free_in_use.cu:17, by the host, and store of 4 bytes at free_in_use.cu:8 in kernel fill
// EXPECT: d_a, 1024 bytes, allocated at free_in_use.cu:15; the host has not waited for it: synchronize with its stream between the two
// EXPECT: use after free: store of 4 bytes at free_in_use.cu:8 in kernel fill and cudaFreeAsync at free_in_use.cu:22
__global__ void fill(int *a) {
    a[threadIdx.x] = 1; // ERROR use after free
}
static void free_all(cudaStream_t stream) {
    int *d_a, *d_b, *d_c;
    cudaMallocAsync(&d_c, 1024, 0);
    cudaMemsetAsync(d_c, 0, 1024, 0);
    cudaFree(d_c); // ERROR use after free
    cudaMallocAsync(&d_a, 1024, stream);
    fill<<<1, 256, 0, stream>>>(d_a);
    cudaFree(d_a); // ERROR use after free
    cudaStreamSynchronize(stream);
    cudaMallocAsync(&d_b, 1024, stream);
    fill<<<1, 256, 0, stream>>>(d_b);
    // d_b ends in the order of stream 0, which this stream does not wait for.
    cudaFreeAsync(d_b, NULL);
}
PROGRAM(free_in_use) {
    NON_BLOCKING_STREAM(stream);
    free_all(stream);
}

// ---- freed_in_another_stream: Memory is freed in another stream than the one that still uses
// it, and nothing orders the two
// EXPECT: use after free: cudaMemsetAsync at freed_in_another_stream.cu:19: its memory is d_a[0], byte 0 of 256, allocated at freed_in_another_stream.cu:17, which has been freed
/* Keeps the stream busy until the other one has gone on, for certain. */
static volatile int freed;
static void CUDART_CB wait_for_free(void *unused) {
    (void)unused;
    while (!freed)
        usleep(1000);
}
__global__ void fill_late(int *a) { a[threadIdx.x] = 1; }
PROGRAM(freed_in_another_stream, cudaErrorIllegalAddress) {
    int *d_a;
    NON_BLOCKING_STREAM(user);
    NON_BLOCKING_STREAM(other);
    cudaLaunchHostFunc(user, wait_for_free, NULL);
    cudaMallocAsync((void **)&d_a, 64 * sizeof *d_a, user);
    // Ordered for the host, which waits for neither.
    cudaMemsetAsync(d_a, 0, 64 * sizeof *d_a, user); // ERROR use after free
    fill_late<<<1, 64, 0, user>>>(d_a);
    cudaFreeAsync(d_a, other);
    cudaStreamSynchronize(other);
    freed = 1;
}

// ---- heap_freed_by_one: One thread frees the block's scratch memory; the others have not
// finished with it.
// EXPECT: thread (0,0,0) and 31 more of its warp: byte 252 of 256 from malloc(), which have been freed
__global__ void reverse(int *out) {
    __shared__ int *scratch;
    if (threadIdx.x == 0)
        scratch = (int *)malloc(64 * sizeof *scratch);
    __syncthreads();
    scratch[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        free(scratch);
    out[threadIdx.x] = scratch[63 - threadIdx.x]; // ERROR use after free
}
PROGRAM(heap_freed_by_one, cudaErrorIllegalAddress) {
    ARRAY(int, d_out, 64);
    reverse<<<1, 64>>>(d_out);
}

// ---- heap_leak: A list that a kernel builds, and nothing takes apart.
// EXPECT: leak: 1024 bytes in 64 blocks from malloc() or new in a kernel at heap_leak.cu:9, never freed
struct part {
    int number;
    struct part *next;
};
__global__ void build(struct part **lists) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    struct part *p = new part; // NOTE leak
    p->number = i;
    p->next = NULL;
    lists[i] = p;
    int *own = new int[2];
    own[1] = i;
    delete[] own;
}
PROGRAM(heap_leak) {
    ARRAY(struct part *, d_lists, 64);
    build<<<2, 32>>>(d_lists);
}

// ---- leak: Two of three allocations are never freed, nor is one in stream order. Pinned memory
// is the host's, and no leak of the device.
// EXPECT: leak: d_b, 2000 bytes, allocated at leak.cu:10, was never freed
// EXPECT: leak: m_c, 40 bytes, allocated at leak.cu:11, was never freed
// EXPECT: leak: d_d, 80 bytes, allocated at leak.cu:12, was never freed
// EXPECT: CPU device: 0 errors, 3 notes
PROGRAM(leak) {
    float *d_b, *m_c, *d_d;
    ARRAY(float, d_a, 250);
    cudaMalloc(&d_b, 2000);       // NOTE leak
    cudaMallocManaged(&m_c, 40);  // NOTE leak
    cudaMallocAsync(&d_d, 80, 0); // NOTE leak
    PINNED(float, h_e, 25);
}

// ---- registered_freed: Registered host memory is freed while a copy or a kernel may still use
// it, and used after that
// EXPECT: use after free: free at registered_freed.cu:22, by the host, and cudaMemcpyAsync at registered_freed.cu:21
// EXPECT: use after free: free at registered_freed.cu:25, by the host, and store of 4 bytes at registered_freed.cu:8 in kernel twice
// EXPECT: h_b, 4096 bytes, allocated at registered_freed.cu:17; the host has not waited for it
// EXPECT: use after free: cudaMemcpyAsync at registered_freed.cu:28: its source is byte 0 of h_a, 4096 bytes, allocated at registered_freed.cu:16, which has been freed
// EXPECT: thread (0,0,0): byte 0 of h_b, 4096 bytes, allocated at registered_freed.cu:17, which has been freed
__global__ void twice(int *a) { a[threadIdx.x] *= 2; }
__global__ void thrice(int *a) { a[threadIdx.x] *= 3; } // ERROR use after free
PROGRAM(registered_freed, ANY_RESULT) {
    int *h_a = (int *)calloc(1024, sizeof *h_a), *h_b = (int *)calloc(1024, sizeof *h_b);
    if (!h_a || !h_b)
        exit(1);
    STREAM(stream);
    ARRAY(int, d_a, 1024);
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
    exit_code = e != cudaErrorIllegalAddress;
}

// ---- use_after_free: The array has been freed before the kernel reads it.
// EXPECT: use after free: load of 4 bytes at use_after_free.cu
// EXPECT: kernel copy, launch 0, block (0,0,0), thread (0,0,0): d_in[0], byte 0 of 256, allocated at use_after_free.cu:9, which has been freed
__global__ void copy(const int *in, int *out) {
    out[threadIdx.x] = in[threadIdx.x]; // ERROR use after free
}
PROGRAM(use_after_free, cudaErrorIllegalAddress) {
    int *d_in;
    cudaMalloc(&d_in, 64 * sizeof *d_in);
    ARRAY(int, d_out, 64);
    cudaMemset(d_in, 0, 64 * sizeof *d_in);
    cudaFree(d_in);
    copy<<<1, 64>>>(d_in, d_out);
}

// ---- use_after_free_host: The host reads managed memory after it has been freed.
// EXPECT: use after free: load of 4 bytes at use_after_free_host.cu
// EXPECT: data[31], byte 124 of 128, allocated at use_after_free_host.cu:8, which has been freed
__global__ void fill_managed(int *out) { out[threadIdx.x] = 42; }
PROGRAM(use_after_free_host, ANY_RESULT) {
    int *data;

    cudaMallocManaged(&data, 32 * sizeof *data);
    fill_managed<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
    printf("%d\n", data[31]); // ERROR use after free
}
