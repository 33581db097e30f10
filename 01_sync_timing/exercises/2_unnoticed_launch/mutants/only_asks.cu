// SPDX-License-Identifier: MIT
// The launch was accepted; what the kernel does, nobody waits for.
//   rejected: sync: had not run yet
__global__ void fill(float *out, float value, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}

cudaError_t fill_array(float *out, float value, size_t n, unsigned block) {
    if (n > 0)
        fill<<<(unsigned)((n + block - 1) / block), block>>>(out, value, n);
    return cudaGetLastError();
}
