// Moves managed memory before it is needed, to the device and back to the host. CUDA 11, 12, 13.
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

static cudaError_t prefetch(const void *p, size_t bytes, int place, cudaStream_t stream) {
#if CUDART_VERSION >= 13000 // since then a place is a struct
    int to_host = place == cudaCpuDeviceId;
    struct cudaMemLocation to = {to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                                 to_host ? 0 : place};
    return cudaMemPrefetchAsync(p, bytes, to, 0, stream);
#else
    return cudaMemPrefetchAsync(p, bytes, place, stream);
#endif
}

__global__ void add_one(float *x, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = first; i < n; i += stride)
        x[i] = x[i] + 1;
}

int main(int argc, char **argv) {
    char *end = NULL;
    size_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 1 << 22, wrong = 0;
    if (argc > 2 || (end && *end) || n < 1 || n > 1 << 30) {
        fprintf(stderr, "usage: %s [elements, 1 to 2^30]\n", argv[0]);
        return 2;
    }
    size_t bytes = n * sizeof(float);
    float *x;
    int can_move; // else prefetching is an error: on Windows, and on GPUs before Pascal
    CUDA_CHECK(cudaDeviceGetAttribute(&can_move, cudaDevAttrConcurrentManagedAccess, 0));
    CUDA_CHECK(cudaMallocManaged((void **)&x, bytes));
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 1000);
    if (can_move)
        CUDA_CHECK(prefetch(x, bytes, 0, 0));
    add_one<<<256, 256>>>(x, n);
    CUDA_CHECK(cudaGetLastError());
    if (can_move)
        CUDA_CHECK(prefetch(x, bytes, cudaCpuDeviceId, 0));
    CUDA_CHECK(cudaDeviceSynchronize()); // before the host reads x
    for (size_t i = 0; i < n; i++)
        wrong += x[i] != (float)(i % 1000) + 1;
    CUDA_CHECK(cudaFree(x));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
