// SPDX-License-Identifier: MIT
// What bandwidth sets SAXPY beside: an add of as many bytes, one and four elements at a time, and
// the device's own copy.
#ifndef YARDSTICKS_H
#define YARDSTICKS_H

#include "../../common/experiment/measure.h"

// As many bytes, half the flops: if the bytes are the limit, expect the same time.
static __global__ void add(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

// Four elements for each thread, 16 bytes for each access: more bytes on their way at a time.
// Expect it to show how far the memory goes; chapter 06 says why.
static __global__ void add_by_four(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = ((const float4 *)a)[i], q = ((const float4 *)b)[i];
        ((float4 *)out)[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    }
    if (i < n % 4) // up to three elements are left at the end
        out[n - 1 - i] = a[n - 1 - i] + b[n - 1 - i];
}

static inline void launch_add(const struct arrays *x, unsigned block, size_t) {
    add<<<blocks(x->n, block), block, 0, run.stream>>>(x->d_out, x->d_a, x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static inline void launch_add_by_four(const struct arrays *x, unsigned block, size_t) {
    add_by_four<<<blocks((x->n + 3) / 4, block), block, 0, run.stream>>>(x->d_out, x->d_a, x->d_b,
                                                                         x->n);
    CUDA_CHECK(cudaGetLastError());
}

// Does not wait, although it is called a copy: between two places on the device none does.
static inline void launch_copy(const struct arrays *x, unsigned, size_t) {
    CUDA_CHECK(cudaMemcpyAsync(x->d_out, x->d_a, x->n * sizeof(float), cudaMemcpyDeviceToDevice,
                               run.stream));
}

#endif
