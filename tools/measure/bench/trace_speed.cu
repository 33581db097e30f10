// How long SAXPY takes: one line per sample, milliseconds of a plain loop and of the kernel.
// tools/measure/bench/trace_speed compiles it twice, without and with --trace.
//
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include "../../../common/common.h"

enum { N = 20 << 20, SAMPLES = 5 };

__global__ void saxpy(size_t n, float a, const float *x, float *y) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// One thread, at the optimization that this file is compiled with.
__attribute__((noinline)) static void saxpy_loop(size_t n, float a, const float *x, float *y) {
    for (size_t i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

int main(void) {
    size_t bytes = N * sizeof(float), wrong = 0;
    float *d_x, *d_y, *h_x = (float *)malloc(bytes), *h_y = (float *)malloc(bytes);
    float *h_result = (float *)malloc(bytes);
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
        if (k >= 0)
            printf("%.3f %.3f\n", middle - start, wall_ms() - middle);
    }
    CUDA_CHECK(cudaMemcpy(h_result, d_y, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < N; i++)
        wrong += !(h_result[i] == h_y[i]);
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    return wrong != 0;
}
