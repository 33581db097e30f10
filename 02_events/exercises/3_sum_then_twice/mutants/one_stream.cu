// SPDX-License-Identifier: MIT
// Both kernels in s0.
//   rejected: stream: the doubling is not in s1
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
    twice<<<blocks, 256, 0, s0>>>(out, n);
    (void)s1;
}
