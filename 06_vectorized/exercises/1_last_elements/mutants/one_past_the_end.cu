// SPDX-License-Identifier: MIT
// One thread too many.
//   rejected: memory|guard
__global__ void add(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
    if (i == n)
        out[i] = 0;
}

void add_arrays(float *out, const float *a, const float *b, size_t n) {
    add<<<(unsigned)(n / 256 + 1), 256>>>(out, a, b, n);
}
