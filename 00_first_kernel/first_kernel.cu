// y = x + y with one thread, then with one block of threads, then with a thread for each element.
//
//     nvcc -O3 -arch=native first_kernel.cu -o first_kernel && ./first_kernel
//     ../cudacc/cudacc -O2 first_kernel.cu -o first_kernel && ./first_kernel   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"

__global__ void add(float *y, const float *x, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = first; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = x[i] + y[i];
}

int main(int argc, char **argv) {
    const size_t n = elements(argc, argv, 1 << 20);
    const size_t bytes = n * sizeof(float);
    const unsigned grid[] = {1, 1, blocks(n, 256)};
    const unsigned block[] = {1, 256, 256};
    float *h_x = host_floats(n);
    float *h_y = host_floats(n);
    float *d_x, *d_y;
    struct cudaDeviceProp device;
    size_t wrong = 0;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaMalloc((void **)&d_x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_y, bytes));
    for (size_t i = 0; i < n; i++)
        h_x[i] = (float)(i % 1000 + 1);
    CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(d_y, 0, bytes)); // y begins as zeros, so three launches make it 3 x
    printf("%s, %zu elements\nblocks  threads in each  elements per thread\n", device.name, n);
    for (int k = 0; k < 3; k++) {
        double start = wall_ms();
        add<<<grid[k], block[k]>>>(d_y, d_x, n);
        CUDA_CHECK(cudaGetLastError());      // was the launch accepted?
        CUDA_CHECK(cudaDeviceSynchronize()); // wait until the kernel is done
        printf("%6u  %15u  %19u  %9s ms\n", grid[k], block[k], blocks(n, grid[k] * block[k]),
               measured(wall_ms() - start, 4));
    }
    CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        wrong += h_y[i] != 3 * h_x[i];
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    free(h_x);
    free(h_y);
    return pass_or_fail(wrong);
}
