// The same, hidden in a struct.
// EXPECT: host pointer in a kernel: store of 4 bytes at host_pointer_in_struct.cu
// EXPECT: block (0,0,0), thread (0,0,0): memory of the host, which the kernel must not use
// SPDX-License-Identifier: MIT
#include <stdlib.h>

struct image {
    int width, height;
    float *pixels;
};

__global__ void clear(struct image image) {
    image.pixels[blockIdx.x * image.width + threadIdx.x] = 0; // ERROR host pointer in a kernel
}

int main(void) {
    struct image image = {64, 64, NULL};
    image.pixels = (float *)malloc(64 * 64 * sizeof(float));
    clear<<<64, 64>>>(image);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
