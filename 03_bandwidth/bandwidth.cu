// Effective bandwidth: the bytes that a kernel reads and writes, divided by its time. Beside the
// theoretical peak it says how much is left to gain; SAXPY's two flops per element are no limit.
//
//     nvcc -O3 -arch=native bandwidth.cu -o bandwidth && ./bandwidth
//     ../common/cpu_device/cudacc -O2 bandwidth.cu -o bandwidth && ./bandwidth   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"
#include <math.h>

__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
    const int launches = 100; // timed together: then the events' own time does not count
    float max_error = 0;
    size_t n = elements(argc, argv, 1 << 28); // arrays of 1 GiB: no cache holds them
    int clock_khz, bus_bits;
    struct cudaDeviceProp device;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    if (argc == 1 && on_cpu_device(&device))
        n = 1 << 22; // enough for the CPU device
    const size_t bytes = n * sizeof(float);
    float *h_x = (float *)malloc(bytes), *h_y = (float *)malloc(bytes), *d_x, *d_y;
    if (!h_x || !h_y)
        return fputs("out of host memory\n", stderr), 3;
    CUDA_CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaMalloc((void **)&d_x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_y, bytes));
    for (size_t i = 0; i < n; i++) // small whole numbers: every result is exact
        h_x[i] = (float)(i % 1000), h_y[i] = (float)(i % 777);
    CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));

    saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n); // the warm-up
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < launches; i++)
        saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n);
    CUDA_CHECK(cudaEventRecord(stop, 0));
    CUDA_CHECK(cudaGetLastError());
    double ms = elapsed_ms(start, stop) / launches;

    CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) { // a NaN is larger than any error
        float expected = (float)(i % 777) + (float)(launches + 1) * 2.0f * (float)(i % 1000);
        float error = h_y[i] == expected ? 0 : fabsf(h_y[i] - expected);
        if (!(error <= max_error))
            max_error = isnan(error) ? INFINITY : error;
    }
    printf("%s, saxpy on %zu elements; max error %g\n", device.name, n, max_error);
    if (!on_cpu_device(&device)) { // it has no memory of its own to be measured
        double peak = 2 * (clock_khz * 1e3) * (bus_bits / 8.0) / 1e9; // twice: double data rate
        double gb_per_s = 3 * (double)bytes / ms * 1e-6;              // reads x and y, writes y
        printf("time                   %9.4f ms\n", ms);
        printf("effective bandwidth    %9.1f GB/s\n", gb_per_s);
        if (peak > 0 && !device.integrated)
            printf("theoretical peak       %9.1f GB/s; reached: %.1f %%\n", peak,
                   100 * gb_per_s / peak);
        if (2 * bytes < 4 * (size_t)device.l2CacheSize) // below that, L2 still serves a part
            printf("                       (two arrays of %zu MB: the L2 cache helps)\n",
                   bytes / 1000000);
        printf("arithmetic             %9.1f GFLOP/s\n", 2 * (double)n / ms * 1e-6);
    } else
        puts("(No times: those of the CPU device say nothing about a GPU.)");
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    free(h_x), free(h_y);
    puts(max_error > 0 ? "FAIL" : "PASS");
    return max_error > 0;
}
