// Overlaps copies with kernels: pinned memory, the data in parts, each part's work in a stream.
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

enum { STREAMS = 3, PARTS = 12 }; // one part comes in, one is computed, one goes out

__global__ void twice(float *x, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = first; i < n; i += stride)
        x[i] = 2 * x[i];
}

int main(int argc, char **argv) {
    char *end = NULL;
    size_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 1 << 24, wrong = 0;
    if (argc > 2 || (end && *end) || n < 1 || n > 1 << 30) {
        fprintf(stderr, "usage: %s [elements, 1 to 2^30]\n", argv[0]);
        return 2;
    }
    size_t part = (n + PARTS - 1) / PARTS;
    float *x, *d_x;
    cudaStream_t stream[STREAMS];
    // From pageable memory, copies would wait for each other.
    CUDA_CHECK(cudaMallocHost((void **)&x, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&d_x, n * sizeof(float)));
    for (int s = 0; s < STREAMS; s++)
        CUDA_CHECK(cudaStreamCreate(&stream[s]));
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 1000);
    for (size_t first = 0; first < n; first += part) {
        cudaStream_t s = stream[first / part % STREAMS];
        size_t count = n - first < part ? n - first : part, bytes = count * sizeof(float);
        CUDA_CHECK(cudaMemcpyAsync(d_x + first, x + first, bytes, cudaMemcpyHostToDevice, s));
        twice<<<256, 256, 0, s>>>(d_x + first, count);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpyAsync(x + first, d_x + first, bytes, cudaMemcpyDeviceToHost, s));
    }
    CUDA_CHECK(cudaDeviceSynchronize()); // before the host reads x
    for (size_t i = 0; i < n; i++)
        wrong += x[i] != 2 * (float)(i % 1000);
    for (int s = 0; s < STREAMS; s++)
        CUDA_CHECK(cudaStreamDestroy(stream[s]));
    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFreeHost(x));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
