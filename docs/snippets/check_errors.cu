// Checks every CUDA call and launch; at the first error: file, line, call and error, exit code 1.
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

__global__ void fill(float *x, float value, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = value;
}

int main(int argc, char **argv) {
    char *end = NULL;
    size_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 1 << 20, wrong = 0;
    if (argc > 2 || (end && *end) || n < 1 || n > 1 << 30) {
        fprintf(stderr, "usage: %s [elements, 1 to 2^30]\n", argv[0]);
        return 2;
    }
    float *x = (float *)malloc(n * sizeof(float)), *d_x;
    if (x == NULL) {
        fprintf(stderr, "no room for %zu floats\n", n);
        return 1;
    }

    CUDA_CHECK(cudaMalloc((void **)&d_x, n * sizeof(float)));
    fill<<<(unsigned)((n + 255) / 256), 256>>>(d_x, 2, n);
    CUDA_CHECK(cudaGetLastError());      // a launch returns nothing: was it accepted?
    CUDA_CHECK(cudaDeviceSynchronize()); // did the kernel end without an error?
    CUDA_CHECK(cudaMemcpy(x, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_x));

    for (size_t i = 0; i < n; i++)
        wrong += x[i] != 2;
    free(x);
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
