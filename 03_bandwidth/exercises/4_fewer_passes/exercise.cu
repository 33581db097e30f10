// 3.4 Fewer passes
//
//     make check EX=3.4       make hint EX=3.4       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
__global__ void square(float *out, const float *in, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * in[i];
}

__global__ void add(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

// out = x * x + y * y for each of n elements. scratch has n floats, for whatever you need.
void sum_of_squares(float *out, const float *x, const float *y, float *scratch, size_t n) {
    unsigned grid = blocks(n, 256);
    if (n == 0)
        return;
    square<<<grid, 256>>>(scratch, x, n);
    square<<<grid, 256>>>(out, y, n);
    add<<<grid, 256>>>(out, scratch, out, n);
    CUDA_CHECK(cudaGetLastError());
}
// ==== to here ====
