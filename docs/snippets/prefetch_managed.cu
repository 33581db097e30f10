// Moves managed memory before it is needed, to the device and back to the host. CUDA 11, 12, 13.
// SPDX-License-Identifier: MIT-0
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call)                                                                                \
    for (cudaError_t error_ = (call); error_ != cudaSuccess; exit(1))                              \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_))

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
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = x[i] + 1;
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? atol(argv[1]) : 1 << 22, bytes = n * sizeof(float), wrong = 0;
    float *x;
    int can_move; // else prefetching is an error: on Windows, and on GPUs before Pascal
    CHECK(cudaDeviceGetAttribute(&can_move, cudaDevAttrConcurrentManagedAccess, 0));
    CHECK(cudaMallocManaged((void **)&x, bytes));
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 1000);
    if (can_move)
        CHECK(prefetch(x, bytes, 0, 0));
    add_one<<<256, 256>>>(x, n);
    CHECK(cudaGetLastError());
    if (can_move)
        CHECK(prefetch(x, bytes, cudaCpuDeviceId, 0));
    CHECK(cudaDeviceSynchronize()); // before the host reads x
    for (size_t i = 0; i < n; i++)
        wrong += x[i] != (float)(i % 1000) + 1;
    CHECK(cudaFree(x));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
