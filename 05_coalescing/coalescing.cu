// A warp's 32 loads are served together, in sectors of 32 bytes. Shifted by one float they touch 5
// sectors instead of 4, at little cost; with a stride of 8 they touch 32, and most bytes are waste.
//
//     nvcc -O3 -arch=native coalescing.cu -o coalescing && ./coalescing
//     ../common/cpu_device/cudacc -O2 coalescing.cu -o coalescing && ./coalescing   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../common/common.h"

__global__ void offset(float *a, size_t s, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x + s;
    if (i < n)
        a[i] = a[i] + 1;
}

// Row y of the grid starts at element y. With s rows, each element is touched once.
__global__ void stride(float *a, size_t s, size_t n) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * s + blockIdx.y;
    if (i < n)
        a[i] = a[i] + 1;
}

// The sectors that 32 floats touch, `step` elements apart, the first one at element `first`.
static int sectors(size_t first, size_t step) {
    int count = 1;
    for (size_t lane = 1; lane < 32; lane++)
        count += (first + lane * step) / 8 != (first + (lane - 1) * step) / 8;
    return count;
}

static const struct {
    int is_stride;
    size_t s;
} rows[] = {{0, 0}, {0, 1}, {0, 8}, {1, 1}, {1, 2}, {1, 4}, {1, 8}, {1, 16}, {1, 32}};
enum { ROWS = sizeof rows / sizeof rows[0], LAUNCHES = 20 }; // launches are timed together

int main(int argc, char **argv) {
    size_t n = elements(argc, argv, 1 << 26), wrong = 0;
    struct cudaDeviceProp device;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    if (argc == 1 && on_cpu_device(&device))
        n = 1 << 20; // no cache of the CPU device has to be exceeded
    const size_t bytes = n * sizeof(float);
    float *h_a = (float *)malloc(bytes), *d_a;
    if (!h_a)
        return fputs("out of host memory\n", stderr), 3;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaMalloc((void **)&d_a, bytes));
    CUDA_CHECK(cudaMemset(d_a, 0, bytes));
    printf("%s, a[i] = a[i] + 1 on %zu floats\n", device.name, n);
    printf("           sectors of a warp%s\n",
           on_cpu_device(&device) ? " (no times)" : "   useful GB/s");

    for (int row = 0; row < ROWS; row++) {
        size_t s = rows[row].s, touched = rows[row].is_stride ? n : n - (s < n ? s : n - 1);
        dim3 grid(blocks(rows[row].is_stride ? (n + s - 1) / s : touched, 256),
                  rows[row].is_stride ? (unsigned)s : 1);
        for (int i = -1; i < LAUNCHES; i++) { // one more than is timed: the warm-up
            if (i == 0)
                CUDA_CHECK(cudaEventRecord(start, 0));
            if (rows[row].is_stride)
                stride<<<grid, 256>>>(d_a, s, n);
            else
                offset<<<grid, 256>>>(d_a, s, n);
        }
        CUDA_CHECK(cudaEventRecord(stop, 0));
        CUDA_CHECK(cudaGetLastError());
        double ms = elapsed_ms(start, stop) / LAUNCHES;
        printf("%s %2zu  %17d", rows[row].is_stride ? "stride" : "offset", s,
               rows[row].is_stride ? sectors(0, s) : sectors(s, 1));
        printf(on_cpu_device(&device) ? "\n" : "  %12.1f\n",
               2.0 * touched * sizeof(float) / ms * 1e-6);
    }

    CUDA_CHECK(cudaMemcpy(h_a, d_a, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) { // an offset leaves out the first s elements
        int adds = 0;
        for (int row = 0; row < ROWS; row++)
            adds += (rows[row].is_stride || i >= rows[row].s) * (LAUNCHES + 1);
        wrong += (h_a[i] != (float)adds);
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(d_a));
    free(h_a);
    printf(wrong ? "FAIL: %zu wrong results\n" : "PASS\n", wrong);
    return wrong > 0;
}
