// How fast the CPU device is: SAXPY beside a plain loop, the price of a barrier and of a launch.
// Nothing is asserted about time; results are checked. For the CPU device only.
//
//     cudacc/cudacc tools/measure/bench/cpu_device_speed.cu -o speed && ./speed
//
// Compiled with --trace, its first line says what tracing costs; ACCESS_TABLE=0 leaves the report
// out.
//
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include "../../../common/common.h"

enum { N = 20 << 20, SAMPLES = 21, BARRIERS = 200, LAUNCHES = 1000 };

__global__ void saxpy(size_t n, float a, const float *x, float *y) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void reverse(float *x, int times) {
    __shared__ float tile[1024];
    unsigned t = threadIdx.x;
    for (int k = 0; k < times; k += 2) {
        tile[t] = x[t];
        __syncthreads();
        x[t] = tile[blockDim.x - 1 - t];
        __syncthreads();
    }
}

__global__ void empty() {}

// One thread, at the optimization that this file is compiled with.
__attribute__((noinline)) static void saxpy_loop(size_t n, float a, const float *x, float *y) {
    for (size_t i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double median(double *v) {
    qsort(v, SAMPLES, sizeof *v, ascending);
    return v[SAMPLES / 2];
}

int main(void) {
#ifndef __CUDACC_CPU__
    fprintf(stderr, "cpu_device_speed: for the CPU device only\n");
    return 77;
#endif
    size_t bytes = N * sizeof(float);
    float *d_x, *d_y, *h_x = (float *)malloc(bytes), *h_y = (float *)malloc(bytes);
    float *h_result = (float *)malloc(bytes);
    double loop[SAMPLES], device[SAMPLES];
    if (!h_x || !h_y || !h_result)
        return 3;
    CUDA_CHECK(cudaMalloc(&d_x, bytes));
    CUDA_CHECK(cudaMalloc(&d_y, bytes));
    for (size_t i = 0; i < N; i++) {
        h_x[i] = (float)(i % 7);
        h_y[i] = (float)(i % 5);
    }
    CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));
    for (int k = -1; k < SAMPLES; k++) { // the first round warms up
        double start = wall_ms();
        saxpy_loop(N, 2.0f, h_x, h_y);
        double middle = wall_ms();
        saxpy<<<blocks(N, 256), 256>>>(N, 2.0f, d_x, d_y);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        if (k < 0)
            continue;
        loop[k] = middle - start;
        device[k] = wall_ms() - middle;
    }
    CUDA_CHECK(cudaMemcpy(h_result, d_y, bytes, cudaMemcpyDeviceToHost));
    size_t wrong = 0;
    for (size_t i = 0; i < N; i++)
        wrong += !(h_result[i] == h_y[i]);
    double loop_ms = median(loop), device_ms = median(device);
    printf("SAXPY of %d floats: plain loop %.2f ms, CPU device %.2f ms, ratio %.2f\n", N, loop_ms,
           device_ms, device_ms / loop_ms);

    for (int block = 32; block <= 1024; block *= 2) {
        double ns[SAMPLES];
        for (int k = -1; k < SAMPLES; k++) {
            double start = wall_ms();
            reverse<<<1, block>>>(d_x, BARRIERS);
            CUDA_CHECK(cudaGetLastError());
            CUDA_CHECK(cudaDeviceSynchronize());
            if (k >= 0)
                ns[k] = (wall_ms() - start) * 1e6 / ((double)BARRIERS * block);
        }
        printf("barrier, %4d threads: %.1f ns per thread\n", block, median(ns));
    }
    CUDA_CHECK(cudaMemcpy(h_result, d_x, 1024 * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < 1024; i++)
        wrong += !(h_result[i] >= 0 && h_result[i] < 7);

    double launch[SAMPLES], both[SAMPLES];
    for (int k = 0; k < SAMPLES; k++) {
        double start = wall_ms();
        for (int i = 0; i < LAUNCHES; i++)
            empty<<<1, 1>>>();
        launch[k] = (wall_ms() - start) * 1e3 / LAUNCHES;
        CUDA_CHECK(cudaDeviceSynchronize());
        start = wall_ms();
        for (int i = 0; i < LAUNCHES / 10; i++) {
            empty<<<1, 1>>>();
            CUDA_CHECK(cudaDeviceSynchronize());
        }
        both[k] = (wall_ms() - start) * 1e4 / LAUNCHES;
    }
    CUDA_CHECK(cudaGetLastError());
    printf("launch of an empty kernel: %.2f us; with cudaDeviceSynchronize: %.2f us\n",
           median(launch), median(both));
    printf(wrong ? "FAIL: %zu wrong results\n" : "PASS\n", wrong);
    return wrong != 0;
}
