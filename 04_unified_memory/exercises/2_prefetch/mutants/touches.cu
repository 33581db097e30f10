// SPDX-License-Identifier: MIT
// Fetches with a kernel of its own, which waits for every page.
//   rejected: facts: pages the kernel had to wait for
__global__ void touch(const float *x, float *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] + y[i] < 0)
        y[i] = 0;
}

void prefetch_arrays(const float *x, float *y, size_t n, int) {
    if (n > 0)
        touch<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
