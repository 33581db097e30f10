// SPDX-License-Identifier: MIT
// Gives nothing back.
//   rejected: leak: were not given back
__global__ void twice(float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

cudaError_t double_on_device(float *h_out, const float *h_in, size_t n) {
    size_t bytes = n * sizeof(float);
    float *d = NULL;
    if (n == 0)
        return cudaSuccess;
    cudaError_t error = cudaMalloc((void **)&d, bytes);
    if (error == cudaSuccess)
        error = cudaMemcpy(d, h_in, bytes, cudaMemcpyHostToDevice);
    if (error == cudaSuccess) {
        twice<<<(unsigned)((n + 255) / 256), 256>>>(d, n);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess)
        error = cudaMemcpy(h_out, d, bytes, cudaMemcpyDeviceToHost);
    (void)cudaGetLastError();
    return error;
}
