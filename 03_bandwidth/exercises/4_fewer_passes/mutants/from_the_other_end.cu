// SPDX-License-Identifier: MIT
// Takes y from the other end.
//   rejected: values: n = 2, call 1: out[0]
__global__ void squares(float *out, const float *x, const float *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i] * x[i] + y[n - 1 - i] * y[n - 1 - i];
}

void sum_of_squares(float *out, const float *x, const float *y, float *scratch, size_t n) {
    (void)scratch;
    if (n > 0)
        squares<<<(unsigned)((n + 255) / 256), 256>>>(out, x, y, n);
}
