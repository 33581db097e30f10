// One of three files that make a program: main, and names that multi_kernels.cu has, too.
// SPDX-License-Identifier: MIT
#include "multi.h"
#include <stdio.h>

static __device__ int same_name(int i) { return 3 * i; }
__device__ int same_variable = 1;

__global__ void triples(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = same_name(out[i]) + same_variable + in_header(-1) + header_constant - 4;
}

int main() {
    enum { N = 100, SUM = N * (N - 1) / 2 };
    int *d = device_numbers(N);
    doubles<<<4, 32>>>(d, N);
    printf("kernel of another file: %s\n", sum_of(d, N) == 2 * SUM ? "ok" : "WRONG");
    triples<<<4, 32>>>(d, N);
    printf("device functions of one name: %s\n", sum_of(d, N) == 6 * SUM ? "ok" : "WRONG");
    c_linkage<<<1, 1>>>(d);
    printf("C linkage: %s\n", sum_of(d, N) == 6 * SUM + 4 ? "ok" : "WRONG");
    cudaFree(d);
    return 0;
}
