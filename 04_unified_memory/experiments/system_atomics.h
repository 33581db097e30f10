// SPDX-License-Identifier: MIT
// An addition that no processor of the system can lose: host and device may add at the same time,
// and so may two devices.
#ifndef SYSTEM_ATOMICS_H
#define SYSTEM_ATOMICS_H

#include "managed.h"

// Adds x to y `rounds` times. atomicAdd alone is atomic among the threads of the device; _system is
// so for all processors of the system. It exists from Pascal on: code for older ones leaves y as it
// is.
static __global__ void add_for_all(float *y, const float *x, size_t n, int rounds) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds && i < n; round++)
        atomicAdd_system(&y[i], x[i]);
#endif
}

// Can this build of it be used? An old nvcc compiles for older devices unless told -arch=sm_60.
static __global__ void has_system_atomics(int *answer) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
    *answer = 1;
#else
    *answer = 0;
#endif
}

static inline int can_add_for_all(void) {
    int can, *d_can;
    CUDA_CHECK(cudaMalloc((void **)&d_can, sizeof can));
    has_system_atomics<<<1, 1>>>(d_can);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&can, d_can, sizeof can, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_can));
    if (!can)
        say("Skipped: built for a device before Pascal; nvcc -arch=sm_60 or later.");
    return can;
}

static inline void launch_add_for_all(const struct arrays *x, unsigned block, size_t rounds) {
    add_for_all<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n, (int)rounds);
    CUDA_CHECK(cudaGetLastError());
}

static inline void rounds_reference(float *y, const float *x, const float *, size_t n,
                                    size_t rounds) {
    for (size_t i = 0; i < n; i++)
        y[i] = (float)rounds * x[i] + y[i];
}

#endif
