// SPDX-License-Identifier: MIT
// Brings y to the device by writing to it.
//   rejected: values: y[
void prefetch_arrays(const float *x, float *y, size_t n, int device) {
    size_t bytes = n * sizeof(float);
    CUDA_CHECK(cudaMemset(y, 0, bytes));
    CUDA_CHECK(prefetch(x, bytes, device));
    CUDA_CHECK(prefetch(y, bytes, device));
}
