// Three launches of one addition: a float for each thread; a float4 for each thread, with a quarter
// of the grid; and with the whole grid, in blocks of a quarter of the size.
//
//     nvcc -O3 -arch=native vectorized.cu -o vectorized && ./vectorized
//     ../common/cpu_device/cudacc -O2 vectorized.cu -o vectorized && ./vectorized   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"

// Four floats from `value` on as one float4. Its address must be a multiple of 16 bytes.
#define FLOAT4(value) (*(float4 *)&(value))

__global__ void add_float(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void add_float4(float *out, const float *a, const float *b, size_t n) {
    size_t i = 4 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float4 p = FLOAT4(a[i]), q = FLOAT4(b[i]);
        FLOAT4(out[i]) = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    } else {
        for (; i < n; i++) // the tail, at most three elements
            out[i] = a[i] + b[i];
    }
}

int main(int argc, char **argv) {
    static const char *const names[] = {"float", "float4, 1/4 grid", "float4, 1/4 block"};
    const int launches = 20; // timed together: then the events' own time does not count
    const size_t n = elements(argc, argv, 32 << 20), bytes = n * sizeof(float);
    float *h_a = (float *)malloc(bytes), *h_b = (float *)malloc(bytes), *d_a, *d_b, *d_out;
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
    printf("%s, out = a + b on %zu elements\n", device.name, n);

    for (int way = 0; way < 3; way++) {
        CUDA_CHECK(cudaMemset(d_out, 0xFF, bytes)); // NaN: an element that is left out shows
        for (int i = -1; i < launches; i++) {       // one more than is timed: the warm-up
            if (i == 0)
                CUDA_CHECK(cudaEventRecord(start, 0));
            if (way == 0)
                add_float<<<blocks(n, 128), 128>>>(d_out, d_a, d_b, n);
            else if (way == 1)
                add_float4<<<blocks(n, 4 * 128), 128>>>(d_out, d_a, d_b, n);
            else
                add_float4<<<blocks(n, 4 * 32), 32>>>(d_out, d_a, d_b, n);
        }
        CUDA_CHECK(cudaEventRecord(stop, 0));
        CUDA_CHECK(cudaGetLastError());
        double ms = elapsed_ms(start, stop) / launches;
        CUDA_CHECK(cudaMemcpy(h_b, d_out, bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < n; i++)
            wrong += (h_b[i] != (float)(i / 666) + (float)(i % 666));
        if (!on_cpu_device(&device))
            printf("%-17s  %7.4f ms  %7.1f GB/s\n", names[way], ms, 3 * (double)bytes / ms * 1e-6);
    }
    if (on_cpu_device(&device))
        puts("(No times: those of the CPU device say nothing about a GPU.)");
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_out));
    free(h_a), free(h_b);
    printf(wrong ? "FAIL: %zu wrong results\n" : "PASS\n", wrong);
    return wrong > 0;
}
