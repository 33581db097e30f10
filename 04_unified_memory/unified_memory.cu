// Managed memory has one pointer for host and device, and its pages move to the one that touches
// them. The first kernel after the host's loop waits for its pages: here are two ways to avoid it.
//
//     nvcc -O3 -arch=native unified_memory.cu -o unified_memory && ./unified_memory
//     ../cudacc/cudacc -O2 unified_memory.cu -o unified_memory && ./unified_memory
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"
#include <math.h>

enum { AS_FIRST_WRITTEN, INITIALIZED_ON_DEVICE, PREFETCHED, WAYS };
static const char *names[] = {"as first written", "initialized on the device", "after a prefetch"};

__global__ void add(float *y, const float *x, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = first; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = x[i] + y[i];
}

__global__ void init(float *x, float *y, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = first; i < n; i += (size_t)gridDim.x * blockDim.x) {
        x[i] = (float)(i % 777);
        y[i] = (float)(i % 1000);
    }
}

// Moves pages before they are needed. From CUDA 13 on, a place is a struct, not a number.
static void prefetch(const float *p, size_t bytes) {
    int device;
    CUDA_CHECK(cudaGetDevice(&device));
#if CUDART_VERSION >= 13000
    struct cudaMemLocation place = {cudaMemLocationTypeDevice, device};
    CUDA_CHECK(cudaMemPrefetchAsync(p, bytes, place, 0, 0));
#else
    CUDA_CHECK(cudaMemPrefetchAsync(p, bytes, device, 0));
#endif
}

// The milliseconds of one add on fresh arrays, and how many of its results are wrong.
static double time_add(int way, size_t n, size_t *wrong) {
    const size_t bytes = n * sizeof(float);
    float *x, *y;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaMallocManaged(&x, bytes));
    CUDA_CHECK(cudaMallocManaged(&y, bytes));
    if (way == INITIALIZED_ON_DEVICE)
        init<<<blocks(n, 256), 256>>>(x, y, n);
    else
        for (size_t i = 0; i < n; i++) {
            x[i] = (float)(i % 777);
            y[i] = (float)(i % 1000);
        }
    if (way == PREFETCHED) { // the pages move now, ahead of what is timed
        prefetch(x, bytes);
        prefetch(y, bytes);
    }
    CUDA_CHECK(cudaEventRecord(start, 0));
    add<<<blocks(n, 256), 256>>>(y, x, n);
    CUDA_CHECK(cudaEventRecord(stop, 0));
    CUDA_CHECK(cudaGetLastError());      // of both launches
    CUDA_CHECK(cudaDeviceSynchronize()); // before the host touches y
    for (size_t i = 0; i < n; i++)
        *wrong += y[i] != (float)(i % 777) + (float)(i % 1000);
    double ms = elapsed_ms(start, stop);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    return ms;
}

int main(int argc, char **argv) {
    const int rounds = 11; // the fastest counts: the first one also loads the kernels
    const size_t n = elements(argc, argv, 1 << 20);
    const size_t pages = 2 * blocks(n * sizeof(float), 4096); // those of x and y
    double ms[WAYS] = {INFINITY, INFINITY, INFINITY};
    int can_prefetch;
    size_t wrong = 0;
    struct cudaDeviceProp device;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&can_prefetch, cudaDevAttrConcurrentManagedAccess, 0));
    const int ways = can_prefetch ? WAYS : PREFETCHED;
    for (int round = 0; round < rounds; round++)
        for (int way = AS_FIRST_WRITTEN; way < ways; way++)
            ms[way] = fmin(ms[way], time_add(way, n, &wrong));
    printf("%s, y = x + y on %zu elements in managed memory, the fastest of %d\n", device.name, n,
           rounds);
    for (int way = AS_FIRST_WRITTEN; way < ways; way++)
        if (on_cpu_device(&device)) // it has no pages of its own: what a GPU's would be
            printf("add, %-26s %5zu pages of 4 KiB would move\n", names[way],
                   way == INITIALIZED_ON_DEVICE ? 0 : pages);
        else
            printf("add, %-26s %9.4f ms\n", names[way], ms[way]);
    if (!can_prefetch)
        puts("(This device cannot move pages on demand: nothing to prefetch.)");
    return pass_or_fail(wrong);
}
