// SPDX-License-Identifier: MIT
// Advice instead: the kernel reads over the link, and nothing is brought.
//   rejected: facts: bytes moved to the device, for each element: 0
void prefetch_arrays(const float *x, float *y, size_t n, int device) {
    size_t bytes = n * sizeof(float);
    CUDA_CHECK(advise(x, bytes, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    CUDA_CHECK(advise(y, bytes, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    CUDA_CHECK(advise(x, bytes, cudaMemAdviseSetAccessedBy, device));
    CUDA_CHECK(advise(y, bytes, cudaMemAdviseSetAccessedBy, device));
}
