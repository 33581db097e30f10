// 6.2 Any address
//
//     make check EX=6.2       make hint EX=6.2       what to do: README.md
//
// SPDX-License-Identifier: MIT
#include "../../../common/common.h"

// ==== yours, from here ====
__global__ void scale(float *x, size_t n, float factor) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, tail = n / 4 * 4 + i;
    if (i < n / 4) {
        float4 v = ((float4 *)x)[i];
        ((float4 *)x)[i] = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    }
    if (tail < n)
        x[tail] *= factor;
}

// Multiplies n floats by factor. x is the address of any float, not only of one that cudaMalloc
// has returned.
void scale_array(float *x, size_t n, float factor) {
    size_t threads = n / 4 + n % 4;
    if (n > 0)
        scale<<<(unsigned)((threads + 255) / 256), 256>>>(x, n, factor);
    CUDA_CHECK(cudaGetLastError());
}
// ==== to here ====
