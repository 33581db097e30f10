// A kernel's malloc() asks for more than its heap holds, and what it gives is used all the same
// EXPECT: out of bounds: store of 4 bytes at heap_full.cu:7
// EXPECT: a null pointer
// SPDX-License-Identifier: MIT
__global__ void fill(int n) {
    int *p = (int *)malloc(n * sizeof *p);
    p[0] = n; // ERROR out of bounds
    free(p);
}

int main(void) {
    fill<<<1, 1>>>(1 << 20);
    cudaDeviceSynchronize();
    // Of what is freed there is room again.
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
    fill<<<1, 1>>>(3 << 20);
    cudaDeviceSynchronize();
    fill<<<1, 2>>>(5 << 20);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
