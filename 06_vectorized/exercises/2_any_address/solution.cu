// 6.2 Any address
//
//     make check EX=6.2       make hint EX=6.2       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
// `head` floats up to the first multiple of 16 bytes, then float4, then what is left.
__global__ void scale(float *x, size_t n, size_t head, float factor) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t fours = (n - head) / 4, tail = head + 4 * fours + i;
    if (i < fours) {
        float4 *p = (float4 *)(x + head) + i, v = *p;
        *p = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    }
    if (i < head)
        x[i] *= factor;
    if (tail < n)
        x[tail] *= factor;
}

// Multiplies n floats by factor. x is the address of any float, not only of one that cudaMalloc
// has returned.
void scale_array(float *x, size_t n, float factor) {
    size_t head = (16 - (size_t)x % 16) % 16 / sizeof(float);
    if (head > n)
        head = n;
    size_t threads = (n - head) / 4 + 4; // never fewer than a head or a tail needs
    if (n > 0)
        scale<<<(unsigned)((threads + 255) / 256), 256>>>(x, n, head, factor);
    CUDA_CHECK(cudaGetLastError());
}
// ==== to here ====
