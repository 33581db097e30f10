// SPDX-License-Identifier: MIT
// Waits, but behind the clock.
//   rejected: sync: stopped before the kernel ran
double time_work_ms(void) {
    CUDA_CHECK(cudaDeviceSynchronize());
    double start = now_ms();
    launch_work();
    double stop = now_ms();
    CUDA_CHECK(cudaDeviceSynchronize());
    return stop - start;
}
