// The host reads the result without cudaMemcpy.
// EXPECT: device pointer on the host: load of 4 bytes at device_pointer.cu
// EXPECT: d_out[0], byte 0 of 128, allocated at device_pointer.cu:12
// SPDX-License-Identifier: MIT
#include <stdio.h>

__global__ void fill(int *out) { out[threadIdx.x] = 42; }

int main(void) {
    int *d_out;

    cudaMalloc(&d_out, 32 * sizeof *d_out);
    fill<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    int first = d_out[0]; // ERROR device pointer on the host
    printf("%d\n", first);
    return 0;
}
