// An array of the device is handed to the host's fwrite, which only says that nothing was written
// EXPECT: device pointer on the host: load of 4096 bytes at device_pointer_file.cu:15
// SPDX-License-Identifier: MIT
#include <stdio.h>

__global__ void count(int *a) { a[threadIdx.x] = threadIdx.x; }

int main(void) {
    int *d_a;
    FILE *f = fopen("/dev/null", "w");
    if (!f || cudaMalloc(&d_a, 4096) != cudaSuccess)
        return 1;
    count<<<1, 1024>>>(d_a);
    cudaDeviceSynchronize();
    size_t written = fwrite(d_a, 1, 4096, f); // ERROR device pointer on the host
    fclose(f);
    cudaFree(d_a);
    return written != 4096;
}
