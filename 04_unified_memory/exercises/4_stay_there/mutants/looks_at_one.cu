// SPDX-License-Identifier: MIT
// Looks at the first element only.
//   rejected: values: it returned
__global__ void halve(float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] /= 2;
}

int halve_until(float *x, size_t n, float limit) {
    float *h = (float *)malloc(n * sizeof *h);
    for (int steps = 0;; steps++) {
        float largest = 0;
        CUDA_CHECK(cudaMemcpy(h, x, sizeof *h, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < 1; i++)
            largest = fmaxf(largest, h[i]);
        if (largest <= limit) {
            free(h);
            return steps;
        }
        halve<<<(unsigned)((n + 255) / 256), 256>>>(x, n);
    }
}
