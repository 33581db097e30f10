// A text of the device is handed to the host's printf
// EXPECT: device pointer on the host: load of 1 bytes at device_pointer_text.cu:12: d_text[0], byte 0 of 32, allocated at device_pointer_text.cu:10
// SPDX-License-Identifier: MIT
#include <stdio.h>

__global__ void spell(char *text) { text[threadIdx.x] = threadIdx.x < 26 ? 'a' + threadIdx.x : 0; }

int main(void) {
    char *d_text;
    cudaMalloc(&d_text, 32);
    spell<<<1, 32>>>(d_text);
    printf("%p: %s\n", (void *)d_text, d_text); // ERROR device pointer on the host
    cudaFree(d_text);
    return 0;
}
