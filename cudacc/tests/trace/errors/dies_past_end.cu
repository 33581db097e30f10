// A store past the end, and an assertion that sees what it did; the first one ends the kernel.
// EXPECT: out of bounds: store of 4 bytes at dies_past_end.cu
// EXPECT: it would be d_a[63], the last one is d_a[62]
// SPDX-License-Identifier: MIT
#include <cassert>

__global__ void shift(int *a, int n) {
    int i = threadIdx.x;
    a[i + 1] = 1; // ERROR out of bounds
    assert(i + 1 < n);
}

int main(void) {
    int *d_a;
    cudaMalloc(&d_a, 63 * sizeof *d_a);
    cudaMemset(d_a, 0, 63 * sizeof *d_a);
    shift<<<1, 63>>>(d_a, 63);
    return cudaDeviceSynchronize() == cudaSuccess;
}
