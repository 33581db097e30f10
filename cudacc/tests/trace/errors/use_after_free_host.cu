// The host reads managed memory after it has been freed.
// EXPECT: use after free: load of 4 bytes at use_after_free_host.cu
// EXPECT: data[31], byte 124 of 128, allocated at use_after_free_host.cu:12, which has been freed
// SPDX-License-Identifier: MIT
#include <stdio.h>

__global__ void fill(int *out) { out[threadIdx.x] = 42; }

int main(void) {
    int *data;

    cudaMallocManaged(&data, 32 * sizeof *data);
    fill<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
    printf("%d\n", data[31]); // ERROR use after free
    return 0;
}
