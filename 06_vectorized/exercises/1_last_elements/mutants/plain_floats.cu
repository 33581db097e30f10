// SPDX-License-Identifier: MIT
// Right, but without float4.
//   rejected: facts: bytes of a request
__global__ void add(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

void add_arrays(float *out, const float *a, const float *b, size_t n) {
    if (n > 0)
        add<<<(unsigned)((n + 255) / 256), 256>>>(out, a, b, n);
}
