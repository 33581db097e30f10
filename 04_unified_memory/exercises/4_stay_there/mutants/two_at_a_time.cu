// SPDX-License-Identifier: MIT
// Looks after every second step.
//   rejected: goal: bytes that move for each element, in 20 steps: 8
__global__ void halve(float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] /= 2;
}
int halve_until(float *x, size_t n, float limit) {
    for (int steps = 0;; steps += 1) {
        float largest = 0;
        for (size_t i = 0; i < n; i++)
            largest = fmaxf(largest, x[i]);
        if (largest <= limit)
            return steps;
        for (int twice = 0; twice < (largest > 2 * limit ? 2 : 1); twice++)
            halve<<<(unsigned)((n + 255) / 256), 256>>>(x, n);
        CUDA_CHECK(cudaGetLastError());
        steps += largest > 2 * limit;
        CUDA_CHECK(cudaDeviceSynchronize());
    }
}
