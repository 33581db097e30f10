// A kernel launch returns before the kernel has run. Stop a CPU clock right after the launch and
// you have timed the launch; synchronize first, or copy a result, and you have timed the kernel.
//
//     nvcc -O3 -arch=native sync_timing.cu -o sync_timing && ./sync_timing
//     ../cudacc/cudacc -O2 sync_timing.cu -o sync_timing && ./sync_timing   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"
#include <math.h>

enum { ROUNDS = 21 };
enum { LAUNCH, SYNCHRONIZE, COPY, STOPS }; // the call after which the clock stops

__global__ void sum_arrays(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// The milliseconds of one launch of saxpy, from before it until `stop` has returned.
static double time_saxpy(int stop, float *d_y, const float *d_x, size_t n) {
    float last;
    double start = wall_ms();
    saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n);
    if (stop == SYNCHRONIZE)
        CUDA_CHECK(cudaDeviceSynchronize());
    if (stop == COPY) // waits for the kernel before it; 4 bytes cost little
        CUDA_CHECK(cudaMemcpy(&last, d_y + n - 1, sizeof last, cudaMemcpyDeviceToHost));
    double ms = wall_ms() - start;
    CUDA_CHECK(cudaGetLastError()); // was it accepted? Asked now, so that it is not timed
    return ms;
}

// In each round, a sum of the two arrays, then saxpy with each stop.
static void run(float *d_y, const float *d_x, size_t n) {
    double sum_ms[] = {INFINITY, INFINITY};            // of each, the fastest counts: the first
    double ms[STOPS] = {INFINITY, INFINITY, INFINITY}; // round also loads the kernels
    for (int round = 0; round < ROUNDS; round++) {
        double start = wall_ms(); // one start, two stops
        sum_arrays<<<blocks(n, 256), 256>>>(d_y, d_x, d_y, n);
        sum_ms[0] = fmin(sum_ms[0], wall_ms() - start);
        CUDA_CHECK(cudaDeviceSynchronize());
        sum_ms[1] = fmin(sum_ms[1], wall_ms() - start);
        for (int stop = LAUNCH; stop < STOPS; stop++) {
            ms[stop] = fmin(ms[stop], time_saxpy(stop, d_y, d_x, n));
            CUDA_CHECK(cudaDeviceSynchronize());
        }
    }
    printf("fastest, in ms   after the launch  after a synchronize  after a 4-byte copy\n"
           "sum_arrays   %20s  %19s\n"
           "saxpy        %20s  %19s  %19s\n"
           "Stopping right after the launch measures only %s %% of saxpy.\n",
           measured(sum_ms[0], 4), measured(sum_ms[1], 4), measured(ms[LAUNCH], 4),
           measured(ms[SYNCHRONIZE], 4), measured(ms[COPY], 4),
           measured(100 * ms[LAUNCH] / ms[SYNCHRONIZE], 1));
}

int main(int argc, char **argv) {
    const size_t n = elements(argc, argv, 20 << 20);
    const size_t bytes = n * sizeof(float);
    float *h_x = host_floats(n);
    float *h_y = host_floats(n);
    float *d_x, *d_y;
    struct cudaDeviceProp device;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaMalloc(&d_x, bytes));
    CUDA_CHECK(cudaMalloc(&d_y, bytes));
    for (size_t i = 0; i < n; i++) // small whole numbers: every result is exact
        h_x[i] = (float)(1 + i % 1000);
    CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(d_y, 0, bytes));
    printf("%s, %zu elements; the CPU's clock, %d rounds\n", device.name, n, ROUNDS);
    run(d_y, d_x, n);
    CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += h_y[i] != 7 * ROUNDS * h_x[i]; // a round adds x once and 2 x three times
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    free(h_x);
    free(h_y);
    return pass_or_fail(wrong);
}
