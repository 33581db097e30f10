// SPDX-License-Identifier: MIT
// s1 waits behind the doubling.
//   rejected: values: out[
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
    cudaEvent_t event;
    CUDA_CHECK(cudaEventCreate(&event));
    sum<<<blocks, 256, 0, s0>>>(out, a, b, n);
    CUDA_CHECK(cudaEventRecord(event, s0));
    twice<<<blocks, 256, 0, s1>>>(out, n);
    CUDA_CHECK(cudaStreamWaitEvent(s1, event, 0));
}
