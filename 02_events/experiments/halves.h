// SPDX-License-Identifier: MIT
// Copy in, kernel, copy out for one half of the data, or some part of it, queued in a stream.
#ifndef HALVES_H
#define HALVES_H

#include "../../common/experiment/measure.h"
#include "rotate.h"

enum { PAGEABLE, PINNED, KINDS };
enum { COPY_IN = 1, KERNEL = 2, COPY_OUT = 4, ALL = 7 };

static struct arrays x;
static float *h[2][KINDS]; // in and out
static cudaStream_t streams[2];
static cudaEvent_t events[2];

// The work on one half of the data, or some part of it.
static inline void queue_half(int half, int parts, int memory, int s, unsigned turns) {
    cudaStream_t stream = streams[s];
    size_t first = half * (x.n / 2), n = half ? x.n - first : x.n / 2, bytes = n * sizeof(float);
    float *in = h[0][memory] + first, *out = h[1][memory] + first;
    float *d_in = x.d_a + first, *d_out = x.d_out + first;
    if (parts & COPY_IN)
        CUDA_CHECK(cudaMemcpyAsync(d_in, in, bytes, cudaMemcpyHostToDevice, stream));
    if (parts & KERNEL && n > 0) {
        rotate<<<blocks(n, 512), 512, 0, stream>>>(d_out, d_in, n, turns);
        CUDA_CHECK(cudaGetLastError());
    }
    if (parts & COPY_OUT)
        CUDA_CHECK(cudaMemcpyAsync(out, d_out, bytes, cudaMemcpyDeviceToHost, stream));
}

static inline void halves_create(size_t n) {
    x = arrays_create(n);
    for (int i = 0; i < 2; i++) {
        h[i][PAGEABLE] = (float *)host_malloc(x.n * sizeof(float));
        CUDA_CHECK(cudaMallocHost((void **)&h[i][PINNED], x.n * sizeof(float)));
        CUDA_CHECK(cudaStreamCreate(&streams[i]));
        CUDA_CHECK(cudaEventCreate(&events[i]));
    }
    fill_floats(h[0][PAGEABLE], x.n, 1);
    fill_floats(h[0][PINNED], x.n, 1);
}

static inline void halves_free(void) {
    for (int i = 0; i < 2; i++) {
        free(h[i][PAGEABLE]);
        CUDA_CHECK(cudaFreeHost(h[i][PINNED]));
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
        CUDA_CHECK(cudaEventDestroy(events[i]));
    }
    arrays_free(&x);
}

#endif
