// SPDX-License-Identifier: MIT
// Keeps 8 bits of the result.
//   rejected: values: out[
__global__ void squares(float *out, const float *x, const float *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned s = __float_as_uint(x[i] * x[i] + y[i] * y[i]);
        out[i] = __uint_as_float(s & 0xFFFF0000u); // what a bfloat16 would keep
    }
}

void sum_of_squares(float *out, const float *x, const float *y, float *scratch, size_t n) {
    (void)scratch;
    if (n > 0)
        squares<<<(unsigned)((n + 255) / 256), 256>>>(out, x, y, n);
}
