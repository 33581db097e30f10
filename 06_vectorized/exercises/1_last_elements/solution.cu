// 6.1 The last elements
//
//     make check EX=6.1       make hint EX=6.1       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
// Four elements for each thread, and one of the last n % 4 for each of the first threads.
__global__ void add(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, tail = n / 4 * 4 + i;
    if (i < n / 4) {
        float4 p = ((const float4 *)a)[i], q = ((const float4 *)b)[i];
        ((float4 *)out)[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    }
    if (tail < n)
        out[tail] = a[tail] + b[tail];
}

// out = a + b, for any n.
void add_arrays(float *out, const float *a, const float *b, size_t n) {
    size_t threads = n / 4 + n % 4;
    if (n > 0)
        add<<<(unsigned)((threads + 255) / 256), 256>>>(out, a, b, n);
    CUDA_CHECK(cudaGetLastError());
}
// ==== to here ====
