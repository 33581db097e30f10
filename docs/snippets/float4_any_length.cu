// Reads and writes float4 for any length and any alignment: a scalar head and tail around the body.
// SPDX-License-Identifier: MIT-0
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s failed: %s: %s\n", __FILE__, __LINE__, #call,               \
                    cudaGetErrorName(error_), cudaGetErrorString(error_));                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void scale(float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t head = (32 - (size_t)x % 32) % 32 / sizeof(float); // floats up to the next sector
    if (head > n)
        head = n;
    size_t body = (n - head) / 4; // in float4
    float4 *x4 = (float4 *)(x + head);
    if (i < body) {
        float4 v = x4[i];
        x4[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
    }
    if (i < n - 4 * body) { // head and tail: at most 10 floats
        size_t j = i < head ? i : i + 4 * body;
        x[j] = a * x[j];
    }
}

int main(int argc, char **argv) {
    char *end = NULL;
    size_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 1000003, wrong = 0;
    if (argc > 2 || (end && *end) || n < 1 || n > 1 << 30) {
        fprintf(stderr, "usage: %s [elements, 1 to 2^30]\n", argv[0]);
        return 2;
    }
    float *x;
    CUDA_CHECK(cudaMallocManaged((void **)&x, (n + 8) * sizeof(float)));
    for (size_t offset = 0; offset < 8; offset++) {
        for (size_t i = 0; i < n + 8; i++)
            x[i] = (float)(i % 1000) + 1;
        scale<<<(unsigned)(n / 4 / 256 + 1), 256>>>(x + offset, 2, n);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        for (size_t i = 0; i < n + 8; i++)
            wrong += x[i] != (float)(i % 1000 + 1) * (i >= offset && i < offset + n ? 2 : 1);
    }
    CUDA_CHECK(cudaFree(x));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
