// SPDX-License-Identifier: MIT
// Starts the clock on a busy device.
//   rejected: sync: what was queued before, too
double time_work_ms(void) {
    double start = now_ms();
    launch_work();
    CUDA_CHECK(cudaDeviceSynchronize());
    return now_ms() - start;
}
