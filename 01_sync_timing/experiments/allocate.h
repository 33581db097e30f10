// SPDX-License-Identifier: MIT
// Device memory from cudaMalloc, or from the pool of cudaMallocAsync, to which what a stream frees
// goes back.
#ifndef ALLOCATE_H
#define ALLOCATE_H

#include "../../common/common.h"

enum source { DRIVER, POOL };

#if CUDART_VERSION >= 11020
static inline int has_source(int device, enum source source) {
    int pools;
    CUDA_CHECK(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device));
    return source == DRIVER || pools;
}

static inline cudaError_t allocate(void **p, size_t bytes, enum source source) {
    return source == DRIVER ? cudaMalloc(p, bytes) : cudaMallocAsync(p, bytes, 0);
}

static inline cudaError_t release(void *p, enum source source) {
    return source == DRIVER ? cudaFree(p) : cudaFreeAsync(p, 0);
}
#else
static inline int has_source(int, enum source source) { return source == DRIVER; }

static inline cudaError_t allocate(void **p, size_t bytes, enum source) {
    return cudaMalloc(p, bytes);
}

static inline cudaError_t release(void *p, enum source) { return cudaFree(p); }
#endif

#endif
