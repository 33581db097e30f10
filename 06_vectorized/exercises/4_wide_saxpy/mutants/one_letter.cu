// SPDX-License-Identifier: MIT
// A slip in the last field.
//   rejected: values: y[3]
__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, tail = n / 4 * 4 + i;
    if (i < n / 4) {
        float4 p = ((const float4 *)x)[i], q = ((float4 *)y)[i];
        ((float4 *)y)[i] = make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.z);
    }
    if (tail < n)
        y[tail] = a * x[tail] + y[tail];
}

void saxpy_arrays(float *y, const float *x, float a, size_t n) {
    size_t threads = n / 4 + n % 4;
    if (n > 0)
        saxpy<<<(unsigned)((threads + 255) / 256), 256>>>(y, x, a, n);
    CUDA_CHECK(cudaGetLastError());
}
