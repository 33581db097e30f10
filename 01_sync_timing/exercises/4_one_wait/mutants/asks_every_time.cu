// SPDX-License-Identifier: MIT
// Does not wait in the loop, but asks each time.
//   rejected: goal: waits of the host in 100 steps: 101
__global__ void grow(float *out, const float *in, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = fmaxf(in[i > 0 ? i - 1 : 0], fmaxf(in[i], in[i + 1 < n ? i + 1 : i]));
}

void grow_steps(float *a, float *b, size_t n, int steps) {
    size_t bytes = n * sizeof(float);
    for (int step = 0; step < steps; step++) {
        grow<<<(unsigned)((n + 255) / 256), 256>>>(b, a, n);
        CUDA_CHECK(cudaMemcpy(a, b, bytes, cudaMemcpyDeviceToDevice));
        (void)cudaStreamQuery(0);
        (void)cudaGetLastError();
    }
    CUDA_CHECK(cudaDeviceSynchronize());
}
