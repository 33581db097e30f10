// SPDX-License-Identifier: MIT
// Four floats for each thread, one after the other: each request touches more sectors.
//   rejected: facts: part of the moved bytes
__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = 4 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
    for (size_t k = i; k < i + 4 && k < n; k++)
        y[k] = a * x[k] + y[k];
}

void saxpy_arrays(float *y, const float *x, float a, size_t n) {
    if (n > 0)
        saxpy<<<(unsigned)((n + 1023) / 1024), 256>>>(y, x, a, n);
}
