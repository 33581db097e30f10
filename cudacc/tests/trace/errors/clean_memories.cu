// Pinned and registered host memory in a kernel, managed memory on both sides with synchronization
// between, __device__, __managed__ and __constant__ variables, a table that only the compiler
// knows.
// SPDX-License-Identifier: MIT
#include <stdlib.h>

__device__ int counters[4] = {1, 2, 3, 4};
__constant__ int factors[4] = {1, 10, 100, 1000};
__managed__ int total;

__global__ void use(int *pinned, int *registered, int *managed, const int *device) {
    static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    int i = threadIdx.x;
    int local[4];
    for (int k = 0; k < 4; k++)
        local[(k + i) % 4] = counters[k] * factors[k];
    pinned[i] += table[i % 8];
    registered[i] = pinned[i] + local[i % 4] + device[i];
    managed[i] += registered[i];
    atomicAdd(&total, managed[i]);
}

int main(void) {
    int *h_pinned, *managed, *d_device, *h_registered = (int *)malloc(64 * sizeof(int)), sum = 0;
    cudaMallocHost(&h_pinned, 64 * sizeof(int));
    cudaMallocManaged(&managed, 64 * sizeof(int));
    cudaMalloc(&d_device, 64 * sizeof(int));
    cudaHostRegister(h_registered, 64 * sizeof(int), cudaHostRegisterDefault);
    cudaMemset(d_device, 0, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        h_pinned[i] = managed[i] = i;
    use<<<1, 64>>>(h_pinned, h_registered, managed, d_device);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++)
        sum += managed[i];
    managed[0] = 0;
    use<<<1, 64>>>(h_pinned, h_registered, managed, d_device);
    cudaDeviceSynchronize();
    int right = sum > 0 && total > sum;
    cudaHostUnregister(h_registered);
    free(h_registered);
    cudaFreeHost(h_pinned);
    cudaFree(managed);
    cudaFree(d_device);
    return !right;
}
