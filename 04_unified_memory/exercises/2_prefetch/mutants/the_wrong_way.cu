// SPDX-License-Identifier: MIT
// Sends y to where it is already.
//   rejected: facts: pages the kernel had to wait for
void prefetch_arrays(const float *x, float *y, size_t n, int device) {
    size_t bytes = n * sizeof(float);
    CUDA_CHECK(prefetch(x, bytes, device));
    CUDA_CHECK(prefetch(y, bytes, cudaCpuDeviceId));
}
