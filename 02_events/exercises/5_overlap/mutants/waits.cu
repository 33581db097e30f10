// SPDX-License-Identifier: MIT
// Waits for each half.
//   rejected: goal
__global__ void twice(float *out, const float *in, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

float *host_array(size_t n) {
    float *h;
    CUDA_CHECK(cudaMallocHost((void **)&h, n * sizeof(float)));
    return h;
}
void host_array_free(float *h) { CUDA_CHECK(cudaFreeHost(h)); }

void process(float *h_out, const float *h_in, float *d_out, float *d_in, size_t n, cudaStream_t s0,
             cudaStream_t s1) {
    for (int half = 0; half <= 1; half++) {
        cudaStream_t s = half ? s1 : s0;
        size_t first = half * (n / 2), count = n / 2, bytes = count * sizeof(float);
        CUDA_CHECK(cudaMemcpyAsync(d_in + first, h_in + first, bytes, cudaMemcpyHostToDevice, s));
        twice<<<(unsigned)((count + 255) / 256), 256, 0, s>>>(d_out + first, d_in + first, count);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpyAsync(h_out + first, d_out + first, bytes, cudaMemcpyDeviceToHost, s));
        CUDA_CHECK(cudaStreamSynchronize(s));
    }
}
