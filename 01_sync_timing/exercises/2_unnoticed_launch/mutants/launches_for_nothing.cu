// SPDX-License-Identifier: MIT
// n = 0 makes 0 blocks, which is an error.
//   rejected: values: n = 0, blocks of 256: it returned
__global__ void fill(float *out, float value, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}

cudaError_t fill_array(float *out, float value, size_t n, unsigned block) {

    fill<<<(unsigned)((n + block - 1) / block), block>>>(out, value, n);
    cudaError_t launch = cudaGetLastError(), kernel = cudaDeviceSynchronize();
    return launch != cudaSuccess ? launch : kernel;
}
