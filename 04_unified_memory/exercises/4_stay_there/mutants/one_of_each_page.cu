// SPDX-License-Identifier: MIT
// Looks at one element of each page: as many pages move, and the answer is wrong.
//   rejected: values: it returned
__global__ void halve(float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] /= 2;
}

int halve_until(float *x, size_t n, float limit) {
    for (int steps = 0;; steps++) {
        float largest = 0;
        for (size_t i = 0; i < n; i += 1024) // one element of each page
            largest = fmaxf(largest, x[i]);
        if (largest <= limit)
            return steps;
        halve<<<(unsigned)((n + 255) / 256), 256>>>(x, n);
        CUDA_CHECK(cudaDeviceSynchronize());
    }
}
