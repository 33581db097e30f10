// What is not freed when the device is reset
// UNSEEN: `cudaDeviceReset` frees all, and a program may rely on that.
// SPDX-License-Identifier: MIT
int main(void) {
    float *d_a;
    cudaMalloc(&d_a, 1000);
    return cudaDeviceReset() != cudaSuccess;
}
