// SPDX-License-Identifier: MIT
// The host adds, and needs no kernel.
//   rejected: facts: bytes that kernels read
float add_and_find_largest(float *y, const float *x, size_t n) {
    CUDA_CHECK(cudaDeviceSynchronize());
    float largest = 0;
    for (size_t i = 0; i < n; i++) {
        y[i] += x[i];
        largest = fmaxf(largest, y[i]);
    }
    return largest;
}
