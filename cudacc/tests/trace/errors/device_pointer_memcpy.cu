// The C library's memcpy where cudaMemcpy belongs.
// EXPECT: device pointer on the host: load of 128 bytes at device_pointer_memcpy.cu
// EXPECT: d_out[0], byte 0 of 128
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

__global__ void fill(int *out) { out[threadIdx.x] = 42; }

int main(void) {
    int *d_out, h_out[32];
    cudaMalloc(&d_out, sizeof h_out);
    fill<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    memcpy(h_out, d_out, sizeof h_out); // ERROR device pointer on the host
    printf("%d\n", h_out[0]);
    return 0;
}
