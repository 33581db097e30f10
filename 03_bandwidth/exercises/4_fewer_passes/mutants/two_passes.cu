// SPDX-License-Identifier: MIT
// Two passes where one will do.
//   rejected: goal: bytes moved for each element: 20
__global__ void square(float *out, const float *in, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * in[i];
}

__global__ void add_square(float *out, const float *in, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * in[i] + out[i];
}

void sum_of_squares(float *out, const float *x, const float *y, float *, size_t n) {
    if (n == 0)
        return;
    square<<<(unsigned)((n + 255) / 256), 256>>>(out, x, n);
    add_square<<<(unsigned)((n + 255) / 256), 256>>>(out, y, n);
}
