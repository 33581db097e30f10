// SPDX-License-Identifier: MIT
// Waits for a stream that has nothing to do with it.
//   rejected: sync: stopped before the kernel ran
double time_work_ms(void) {
    cudaStream_t other;
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    double start = now_ms();
    launch_work();
    double stop = now_ms();
    CUDA_CHECK(cudaStreamDestroy(other));
    return stop - start;
}
