// Three launches of one addition: a float for each thread; a float4 for each thread, with a quarter
// of the grid; and with the whole grid, in blocks of a quarter of the size.
//
//     nvcc -O3 -arch=native vectorized.cu -o vectorized && ./vectorized
//     ../cudacc/cudacc -O2 vectorized.cu -o vectorized && ./vectorized   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"

// Four floats from `value` on as one float4, to write and to read. The address of `value` must be a
// multiple of 16 bytes: what cudaMalloc returns is, and every fourth float after it.
#define FLOAT4(value) (*(float4 *)&(value))
#define CONST_FLOAT4(value) (*(const float4 *)&(value))

__global__ void add_float(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void add_float4(float *out, const float *a, const float *b, size_t n) {
    size_t i = 4 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float4 p = CONST_FLOAT4(a[i]);
        float4 q = CONST_FLOAT4(b[i]);
        FLOAT4(out[i]) = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    } else {
#pragma unroll 1 // the tail has at most three elements, which the compiler does not know
        for (; i < n; i++)
            out[i] = a[i] + b[i];
    }
}

static const char *const names[] = {"float", "float4, 1/4 grid", "float4, 1/4 block"};
static const unsigned floats[] = {1, 4, 4};     // in each thread
static const unsigned block[] = {128, 128, 32}; // threads in each
enum { WAYS = 3, LAUNCHES = 20 };               // the launches of a way are timed together

static double time_way(int way, float *d_out, const float *d_a, const float *d_b, size_t n) {
    const unsigned grid = blocks(n, floats[way] * block[way]);
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int i = 0; i <= LAUNCHES; i++) {
        if (i == 1) // the first launch is not timed: it warms up
            CUDA_CHECK(cudaEventRecord(start, 0));
        if (floats[way] == 1)
            add_float<<<grid, block[way]>>>(d_out, d_a, d_b, n);
        else
            add_float4<<<grid, block[way]>>>(d_out, d_a, d_b, n);
    }
    CUDA_CHECK(cudaEventRecord(stop, 0));
    CUDA_CHECK(cudaGetLastError());
    double ms = elapsed_ms(start, stop) / LAUNCHES;
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return ms;
}

int main(int argc, char **argv) {
    const size_t n = elements(argc, argv, 32 << 20);
    const size_t bytes = n * sizeof(float);
    float *h_a = host_floats(n);
    float *h_b = host_floats(n);
    float *h_out = host_floats(n);
    float *d_a, *d_b, *d_out;
    struct cudaDeviceProp device;
    size_t wrong = 0;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    CUDA_CHECK(cudaMalloc(&d_a, bytes));
    CUDA_CHECK(cudaMalloc(&d_b, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    for (size_t i = 0; i < n; i++) { // the article's inputs: every sum is exact
        h_a[i] = (float)(i / 666);
        h_b[i] = (float)(i % 666);
    }
    CUDA_CHECK(cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_b, h_b, bytes, cudaMemcpyHostToDevice));
    printf("%s, out = a + b on %zu elements\n", device.name, n);
    for (int way = 0; way < WAYS; way++) {
        CUDA_CHECK(cudaMemset(d_out, 0xFF, bytes)); // NaN: an element that is left out shows
        double ms = time_way(way, d_out, d_a, d_b, n);
        CUDA_CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < n; i++)
            wrong += h_out[i] != h_a[i] + h_b[i];
        printf("%-17s  %7s ms  %7s GB/s\n", names[way], measured(ms, 4),
               measured(3e-6 * (double)bytes / ms, 1));
    }
    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_out));
    free(h_a);
    free(h_b);
    free(h_out);
    return pass_or_fail(wrong);
}
