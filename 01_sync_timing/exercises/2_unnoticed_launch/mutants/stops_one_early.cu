// SPDX-License-Identifier: MIT
// Leaves the last element out.
//   rejected: values: out[0] was never written
__global__ void fill(float *out, float value, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i + 1 < n)
        out[i] = value;
}

cudaError_t fill_array(float *out, float value, size_t n, unsigned block) {
    if (n > 0)
        fill<<<(unsigned)((n + block - 1) / block), block>>>(out, value, n);
    cudaError_t launch = cudaGetLastError(), kernel = cudaDeviceSynchronize();
    return launch != cudaSuccess ? launch : kernel;
}
