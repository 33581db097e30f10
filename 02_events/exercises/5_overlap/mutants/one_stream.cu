// SPDX-License-Identifier: MIT
// All of it in one stream.
//   rejected: goal: halves that go on while the other stream is held: 1
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
             cudaStream_t) {
    for (int half = 0; half <= 1; half++) {
        cudaStream_t s = s0;
        size_t first = half * (n / 2), count = n / 2, bytes = count * sizeof(float);
        CUDA_CHECK(cudaMemcpyAsync(d_in + first, h_in + first, bytes, cudaMemcpyHostToDevice, s));
        twice<<<(unsigned)((count + 255) / 256), 256, 0, s>>>(d_out + first, d_in + first, count);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpyAsync(h_out + first, d_out + first, bytes, cudaMemcpyDeviceToHost, s));
    }
}
