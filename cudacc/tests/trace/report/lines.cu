// Each access is reported at its line. `-> OPERATION BYTES` at a line's end: what the report must
// say of that line, for each kernel that has it; `gcc ->` is of gcc alone.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include "lines.h"

__global__ void three(const float *a, const float *b, float *c) {
    c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; // -> ld 4 ld 4 st 4
}

template <typename T> __global__ void of_template(T *p, const T *q) {
    T v = q[threadIdx.x]; // -> ld 4 ld 8
    if (v > 0)
        p[threadIdx.x] = v; // -> st 4 st 8
}

#define STORE(p, v) p[threadIdx.x] = (v)
__global__ void through(const float *p, float *q) {
    float v = load(p, threadIdx.x) + load_out_of_line(p, threadIdx.x);
    STORE(q, // -> st 4
          v);
}

__global__ void of_library(float *p, int *sum) {
    float v = __ldg(p + threadIdx.x); // -> ld 4
    __syncthreads();
    if (v > 1e9f)
        *sum = 1;
    atomicAdd(sum, 1);                                  // -> atomic 4
    p[threadIdx.x] = fmaxf(v, __ldcs(p + threadIdx.x)); // -> ld 4 st 4
}

// Constant tables: loads where the index is not known, also of what nvcc unrolls.
namespace n {
__device__ const int odd[4] = {1, 3, 5, 7};
}
__device__ const short pairs[2][2] = {{1, 2}, {3, 4}};
__global__ void tables(int *p, int n) {
    static const int even[4] = {0, 2, 4, 6};
    int i = threadIdx.x;
    int v = n::odd[i % 4]; // gcc -> ld 4
    v += even[i % 4];      // gcc -> ld 4
    v += pairs[i % 2][1];  // gcc -> ld 2
    v += n::odd[3] + pairs[0][1];
    for (int k = 0; k < 4; k++)
        v += n::odd[k] * i;
    for (int k = 0; k < n; k++)
        v += even[k]; // gcc -> ld 4
    p[i] = v;         // -> st 4
}

__global__ void generated(float *p);

int main() {
    float *d_a, *d_b, *d_c;
    double *d_d;
    int *d_sum;
    cudaMalloc(&d_a, 128), cudaMalloc(&d_b, 128), cudaMalloc(&d_c, 128); // three on one line
    cudaMalloc(&d_d, 256), cudaMalloc(&d_sum, 4);
    cudaMemset(d_a, 1, 128), cudaMemset(d_b, 1, 128), cudaMemset(d_c, 1, 128);
    cudaMemset(d_d, 1, 256), cudaMemset(d_sum, 0, 4);
    three<<<1, 32>>>(d_a, d_b, d_c);
    of_template<<<1, 32>>>(d_c, d_a);
    of_template<double><<<1, 32>>>(d_d, d_d);
    through<<<1, 32>>>(d_a, d_c);
    of_library<<<1, 32>>>(d_a, d_sum);
    tables<<<1, 32>>>((int *)d_a, 3);
    generated<<<1, 32>>>(d_a);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_a), cudaFree(d_b), cudaFree(d_c), cudaFree(d_d), cudaFree(d_sum);
    return 0;
}

// The numbers of a generated file are those of the file that it was made from.
__global__ void generated(float *p) {
#line 1000 "source.y"
    p[threadIdx.x] = 1;
}
