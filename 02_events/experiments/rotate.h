// SPDX-License-Identifier: MIT
// A kernel that takes as long as you want: it rotates the bits of each number by one place, `turns`
// times.
#ifndef ROTATE_H
#define ROTATE_H

#include "../../common/experiment/variants.h"

enum { BITS = 20, MASK = (1 << BITS) - 1 }; // of a number; a float holds it exactly

__global__ static void rotate(float *out, const float *a, size_t n, unsigned turns) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = (unsigned)a[i];
        for (unsigned turn = 0; turn < turns; turn++)
            x = (x << 1 | x >> (BITS - 1)) & MASK;
        out[i] = (float)x;
    }
}

static inline void queue_rotate(cudaStream_t stream, const struct arrays *x, size_t turns) {
    rotate<<<blocks(x->n, 512), 512, 0, stream>>>(x->d_out, x->d_a, x->n, (unsigned)turns);
    CUDA_CHECK(cudaGetLastError());
}

static inline void launch_rotate(const struct arrays *x, unsigned block, size_t turns) {
    rotate<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n, (unsigned)turns);
    CUDA_CHECK(cudaGetLastError());
}

static inline void rotate_reference(float *out, const float *a, const float *, size_t n,
                                    size_t turns) {
    unsigned left = turns % BITS;
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(((unsigned)a[i] << left | (unsigned)a[i] >> (BITS - left)) & MASK);
}

#endif
