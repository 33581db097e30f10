// Elements of an array are moved up by one, by a copy whose destination overlaps its source
// EXPECT: cudaMemcpy at copy_overlapping.cu:9: its destination begins 4 bytes after its source, and it copies 252: they overlap, and what comes of that is not defined
// EXPECT: CPU device: 1 error
// SPDX-License-Identifier: MIT
int main(void) {
    int *d_a;
    cudaMalloc(&d_a, 256);
    cudaMemset(d_a, 0, 256);
    cudaMemcpy(d_a + 1, d_a, 252, cudaMemcpyDeviceToDevice); // ERROR wrong argument
    // They may touch.
    cudaMemcpy(d_a, d_a + 32, 128, cudaMemcpyDeviceToDevice);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    return e != cudaSuccess;
}
