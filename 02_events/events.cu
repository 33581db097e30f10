// The device itself stamps an event when it gets there, so two events time what it did in between.
// A CPU clock also counts the launch and the wait: a few microseconds more.
//
//     nvcc -O3 -arch=native events.cu -o events && ./events
//     ../common/cpu_device/cudacc -O2 events.cu -o events && ./events   (no GPU)
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
    const int rounds = 21; // by each clock, the fastest counts
    const size_t n = elements(argc, argv, 20 << 20), bytes = n * sizeof(float);
    float *h_x = (float *)malloc(bytes), *h_y = (float *)malloc(bytes), *d_x, *d_y;
    double by_events = INFINITY, by_cpu = INFINITY;
    size_t wrong = 0;
    struct cudaDeviceProp device;
    cudaEvent_t start, stop;
    if (!h_x || !h_y)
        return fputs("out of host memory\n", stderr), 3;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaMalloc((void **)&d_x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_y, bytes));
    for (size_t i = 0; i < n; i++) // small whole numbers: every result is exact
        h_x[i] = (float)(i % 1000), h_y[i] = (float)(i % 777);
    CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));

    for (int i = 0; i < rounds; i++) {
        CUDA_CHECK(cudaEventRecord(start, 0)); // puts the event in the stream, and does not wait
        saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n);
        CUDA_CHECK(cudaEventRecord(stop, 0));
        CUDA_CHECK(cudaGetLastError());
        by_events = fmin(by_events, elapsed_ms(start, stop)); // waits for stop
    }
    for (int i = 0; i < rounds; i++) { // apart from the events: recording takes time, too
        double begin = wall_ms();
        saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n);
        CUDA_CHECK(cudaDeviceSynchronize());
        by_cpu = fmin(by_cpu, wall_ms() - begin);
        CUDA_CHECK(cudaGetLastError());
    }

    CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        wrong += (h_y[i] != (float)(i % 777) + 2 * rounds * 2.0f * (float)(i % 1000));
    printf("%s, saxpy on %zu elements; the fastest of %d\n", device.name, n, rounds);
    if (!on_cpu_device(&device)) {
        printf("by two events     %9.4f ms\n", by_events);
        printf("by the CPU clock  %9.4f ms\n", by_cpu);
        printf("The CPU clock adds %.1f us, %.1f %%: the launch and the wait.\n",
               1e3 * (by_cpu - by_events), 100 * (by_cpu / by_events - 1));
    } else
        puts("(No times: those of the CPU device say nothing about a GPU.)");
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    free(h_x), free(h_y);
    printf(wrong ? "FAIL: %zu wrong results\n" : "PASS\n", wrong);
    return wrong > 0;
}
