// The device itself stamps an event when it gets there, so two events time what it did in between.
// A CPU clock also counts the way to the device and back: a few microseconds more.
//
//     nvcc -O3 -arch=native events.cu -o events && ./events
//     ../cudacc/cudacc -O2 events.cu -o events && ./events   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"
#include <math.h>

enum { ROUNDS = 21 }; // by each clock, the fastest counts

__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static double fastest_by_events(float *d_y, const float *d_x, size_t n) {
    double fastest = INFINITY;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < ROUNDS; round++) {
        CUDA_CHECK(cudaEventRecord(start, 0)); // puts the event in the stream, and does not wait
        saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n);
        CUDA_CHECK(cudaEventRecord(stop, 0));
        CUDA_CHECK(cudaGetLastError());
        fastest = fmin(fastest, elapsed_ms(start, stop)); // waits for stop
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return fastest;
}

static double fastest_by_cpu_clock(float *d_y, const float *d_x, size_t n) {
    double fastest = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double start = wall_ms();
        saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n);
        CUDA_CHECK(cudaDeviceSynchronize());
        fastest = fmin(fastest, wall_ms() - start);
        CUDA_CHECK(cudaGetLastError());
    }
    return fastest;
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
    for (size_t i = 0; i < n; i++) { // small whole numbers: every result is exact
        h_x[i] = (float)(1 + i % 1000);
        h_y[i] = (float)(i % 777);
    }
    CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));

    printf("%s, saxpy on %zu elements; the fastest of %d\n", device.name, n, ROUNDS);
    double by_events = fastest_by_events(d_y, d_x, n);
    double by_cpu = fastest_by_cpu_clock(d_y, d_x, n); // apart: recording takes time, too
    printf("by two events     %9s ms\n", measured(by_events, 4));
    printf("by the CPU clock  %9s ms\n", measured(by_cpu, 4));
    printf("The CPU clock adds %s us, %s %%: the way to the device and back.\n",
           measured(1e3 * (by_cpu - by_events), 1), measured(100 * (by_cpu / by_events - 1), 1));
    CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += h_y[i] != (float)(i % 777) + 2 * ROUNDS * 2.0f * h_x[i];
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    free(h_x);
    free(h_y);
    return pass_or_fail(wrong);
}
