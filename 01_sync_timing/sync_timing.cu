// A kernel launch returns before the kernel has run. Stop a CPU clock right after the launch and
// you have timed the launch; synchronize first, or copy a result, and you have timed the kernel.
//
//     nvcc -O3 -arch=native sync_timing.cu -o sync_timing && ./sync_timing
//     ../common/cpu_device/cudacc -O2 sync_timing.cu -o sync_timing && ./sync_timing   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"
#include <math.h>

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

int main(int argc, char **argv) {
    const int rounds = 21; // of each, the fastest counts: the first one also loads the kernel
    const size_t n = elements(argc, argv, 20 << 20), bytes = n * sizeof(float);
    float *h_x = (float *)malloc(bytes), *h_y = (float *)malloc(bytes),
          *h_sum = (float *)malloc(bytes);
    float *d_x, *d_y, *d_sum, last;
    if (!h_x || !h_y || !h_sum)
        return fputs("out of host memory\n", stderr), 3;
    double sum_launch = INFINITY, sum_done = INFINITY;
    double saxpy_launch = INFINITY, saxpy_done = INFINITY, saxpy_copied = INFINITY;
    size_t wrong = 0, early = 0, late = 0; // kernels that had ended when a call returned
    struct cudaDeviceProp device;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaMalloc((void **)&d_x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_y, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_sum, bytes));
    for (size_t i = 0; i < n; i++) // small whole numbers: every result is exact
        h_x[i] = (float)(i % 1000), h_y[i] = (float)(i % 777);
    CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));
    for (int i = 0; i < rounds; i++) { // the sum of two arrays, one start and two stops
        double start = wall_ms();
        sum_arrays<<<blocks(n, 256), 256>>>(d_sum, d_x, d_y, n);
        sum_launch = fmin(sum_launch, wall_ms() - start);
        CUDA_CHECK(cudaDeviceSynchronize());
        sum_done = fmin(sum_done, wall_ms() - start);
        CUDA_CHECK(cudaGetLastError()); // was it accepted? Asked now, so that it is not timed
    }
    for (int i = 0; i < rounds; i++) { // SAXPY, the same
        double start = wall_ms();
        saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n);
        saxpy_launch = fmin(saxpy_launch, wall_ms() - start);
        early += on_cpu_device(&device) && cudaStreamQuery(0) == cudaSuccess; // not timed on a GPU
        CUDA_CHECK(cudaDeviceSynchronize());
        saxpy_done = fmin(saxpy_done, wall_ms() - start);
        start = wall_ms(); // a copy waits for the kernel before it; 4 bytes cost little
        saxpy<<<blocks(n, 512), 512>>>(d_y, d_x, 2.0f, n);
        CUDA_CHECK(cudaMemcpy(&last, d_y + n - 1, sizeof last, cudaMemcpyDeviceToHost));
        saxpy_copied = fmin(saxpy_copied, wall_ms() - start);
        late += cudaStreamQuery(0) == cudaSuccess;
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaMemcpy(h_sum, d_sum, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) {
        float x = (float)(i % 1000), y = (float)(i % 777);
        wrong += (h_sum[i] != x + y) + (h_y[i] != y + 2 * rounds * 2.0f * x);
    }
    printf("%s, %zu elements; the CPU's clock, %d rounds\n", device.name, n, rounds);
    if (on_cpu_device(&device)) // a CPU's times say nothing about a GPU, the order does
        printf("(No times, but the order: %zu of %d kernels had ended when the launch returned,\n"
               "%zu of %d when the copy did. Times on a CPU say nothing about a GPU.)\n",
               early, rounds, late, rounds);
    else
        printf("fastest, in ms   after the launch  after a synchronize  after a 4-byte copy\n"
               "sum_arrays   %20.4f  %19.4f\n"
               "saxpy        %20.4f  %19.4f  %19.4f\n"
               "Stopping right after the launch measures only %.1f %% of saxpy.\n",
               sum_launch, sum_done, saxpy_launch, saxpy_done, saxpy_copied,
               100 * saxpy_launch / saxpy_done);
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    CUDA_CHECK(cudaFree(d_sum));
    free(h_x), free(h_y), free(h_sum);
    printf(wrong ? "FAIL: %zu wrong results\n" : "PASS\n", wrong);
    return wrong > 0;
}
