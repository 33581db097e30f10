// One of three files that make a program: kernels, and names that multi_main.cu has, too.
// SPDX-License-Identifier: MIT
#include "multi.h"

static __device__ int same_name(int i) { return 2 * i; }
__device__ int same_variable = 0;

__global__ void doubles(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = same_name(out[i]) + same_variable;
}
__global__ void c_linkage(int *out) { out[0] = in_header(out[0]) + header_constant; }
