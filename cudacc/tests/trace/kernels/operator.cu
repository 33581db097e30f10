// An operator with a loop, which only its declaration says is for kernels.
//
//     operator [WHICH SHIFT]      all launches, or one, with that shift
//
// SPDX-License-Identifier: MIT
#include "loops.h"

struct row {
    const int *in;
    int shift;
    __device__ int operator*(int i) const;
};
int row::operator*(int i) const { ZIGZAG(in, i, shift); }
__global__ void by_operator(int *out, const int *in, int shift) {
    row r = {in, shift};
    out[threadIdx.x] = r * threadIdx.x;
}

int main(int argc, char **argv) {
    int *out, *in, shift = argc > 2 ? atoi(argv[2]) : 0;
    which = argc > 1 ? atoi(argv[1]) : -1;
    cudaMalloc(&out, THREADS * sizeof *out);
    cudaMalloc(&in, THREADS * sizeof *in);
    cudaMemset(in, 0, THREADS * sizeof *in);

    LAUNCH(by_operator<<<1, THREADS>>>(out, in, shift)); // LOADS 16
    cudaDeviceSynchronize();
    cudaFree(out), cudaFree(in);
    return 0;
}
