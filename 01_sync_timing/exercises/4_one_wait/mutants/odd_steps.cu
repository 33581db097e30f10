// SPDX-License-Identifier: MIT
// Swaps pointers and forgets that steps may be odd.
//   rejected: values: 1 steps: a[
__global__ void grow(float *out, const float *in, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = fmaxf(in[i > 0 ? i - 1 : 0], fmaxf(in[i], in[i + 1 < n ? i + 1 : i]));
}

void grow_steps(float *a, float *b, size_t n, int steps) {
    for (int step = 0; step < steps; step++) {
        grow<<<(unsigned)((n + 255) / 256), 256>>>(b, a, n);
        float *swap = a;
        a = b, b = swap;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
}
