// SPDX-License-Identifier: MIT
// Half of the way.
//   rejected: goal: requests for 1024 elements: 48
__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, tail = n / 2 * 2 + i;
    if (i < n / 2) {
        float2 p = ((const float2 *)x)[i], q = ((float2 *)y)[i];
        ((float2 *)y)[i] = make_float2(a * p.x + q.x, a * p.y + q.y);
    }
    if (tail < n)
        y[tail] = a * x[tail] + y[tail];
}

void saxpy_arrays(float *y, const float *x, float a, size_t n) {
    size_t threads = n / 2 + n % 2;
    if (n > 0)
        saxpy<<<(unsigned)((threads + 255) / 256), 256>>>(y, x, a, n);
    CUDA_CHECK(cudaGetLastError());
}
