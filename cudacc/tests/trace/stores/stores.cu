// SPDX-License-Identifier: MIT
// Kernels whose loads and stores the tracer sees, and some that hide theirs; what
// cpu_device/stores.h says of each. cudacc/tests/trace/stores.t has what is expected.
#include <cpu_device/stores.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HIDDEN __attribute__((noinline, no_sanitize("thread"))) __device__ static
HIDDEN float load(const float *p) { return *p; }
HIDDEN void store(float *p, float x) { *p = x; }

struct pair {
    float sum, twice;
    char tag;
};
__device__ __noinline__ static pair pair_of(float x) { return pair{x + 1, 2 * x, 't'}; }
__device__ static float of_device[1000];

enum { N = 1000 };
#define I (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void twice(float *out, const float *in) {
    if (I < N)
        out[I] = 2 * in[I];
}
__global__ void all_kinds(float *out, const float *in, pair *pairs) {
    __shared__ float tile[256];
    if (I < N) {
        tile[threadIdx.x] = in[I];
        pairs[I] = pair_of(tile[threadIdx.x]);
        memcpy(&of_device[I], &pairs[I].twice, sizeof(float));
        float whole;
        out[I] = of_device[I] + modff(in[I], &whole);
        atomicAdd(&out[I], whole);
        ((volatile float *)out)[I] = out[I] - in[I];
    }
}
__global__ void sum_of(float *out, const float *in) {
    if (I < N)
        atomicAdd(out, in[I]);
}
__global__ void hidden_loads(float *out, const float *in) {
    if (I < N)
        out[I] = 2 * load(&in[I]);
}
__global__ void hidden_stores(float *out, const float *in) {
    if (I < N)
        store(&out[I], 2 * in[I]);
}

static float *in, *out, *other, *pinned, h_in[N], h_out[N];

static void show(const char *what) {
    double sum = 0;
    cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(h_out, out, sizeof h_out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        sum += h_out[i];
    printf("%s: %s, sum %g, stored %zu, unseen %s\n", what, sum == 15950 ? "right" : "wrong",
           sum == 15950 ? sum : 0, cpu_device_stored(out, sizeof h_out),
           cpu_device_unseen() ? "some" : "none");
    if (error != cudaSuccess)
        printf("%s\n", cudaGetErrorString(error));
}

int main() {
    pair *pairs;
    cudaMalloc(&in, sizeof h_in);
    cudaMalloc(&out, sizeof h_in);
    cudaMalloc(&other, sizeof h_in);
    cudaMalloc(&pairs, N * sizeof *pairs);
    cudaMallocHost(&pinned, sizeof h_in);
    for (int i = 0; i < N; i++)
        h_in[i] = (float)(i % 17);
    h_in[0] -= 4;
    cudaMemcpy(in, h_in, sizeof h_in, cudaMemcpyHostToDevice);

    twice<<<4, 256>>>(out, in);
    show("a kernel");
    cudaMemcpy(other, out, sizeof h_in, cudaMemcpyDeviceToDevice);
    cudaMemcpy(pinned, other, sizeof h_in, cudaMemcpyDeviceToHost);
    printf("copied: %zu, %zu\n", cpu_device_stored(other, sizeof h_in),
           cpu_device_stored(pinned, sizeof h_in));
    pinned[7] = -1;
    pinned[8] += 0;
    printf("the host has changed one: %zu\n", cpu_device_stored(pinned, sizeof h_in));
    cudaMemcpy(out, h_out, sizeof h_in, cudaMemcpyHostToDevice);
    show("from the host");
    cudaMemset(out, 0, sizeof h_in);
    all_kinds<<<4, 256>>>(out, in, pairs);
    show("all kinds");
    cudaMemset(out, 0, sizeof h_in);
    sum_of<<<4, 256>>>(out, in);
    cudaMemcpy(h_out, out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("atomics: sum %g, stored %zu\n", h_out[0], cpu_device_stored(out, sizeof h_in));
    hidden_loads<<<4, 256>>>(out, in);
    show("hidden loads");
    cudaMemset(out, 0, sizeof h_in);
    hidden_stores<<<4, 256>>>(out, in);
    show("hidden stores");
    for (void *p : {(void *)in, (void *)out, (void *)other, (void *)pairs})
        cudaFree(p);
    cudaFreeHost(pinned);
    return 0;
}
