// SPDX-License-Identifier: MIT
// Measures once, then returns what it found then.
//   rejected: values: the device worked for
double time_work_ms(void) {
    static double first;
    CUDA_CHECK(cudaDeviceSynchronize());
    double start = now_ms();
    launch_work();
    CUDA_CHECK(cudaDeviceSynchronize());
    double ms = now_ms() - start;
    return first ? first : (first = ms);
}
