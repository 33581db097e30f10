// SPDX-License-Identifier: MIT
// Waits before the launch.
//   rejected: sync: of the old values
__global__ void add(float *y, const float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + y[i];
}

float add_and_find_largest(float *y, const float *x, size_t n) {
    CUDA_CHECK(cudaDeviceSynchronize());
    add<<<(unsigned)((n + 255) / 256), 256>>>(y, x, n);
    CUDA_CHECK(cudaGetLastError());
    float largest = y[0];
    for (size_t i = 1; i < n; i++)
        largest = fmaxf(largest, y[i]);
    return largest;
}
