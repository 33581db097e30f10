// SPDX-License-Identifier: MIT
// The host keeps the order.
//   rejected: waits: the host waits in cudaStreamSynchronize
__global__ void sum(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void twice(float *out, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] *= 2;
}
void sum_then_twice(float *out, const float *a, const float *b, size_t n, cudaStream_t s0,
                    cudaStream_t s1) {
    unsigned blocks = (unsigned)((n + 255) / 256);
    sum<<<blocks, 256, 0, s0>>>(out, a, b, n);
    CUDA_CHECK(cudaStreamSynchronize(s0));
    twice<<<blocks, 256, 0, s1>>>(out, n);
}
