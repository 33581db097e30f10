// A row index that was meant for a larger matrix: far outside of everything.
// EXPECT: out of bounds: store of 8 bytes at far_away.cu
// EXPECT: block (1,0,0), thread (0,0,0): device memory that was never allocated; no array is near; perhaps an index has overflowed; it would be d_a[100000000]
// SPDX-License-Identifier: MIT
__global__ void clear(double *a, long pitch) {
    a[blockIdx.x * pitch + threadIdx.x] = 0; // ERROR out of bounds
}

int main(void) {
    double *d_a;
    cudaMalloc(&d_a, 64 * sizeof(double));
    clear<<<4, 64>>>(d_a, 100000000);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
