// SPDX-License-Identifier: MIT
// SAXPY in place, and a kernel that only reads, with their references. Four elements for each
// thread: with one, it is not the memory or the cache that sets the limit (chapter 06).
#ifndef BY_FOUR_H
#define BY_FOUR_H

#include "../../common/experiment/measure.h"

enum { LOW = 1297135 }; // a sum of four values is below it once in 4096 times

// ---- Kernels -----------------------------------------------------------------------------------
static __global__ void saxpy_by_four(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = ((const float4 *)x)[i], q = ((const float4 *)y)[i];
        ((float4 *)y)[i] = make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
    }
    if (i < n % 4) // up to three elements are left at the end
        y[n - 1 - i] = a * x[n - 1 - i] + y[n - 1 - i];
}

// Reads, and writes next to nothing: out gets a sum that is low, and stays as it is elsewhere.
static __global__ void read_by_four(float *out, const float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = ((const float4 *)x)[i];
        if (p.x + p.y + p.z + p.w < LOW)
            out[i] = p.x + p.y + p.z + p.w;
    }
    if (i < n % 4)
        out[n - 1 - i] = x[n - 1 - i];
}

static inline void launch_saxpy(const struct arrays *x, unsigned block, size_t) {
    saxpy_by_four<<<blocks((x->n + 3) / 4, block), block, 0, run.stream>>>(x->d_out, x->d_a, 2.0f,
                                                                           x->n);
    CUDA_CHECK(cudaGetLastError());
}

static inline void launch_read(const struct arrays *x, unsigned block, size_t) {
    read_by_four<<<blocks((x->n + 3) / 4, block), block, 0, run.stream>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Reference ---------------------------------------------------------------------------------
static inline void read_reference(float *out, const float *x, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n / 4; i++) {
        float sum = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];
        out[i] = sum < LOW ? sum : out[i];
    }
    for (size_t i = n - n % 4; i < n; i++)
        out[i] = x[i];
}

#endif
