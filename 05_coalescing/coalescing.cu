// A warp's 32 loads are served together, in sectors of 32 bytes. Shifted by one float they touch 5
// sectors instead of 4, at little cost; with a stride of 8 they touch 32, and most bytes are waste.
// The article's fp64 and dev=N are options of experiments/2_offset.cu and experiments/4_stride.cu.
//
//     nvcc -O3 -arch=native coalescing.cu -o coalescing && ./coalescing
//     ../cudacc/cudacc -O2 coalescing.cu -o coalescing && ./coalescing   (no GPU)
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

static const struct {
    int is_stride;
    size_t s;
} rows[] = {{0, 0}, {0, 1}, {0, 8}, {1, 1}, {1, 2}, {1, 4}, {1, 8}, {1, 16}, {1, 32}};
enum { ROWS = sizeof rows / sizeof rows[0], LAUNCHES = 20 }; // launches are timed together

// The sectors of 8 floats that 32 floats touch, `step` elements apart from element `first` on.
static int sectors(size_t first, size_t step) {
    int count = 1;
    for (size_t lane = 1; lane < 32; lane++)
        if ((first + lane * step) / 8 != (first + (lane - 1) * step) / 8)
            count++;
    return count;
}

static void launch(int row, float *d_a, size_t n) {
    const size_t s = rows[row].s;
    if (rows[row].is_stride) {
        dim3 grid(blocks((n + s - 1) / s, 256), (unsigned)s);
        stride<<<grid, 256>>>(d_a, s, n);
    } else {
        offset<<<blocks(n, 256), 256>>>(d_a, s, n);
    }
    CUDA_CHECK(cudaGetLastError());
}

// Each launch adds 1 to each element; an offset leaves out the first s.
static size_t count_wrong(const float *h_a, size_t n) {
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        int adds = 0;
        for (int row = 0; row < ROWS; row++)
            if (rows[row].is_stride || i >= rows[row].s)
                adds += LAUNCHES + 1;
        wrong += h_a[i] != (float)adds;
    }
    return wrong;
}

int main(int argc, char **argv) {
    const size_t n = elements(argc, argv, 1 << 26);
    struct cudaDeviceProp device;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    float *h_a = host_floats(n);
    float *d_a;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaMalloc(&d_a, n * sizeof(float)));
    CUDA_CHECK(cudaMemset(d_a, 0, n * sizeof(float)));
    printf("%s, a[i] = a[i] + 1 on %zu floats\n", device.name, n);
    printf("           sectors, arithmetic   useful GB/s\n");
    for (int row = 0; row < ROWS; row++) {
        launch(row, d_a, n); // the warm-up
        CUDA_CHECK(cudaEventRecord(start, 0));
        for (int i = 0; i < LAUNCHES; i++)
            launch(row, d_a, n);
        CUDA_CHECK(cudaEventRecord(stop, 0));
        double ms = elapsed_ms(start, stop) / LAUNCHES;
        size_t s = rows[row].s;
        int count = rows[row].is_stride ? sectors(0, s) : sectors(s, 1);
        double gb_per_s = 2.0 * (double)(n * sizeof(float)) / ms * 1e-6;
        printf("%s %2zu  %19d  %12s\n", rows[row].is_stride ? "stride" : "offset", s, count,
               measured(gb_per_s, 1));
    }
    CUDA_CHECK(cudaMemcpy(h_a, d_a, n * sizeof(float), cudaMemcpyDeviceToHost));
    size_t wrong = count_wrong(h_a, n);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(d_a));
    free(h_a);
    return pass_or_fail(wrong);
}
