// What is called has a loop, and stands in another file; an overload of it has none.
//
//     overload [WHICH SHIFT]      all launches, or one, with that shift; compiled with -rdc=true
//
// SPDX-License-Identifier: MIT
#include "loops.h"

__device__ int zigzag(int x) { return x + 3; }
__device__ int zigzag(const int *in, int i, int shift);
__global__ void by_overload(int *out, const int *in, int shift) {
    out[threadIdx.x] = zigzag(in, threadIdx.x, shift);
}

int main(int argc, char **argv) {
    int *out, *in, shift = argc > 2 ? atoi(argv[2]) : 0;
    which = argc > 1 ? atoi(argv[1]) : -1;
    cudaMalloc(&out, THREADS * sizeof *out);
    cudaMalloc(&in, THREADS * sizeof *in);
    cudaMemset(in, 0, THREADS * sizeof *in);

    LAUNCH(by_overload<<<1, THREADS>>>(out, in, shift)); // LOADS 16
    cudaDeviceSynchronize();
    cudaFree(out), cudaFree(in);
    return 0;
}
