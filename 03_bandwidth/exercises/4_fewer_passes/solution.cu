// 3.4 Fewer passes
//
//     make check EX=3.4       make hint EX=3.4       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
__global__ void add_squares(float *out, const float *x, const float *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i] * x[i] + y[i] * y[i];
}

// out = x * x + y * y for each of n elements. scratch has n floats, for whatever you need.
void sum_of_squares(float *out, const float *x, const float *y, float *scratch, size_t n) {
    (void)scratch;
    if (n > 0)
        add_squares<<<blocks(n, 256), 256>>>(out, x, y, n);
    CUDA_CHECK(cudaGetLastError());
}
// ==== to here ====
