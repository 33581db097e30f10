// SPDX-License-Identifier: MIT
// The chapter's kernel, and the kinds of memory in which its arrays can be.
#ifndef ADD_H
#define ADD_H

#include "managed.h"

// ---- Kernel ------------------------------------------------------------------------------------
// Thread t takes elements t, t + threads, t + 2 * threads...: neighbors work on neighbors. With one
// thread it is the loop that a CPU would run. Expect milliseconds when its pages have to come from
// the host, microseconds else.
static __global__ void add(float *y, const float *x, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)blockDim.x * gridDim.x;
    for (size_t i = first; i < n; i += step)
        y[i] = x[i] + y[i];
}

// With `grid` blocks; 0: with a thread for each element.
static inline unsigned grid_of(size_t n, unsigned block, size_t grid) {
    return grid ? (unsigned)grid : blocks(n, block);
}

static inline void launch_add(const struct arrays *x, unsigned block, size_t grid) {
    add<<<grid_of(x->n, block, grid), block, 0, run.stream>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static inline void add_reference(float *y, const float *x, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + y[i];
}

// ---- Memory ------------------------------------------------------------------------------------
// MAPPED: pinned host memory, which the device reads and writes where it is ("zero-copy"). DEVICE:
// device memory, copied from and to the host's memory from malloc, or DEVICE_PINNED, pinned memory.
enum memory { MANAGED, MAPPED, PAGEABLE, DEVICE, DEVICE_PINNED };

// Where the host finds an array, and where the device does: only with copies not the same place.
struct array {
    float *host, *device;
};

static inline struct array array_create(enum memory memory, size_t n) {
    size_t bytes = n * sizeof(float);
    struct array a = {NULL, NULL};
    if (memory == MANAGED) {
        a.host = a.device = managed_malloc(n);
    } else if (memory == MAPPED) {
        CUDA_CHECK(cudaHostAlloc((void **)&a.host, bytes, cudaHostAllocMapped));
        CUDA_CHECK(cudaHostGetDevicePointer((void **)&a.device, a.host, 0));
    } else if (memory == DEVICE_PINNED) {
        CUDA_CHECK(cudaMallocHost((void **)&a.host, bytes));
        CUDA_CHECK(cudaMalloc((void **)&a.device, bytes));
    } else {
        a.host = a.device = (float *)host_malloc(bytes);
        if (memory == DEVICE)
            CUDA_CHECK(cudaMalloc((void **)&a.device, bytes));
    }
    return a;
}

static inline void array_free(enum memory memory, struct array a) {
    if (memory == MAPPED || memory == DEVICE_PINNED)
        CUDA_CHECK(cudaFreeHost(a.host));
    if (memory == MANAGED || memory == DEVICE || memory == DEVICE_PINNED)
        CUDA_CHECK(cudaFree(a.device));
    if (memory == PAGEABLE || memory == DEVICE)
        free(a.host);
}

#endif
