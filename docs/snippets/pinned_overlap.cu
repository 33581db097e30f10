// Overlaps copies with kernels: pinned memory, the data in parts, each part's work in a stream.
// SPDX-License-Identifier: MIT-0
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call)                                                                                \
    for (cudaError_t error_ = (call); error_ != cudaSuccess; exit(1))                              \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_))

enum { STREAMS = 3, PARTS = 12 }; // one part comes in, one is computed, one goes out

__global__ void twice(float *x, size_t n) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 2 * x[i];
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? atol(argv[1]) : 1 << 24, part = (n + PARTS - 1) / PARTS, wrong = 0;
    float *x, *d_x;
    cudaStream_t stream[STREAMS];
    CHECK(cudaMallocHost((void **)&x, n * sizeof(float))); // copies of pageable memory would wait
    CHECK(cudaMalloc((void **)&d_x, n * sizeof(float)));
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&stream[s]));
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 1000);
    for (size_t first = 0; first < n; first += part) {
        cudaStream_t s = stream[first / part % STREAMS];
        size_t count = n - first < part ? n - first : part, bytes = count * sizeof(float);
        CHECK(cudaMemcpyAsync(d_x + first, x + first, bytes, cudaMemcpyHostToDevice, s));
        twice<<<256, 256, 0, s>>>(d_x + first, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(x + first, d_x + first, bytes, cudaMemcpyDeviceToHost, s));
    }
    CHECK(cudaDeviceSynchronize()); // before the host reads x
    for (size_t i = 0; i < n; i++)
        wrong += x[i] != 2 * (float)(i % 1000);
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamDestroy(stream[s]));
    CHECK(cudaFree(d_x));
    CHECK(cudaFreeHost(x));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
