// An assertion fails because of what was read before it.
// EXPECT: read of memory never written: load of 4 bytes at dies_not_written.cu
// EXPECT: kernel died: assertion `left > 0` failed at dies_not_written.cu
// SPDX-License-Identifier: MIT
#include <cassert>

__global__ void take(int *out, const int *stock) {
    int left = stock[threadIdx.x]; // ERROR read of memory never written
    __syncthreads();
    assert(left > 0); // ERROR kernel died
    out[threadIdx.x] = left - 1;
}

int main(void) {
    int *d_stock, *d_out;
    cudaMalloc(&d_stock, 64 * sizeof *d_stock);
    cudaMalloc(&d_out, 64 * sizeof *d_out);
    take<<<1, 64>>>(d_out, d_stock);
    return cudaDeviceSynchronize() != cudaErrorAssert;
}
