// SPDX-License-Identifier: MIT
// Does not wait for the kernel.
//   rejected: values
__global__ void halve(float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] /= 2;
}
int halve_until(float *x, size_t n, float limit) {
    for (int steps = 0;; steps++) {
        float largest = 0;
        for (size_t i = 0; i < n; i++)
            largest = fmaxf(largest, x[i]);
        if (largest <= limit)
            return steps;
        halve<<<(unsigned)((n + 255) / 256), 256>>>(x, n);
        CUDA_CHECK(cudaGetLastError());
    }
}
