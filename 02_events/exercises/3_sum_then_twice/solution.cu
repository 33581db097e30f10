// 2.3 Two streams, one order
//
//     make check EX=2.3       make hint EX=2.3       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
__global__ void sum(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void twice(float *out, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] *= 2;
}

// out = 2 * (a + b): the sum in stream s0, then the doubling in stream s1. Does not wait.
void sum_then_twice(float *out, const float *a, const float *b, size_t n, cudaStream_t s0,
                    cudaStream_t s1) {
    unsigned grid = blocks(n, 256);
    sum<<<grid, 256, 0, s0>>>(out, a, b, n);
    CUDA_CHECK(cudaGetLastError());
    cudaEvent_t summed;
    CUDA_CHECK(cudaEventCreateWithFlags(&summed, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventRecord(summed, s0));
    CUDA_CHECK(cudaStreamWaitEvent(s1, summed, 0));
    CUDA_CHECK(cudaEventDestroy(summed)); // when the stream is past it
    twice<<<grid, 256, 0, s1>>>(out, n);
    CUDA_CHECK(cudaGetLastError());
}
// ==== to here ====
