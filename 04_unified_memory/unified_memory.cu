// Managed memory has one pointer for host and device, and its pages move to the one that touches
// them. The first kernel after the host's loop waits for its pages: here are two ways to avoid it.
//
//     nvcc -O3 -arch=native unified_memory.cu -o unified_memory && ./unified_memory
//     ../common/cpu_device/cudacc -O2 unified_memory.cu -o unified_memory && ./unified_memory
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"
#include <math.h>

__global__ void add(float *y, const float *x, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = first; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = x[i] + y[i];
}

__global__ void init(float *x, float *y, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = first; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = 1, y[i] = (float)(i % 1000);
}

// Moves pages before they are needed. From CUDA 13 on, a place is a struct, not a number.
static cudaError_t prefetch(const void *p, size_t bytes) {
#if CUDART_VERSION >= 13000
    struct cudaMemLocation to;
    to.type = cudaMemLocationTypeDevice, to.id = 0;
    return cudaMemPrefetchAsync(p, bytes, to, 0, 0);
#else
    return cudaMemPrefetchAsync(p, bytes, 0, 0);
#endif
}

enum { AS_FIRST_WRITTEN, INITIALIZED_ON_DEVICE, PREFETCHED, WAYS };
static const char *const names[] = {"as first written", "initialized on the device", "prefetched"};

int main(int argc, char **argv) {
    const size_t n = elements(argc, argv, 1 << 20), bytes = n * sizeof(float);
    const int rounds = 11; // the fastest counts: the first one also loads the kernels
    double ms[WAYS] = {INFINITY, INFINITY, INFINITY};
    int can_prefetch;
    size_t wrong = 0;
    struct cudaDeviceProp device;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&can_prefetch, cudaDevAttrConcurrentManagedAccess, 0));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < rounds; round++)
        for (int way = AS_FIRST_WRITTEN; way < WAYS; way++) {
            float *x, *y;
            if (way == PREFETCHED && !can_prefetch)
                continue;
            CUDA_CHECK(cudaMallocManaged((void **)&x, bytes));
            CUDA_CHECK(cudaMallocManaged((void **)&y, bytes));
            if (way == INITIALIZED_ON_DEVICE)
                init<<<blocks(n, 256), 256>>>(x, y, n);
            else
                for (size_t i = 0; i < n; i++)
                    x[i] = 1, y[i] = (float)(i % 1000);
            if (way == PREFETCHED) { // the pages move now, ahead of what is timed
                CUDA_CHECK(prefetch(x, bytes));
                CUDA_CHECK(prefetch(y, bytes));
            }
            CUDA_CHECK(cudaEventRecord(start, 0));
            add<<<blocks(n, 256), 256>>>(y, x, n);
            CUDA_CHECK(cudaEventRecord(stop, 0));
            CUDA_CHECK(cudaGetLastError());      // of both launches
            CUDA_CHECK(cudaDeviceSynchronize()); // before the host touches y
            for (size_t i = 0; i < n; i++)
                wrong += (y[i] != 1 + (float)(i % 1000));
            ms[way] = fmin(ms[way], elapsed_ms(start, stop));
            CUDA_CHECK(cudaFree(x));
            CUDA_CHECK(cudaFree(y));
        }

    printf("%s, y = x + y on %zu elements in managed memory, the fastest of %d\n", device.name, n,
           rounds);
    for (int way = AS_FIRST_WRITTEN; way < (can_prefetch ? WAYS : PREFETCHED); way++)
        if (!on_cpu_device(&device)) // the CPU device's memory is the host's: no page moves
            printf("add, %-26s %9.4f ms\n", names[way], ms[way]);
    if (!can_prefetch)
        puts("(This device cannot move pages on demand: nothing to prefetch.)");
    if (on_cpu_device(&device))
        puts("(No times: here no page moves, and a CPU's times say nothing about a GPU.)");
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    printf(wrong ? "FAIL: %zu wrong results\n" : "PASS\n", wrong);
    return wrong > 0;
}
