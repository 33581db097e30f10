// Effective bandwidth: the bytes that a kernel reads and writes, divided by its time. Beside the
// theoretical peak it says how much is left to gain; SAXPY's two flops per element are no limit.
//
//     nvcc -O3 -arch=native bandwidth.cu -o bandwidth && ./bandwidth
//     ../cudacc/cudacc -O2 bandwidth.cu -o bandwidth && ./bandwidth   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"
#include <math.h>

enum { LAUNCHES = 100 }; // timed together: then the events' own time does not count

__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// Milliseconds of one launch, after one that warms up.
static double time_saxpy(float *d_y, const float *d_x, size_t n) {
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n);
    CUDA_CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < LAUNCHES; i++)
        saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n);
    CUDA_CHECK(cudaEventRecord(stop, 0));
    CUDA_CHECK(cudaGetLastError());
    double ms = elapsed_ms(start, stop) / LAUNCHES;
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return ms;
}

static void print_rates(const struct cudaDeviceProp *device, size_t n, double ms) {
    int clock_khz, bus_bits;
    CUDA_CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    double peak = 2 * (clock_khz * 1e3) * (bus_bits / 8.0) / 1e9; // the clock is half the data rate
    double gb_per_s = 3 * sizeof(float) * (double)n / ms * 1e-6;  // reads x and y, writes y
    printf("time                   %9s ms\n", measured(ms, 4));
    printf("effective bandwidth    %9s GB/s\n", measured(gb_per_s, 1));
    if (peak > 0 && !device->integrated)
        printf("theoretical peak       %9.1f GB/s; reached: %s %%\n", peak,
               measured(100 * gb_per_s / peak, 1));
    printf("arithmetic             %9s GFLOP/s\n", measured(2 * (double)n / ms * 1e-6, 1));
}

// Times saxpy on n elements, checks every result and prints a row. Returns how many are wrong.
static size_t run(const struct cudaDeviceProp *device, size_t n) {
    const size_t bytes = n * sizeof(float);
    float *h = host_floats(n); // x on the way to the device, y on the way back
    float *d_x, *d_y;
    CUDA_CHECK(cudaMalloc(&d_x, bytes));
    CUDA_CHECK(cudaMalloc(&d_y, bytes));
    for (size_t i = 0; i < n; i++) // small whole numbers: every result is exact
        h[i] = (float)(1 + i % 1000);
    CUDA_CHECK(cudaMemcpy(d_x, h, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(d_y, 0, bytes));
    double ms = time_saxpy(d_y, d_x, n);
    CUDA_CHECK(cudaMemcpy(h, d_y, bytes, cudaMemcpyDeviceToHost));
    float max_error = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        float expected = (LAUNCHES + 1) * 2.0f * (float)(1 + i % 1000);
        float error = fabsf(h[i] - expected);
        max_error = error > max_error ? error : max_error;
        wrong += h[i] != expected;
    }
    printf("%s, saxpy on %zu elements; max error %g\n", device->name, n, max_error);
    print_rates(device, n, ms);
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    free(h);
    return wrong;
}

int main(int argc, char **argv) {
    const size_t article = 20 << 20;          // elements
    size_t n = elements(argc, argv, 1 << 28); // arrays of 1 GiB: no cache holds them
    size_t free_bytes, all_bytes;
    struct cudaDeviceProp device;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &all_bytes)); // ask before you allocate
    while (argc == 1 && 2 * n * sizeof(float) > free_bytes / 10 * 9)
        n /= 2; // both arrays must fit; the number is printed below
    size_t wrong = run(&device, n);
    if (argc == 1 && n > article)
        wrong += run(&device, article);
    return pass_or_fail(wrong);
}
