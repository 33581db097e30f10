// The host and kernels use the memory of each other
// SPDX-License-Identifier: MIT
#include "program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void fill(int *out) { out[threadIdx.x] = 42; }

// ---- device_pointer: The host reads the result without cudaMemcpy.
// EXPECT: device pointer on the host: load of 4 bytes at device_pointer.cu
// EXPECT: d_out[0], byte 0 of 128, allocated at device_pointer.cu:5
PROGRAM(device_pointer, ANY_RESULT) {
    ARRAY(int, d_out, 32);
    fill<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    int first = d_out[0]; // ERROR device pointer on the host
    printf("%d\n", first);
}

// ---- device_pointer_file: An array of the device is handed to the host's fwrite, which only
// says that nothing was written
// EXPECT: device pointer on the host: load of 4096 bytes at device_pointer_file.cu:12
__global__ void count(int *a) { a[threadIdx.x] = threadIdx.x; }
PROGRAM(device_pointer_file, ANY_RESULT) {
    int *d_a;
    FILE *f = fopen("/dev/null", "w");
    if (!f || cudaMalloc(&d_a, 4096) != cudaSuccess)
        exit(1);
    count<<<1, 1024>>>(d_a);
    cudaDeviceSynchronize();
    size_t written = fwrite(d_a, 1, 4096, f); // ERROR device pointer on the host
    fclose(f);
    cudaFree(d_a);
    exit_code = written != 4096;
}

// ---- device_pointer_memcpy: The C library's memcpy where cudaMemcpy belongs.
// EXPECT: device pointer on the host: load of 128 bytes at device_pointer_memcpy.cu
// EXPECT: d_out[0], byte 0 of 128
PROGRAM(device_pointer_memcpy, ANY_RESULT) {
    int h_out[32];
    ARRAY(int, d_out, 32);
    fill<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    memcpy(h_out, d_out, sizeof h_out); // ERROR device pointer on the host
    printf("%d\n", h_out[0]);
}

// ---- device_pointer_text: A text of the device is handed to the host's printf
// EXPECT: device pointer on the host: load of 1 byte at device_pointer_text.cu:7: d_text[0], byte 0 of 32, allocated at device_pointer_text.cu:5
__global__ void spell(char *text) { text[threadIdx.x] = threadIdx.x < 26 ? 'a' + threadIdx.x : 0; }
PROGRAM(device_pointer_text, ANY_RESULT) {
    ARRAY(char, d_text, 32);
    spell<<<1, 32>>>(d_text);
    printf("%p: %s\n", (void *)d_text, d_text); // ERROR device pointer on the host
}

// ---- device_pointer_write: The host fills device memory as if it were its own.
// EXPECT: device pointer on the host: store of 4 bytes at device_pointer_write.cu
static void initialise(float *a, int n) {
    for (int i = 0; i < n; i++)
        a[i] = (float)i; // ERROR device pointer on the host
}
PROGRAM(device_pointer_write, ANY_RESULT) {
    ARRAY(float, d_a, 100);
    initialise(d_a, 100);
}

// ---- host_pointer: A pointer to the host's memory is handed to a kernel.
// EXPECT: host pointer in a kernel: load of 4 bytes at host_pointer.cu
// EXPECT: kernel sum, launch 0, block (0,0,0), thread (0,0,0): its 2nd argument is a pointer to host memory
__global__ void sum(float *out, const float *in) {
    out[threadIdx.x] += in[threadIdx.x]; // ERROR host pointer in a kernel
}
PROGRAM(host_pointer, cudaErrorIllegalAddress) {
    static float h_in[64];
    ZEROES(float, d_out, 64);
    sum<<<1, 64>>>(d_out, h_in);
}

// ---- host_pointer_in_struct: The same, hidden in a struct.
// EXPECT: host pointer in a kernel: store of 4 bytes at host_pointer_in_struct.cu
// EXPECT: block (0,0,0), thread (0,0,0): memory of the host, which the kernel must not use
struct image {
    int width, height;
    float *pixels;
};
__global__ void clear(struct image image) {
    image.pixels[blockIdx.x * image.width + threadIdx.x] = 0; // ERROR host pointer in a kernel
}
PROGRAM(host_pointer_in_struct, cudaErrorIllegalAddress) {
    struct image image = {64, 64, NULL};
    image.pixels = (float *)malloc(64 * 64 * sizeof(float));
    clear<<<64, 64>>>(image);
}

// ---- host_pointer_many: Of eleven pointers, one is the host's.
// EXPECT: kernel sum_of_many, launch 0, block (0,0,0), thread (0,0,0): its 11th argument is a pointer to host memory
__global__ void sum_of_many(float *out, const float *a, const float *b, const float *c,
                            const float *d, const float *e, const float *f, const float *g,
                            const float *h, const float *i, const float *j) {
    int t = threadIdx.x;
    out[t] = a[t] + b[t] + c[t] + d[t] + e[t] + f[t] + g[t] + h[t] + i[t];
    out[t] += j[t]; // ERROR host pointer in a kernel
}
PROGRAM(host_pointer_many, cudaErrorIllegalAddress) {
    static float h_in[64];
    ZEROES(float, d_in, 64);
    ARRAY(float, d_out, 64);
    sum_of_many<<<1, 64>>>(d_out, d_in, d_in, d_in, d_in, d_in, d_in, d_in, d_in, d_in, h_in);
}

// ---- result_on_device: cudaMalloc stores the row's address into memory of the device
// EXPECT: device pointer on the host: store at result_on_device.cu:5: rows[1], byte 8 of 32, allocated at result_on_device.cu:4
PROGRAM(result_on_device, ANY_RESULT) {
    ARRAY(int *, rows, 4);
    cudaMalloc(&rows[1], 16); // ERROR device pointer on the host
}
