// SPDX-License-Identifier: MIT
// Fetches one of two arrays.
//   rejected: facts: pages the kernel had to wait for
void prefetch_arrays(const float *x, float *, size_t n, int device) {
    size_t bytes = n * sizeof(float);
    CUDA_CHECK(prefetch(x, bytes, device));
}
