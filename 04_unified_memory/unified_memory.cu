// Managed memory has one pointer for host and device, and its pages move to the one that touches
// them. The first kernel after the host's loop waits for its pages: here are three ways around it.
//
//     nvcc -O3 -arch=native unified_memory.cu -o unified_memory && ./unified_memory
//     ../cudacc/cudacc -O2 unified_memory.cu -o unified_memory && ./unified_memory
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"
#include <math.h>

enum { AS_FIRST_WRITTEN, INITIALIZED_ON_DEVICE, RUN_AGAIN, PREFETCHED, WAYS };
static const struct {
    const char *name;
    int rounds, runs; // on fresh arrays each round; of all runs the fastest counts
} ways[] = {{"as first written", 11, 1},
            {"initialized on the device", 11, 1},
            {"run 100 times, the fastest", 1, 100},
            {"after a prefetch", 11, 1}};

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

// The milliseconds of the fastest of a way's adds on fresh arrays. Counts the wrong results.
static double time_adds(int way, size_t n, size_t *wrong) {
    const size_t bytes = n * sizeof(float);
    double fastest = INFINITY;
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
    for (int run = 0; run < ways[way].runs; run++) {
        CUDA_CHECK(cudaEventRecord(start, 0));
        add<<<blocks(n, 256), 256>>>(y, x, n);
        CUDA_CHECK(cudaEventRecord(stop, 0));
        CUDA_CHECK(cudaGetLastError());                   // of all launches so far
        fastest = fmin(fastest, elapsed_ms(start, stop)); // waits: now the host may touch y
    }
    for (size_t i = 0; i < n; i++)
        *wrong += y[i] != (float)ways[way].runs * (float)(i % 777) + (float)(i % 1000);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    return fastest;
}

int main(int argc, char **argv) {
    const size_t n = elements(argc, argv, 1 << 20);
    int can_prefetch;
    size_t wrong = 0;
    struct cudaDeviceProp device;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&can_prefetch, cudaDevAttrConcurrentManagedAccess, 0));
    printf("%s, y = x + y on %zu elements in managed memory, the fastest\n", device.name, n);
    for (int way = AS_FIRST_WRITTEN; way < (can_prefetch ? WAYS : PREFETCHED); way++) {
        double ms = INFINITY;
        for (int round = 0; round < ways[way].rounds; round++)
            ms = fmin(ms, time_adds(way, n, &wrong));
        printf("add, %-26s %9s ms\n", ways[way].name, measured(ms, 4));
    }
    if (!can_prefetch)
        puts("(This device cannot move pages on demand: nothing to prefetch.)");
    return pass_or_fail(wrong);
}
