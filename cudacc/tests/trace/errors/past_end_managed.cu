// Past the end of managed memory, by an atomic.
// EXPECT: out of bounds: atomic of 4 bytes at past_end_managed.cu
// EXPECT: kernel count, launch 0, block (0,0,0), thread (10,0,0): just past the end of bins, 40 bytes
// SPDX-License-Identifier: MIT
__global__ void count(unsigned *bins) {
    atomicAdd(&bins[threadIdx.x % 11], 1); // ERROR out of bounds
}

int main(void) {
    unsigned *bins;
    cudaMallocManaged(&bins, 10 * sizeof *bins);
    count<<<1, 11>>>(bins);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
