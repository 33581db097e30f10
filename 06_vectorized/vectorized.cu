// One float per thread leaves the memory waiting. A float4 loads 16 bytes at once, so more bytes
// are on their way at a time. A length that is no multiple of 4 needs a tail.
//
//     nvcc -O3 vectorized.cu -o vectorized && ./vectorized
//     ../common/cpu_device/cudacc -O2 vectorized.cu -o vectorized && ./vectorized   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"

__global__ void add_float(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

// A quarter of the threads. The pointers must be multiples of 16 bytes, as from cudaMalloc.
__global__ void add_float4(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = ((const float4 *)a)[i], q = ((const float4 *)b)[i];
        ((float4 *)out)[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    }
    if (i < n % 4) // the tail, at most three elements: one each for the first threads
        out[n - 1 - i] = a[n - 1 - i] + b[n - 1 - i];
}

int main(int argc, char **argv) {
    const int launches = 20; // timed together: then the events' own time does not count
    const size_t n = elements(argc, argv, 32 << 20), bytes = n * sizeof(float);
    float *h_a = (float *)malloc(bytes), *h_b = (float *)malloc(bytes), *d_a, *d_b, *d_out;
    double ms[2] = {0, 0};
    size_t wrong = 0;
    struct cudaDeviceProp device;
    cudaEvent_t start, stop;
    if (!h_a || !h_b)
        return fputs("out of host memory\n", stderr), 3;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaMalloc((void **)&d_a, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_b, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_out, bytes));
    for (size_t i = 0; i < n; i++) // the article's inputs: every sum is exact
        h_a[i] = (float)(i / 666), h_b[i] = (float)(i % 666);
    CUDA_CHECK(cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_b, h_b, bytes, cudaMemcpyHostToDevice));

    for (int vectorized = 0; vectorized <= 1; vectorized++) {
        CUDA_CHECK(cudaMemset(d_out, 0xFF, bytes)); // NaN: an element that is left out shows
        for (int i = -1; i < launches; i++) {       // one more than is timed: the warm-up
            if (i == 0)
                CUDA_CHECK(cudaEventRecord(start, 0));
            if (vectorized)
                add_float4<<<blocks((n + 3) / 4, 256), 256>>>(d_out, d_a, d_b, n);
            else
                add_float<<<blocks(n, 256), 256>>>(d_out, d_a, d_b, n);
        }
        CUDA_CHECK(cudaEventRecord(stop, 0));
        CUDA_CHECK(cudaGetLastError());
        ms[vectorized] = elapsed_ms(start, stop) / launches;
        CUDA_CHECK(cudaMemcpy(h_b, d_out, bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < n; i++)
            wrong += (h_b[i] != (float)(i / 666) + (float)(i % 666));
    }

    printf("%s, out = a + b on %zu elements\n", device.name, n);
    if (device.major > 0) { // the CPU device's times say nothing about a GPU
        for (int i = 0; i <= 1; i++)
            printf("%-7s %9.4f ms %8.1f GB/s\n", i ? "float4" : "float", ms[i],
                   3 * (double)bytes / ms[i] * 1e-6);
        printf("float4 is %.2f times as fast.\n", ms[0] / ms[1]);
    } else {
        puts("A warp asks for 128 bytes by one load of floats, for 512 by one load of float4.");
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_out));
    free(h_a), free(h_b);
    printf(wrong ? "FAIL: %zu wrong results\n" : "PASS\n", wrong);
    return wrong > 0;
}
