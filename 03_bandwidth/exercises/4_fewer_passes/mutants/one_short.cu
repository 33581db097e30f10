// SPDX-License-Identifier: MIT
// Leaves the last element out.
//   rejected: values: n = 1, call 1: out[0] was never written
__global__ void squares(float *out, const float *x, const float *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n)
        out[i] = x[i] * x[i] + y[i] * y[i];
}

void sum_of_squares(float *out, const float *x, const float *y, float *scratch, size_t n) {
    (void)scratch;
    if (n > 0)
        squares<<<(unsigned)((n + 255) / 256), 256>>>(out, x, y, n);
}
