// Small algorithms as programs have them: matrices, stencils, sparse rows, filters, searches,
// arrays of structs and structs of arrays, halves and bytes.
//
//     nvcc -O3 -lineinfo patterns.cu -o patterns && ./patterns
//
// 2 blocks of 64 threads, 4 warps.
// EXPECT reversed: 4 16 4 16
// SPDX-License-Identifier: MIT
#include <cuda_fp16.h>
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64, SIDE = 16 };

__device__ static inline unsigned index_of_thread(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void reversed(float *out, const float *in, int n) {
    unsigned i = index_of_thread();
    out[n - 1 - i] = in[i];
}

__global__ void misaligned(float *out, const float *in) {
    unsigned i = index_of_thread();
    out[i + 3] = in[i + 1];
}

__global__ void multiply(float *c, const float *a, const float *b, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

__global__ void multiply_tiles(float *c, const float *a, const float *b, int n) {
    __shared__ float as[8][8], bs[8][8];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
    float sum = 0;
    for (int t = 0; t < n; t += 8) {
        as[y][x] = a[row * n + t + x];
        bs[y][x] = b[(t + y) * n + col];
        __syncthreads();
        for (int k = 0; k < 8; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void stencil_2d(float *out, const float *in, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] +
                                  in[(y + 1) * n + x]);
}

__global__ void clamped_blur(float *out, const float *in, int n) {
    int i = index_of_thread();
    float sum = 0;
    for (int k = -2; k <= 2; k++) {
        int at = min(max(i + k, 0), n - 1);
        sum += in[at];
    }
    out[i] = sum / 5;
}

__global__ void convolve_bounded(float *out, const float *in, int n, int radius) {
    int i = index_of_thread();
    float sum = 0;
    for (int k = -radius; k <= radius; k++)
        if (i + k >= 0 && i + k < n)
            sum += in[i + k];
    out[i] = sum;
}

__global__ void rows_of_matrix(float *out, const float (*in)[SIDE]) {
    unsigned i = index_of_thread();
    float sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += in[i][k];
    out[i] = sum;
}

__global__ void csr_rows(float *out, const int *start, const int *column, const float *value,
                         const float *x, int n) {
    int row = (int)index_of_thread();
    if (row < n) {
        float sum = 0;
        for (int k = start[row]; k < start[row + 1]; k++)
            sum += value[k] * x[column[k]];
        out[row] = sum;
    }
}

__global__ void binary_search(int *out, const int *sorted, int n) {
    unsigned i = index_of_thread();
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < (int)i * 2)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

__global__ void neighbor_bytes(unsigned char *out, const unsigned char *in) {
    unsigned i = index_of_thread();
    out[i] = (unsigned char)((in[i] + in[i + 1] + in[i + 2]) / 3);
}

__global__ void gather_scatter(int *out, const int *in, const int *index) {
    unsigned i = index_of_thread();
    out[i * 37 % N + index[i / 4] / 61 * N] = in[index[i]];
}

struct arrays {
    float *x, *y;
};
struct item {
    float x, y;
};

__global__ void struct_of_arrays(struct arrays a, float f) {
    unsigned i = index_of_thread();
    a.x[i] = a.x[i] * f + a.y[i];
}

__global__ void array_of_structs(struct item *a, float f) {
    unsigned i = index_of_thread();
    a[i].x = a[i].x * f + a[i].y;
}

__global__ void halves(__half *out, const __half *in) {
    unsigned i = index_of_thread();
    out[i] = __float2half(__half2float(in[i]) * 2);
}

__global__ void half_pairs(__half2 *out, const __half2 *a, const __half2 *b) {
    unsigned i = index_of_thread();
    out[i] = __hadd2(a[i], b[i]);
}

__global__ void grid_stride(float *out, const float *in, int n) {
    for (int i = index_of_thread(); i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + 1;
}

__global__ void four_each(float *out, const float *in, int n) {
    int first = index_of_thread() * 4;
    for (int k = 0; k < 4; k++)
        if (first + k < n)
            out[first + k] = in[first + k] * 2;
}

__global__ void four_each_unchecked(float *out, const float *in) {
    int first = index_of_thread() * 4;
    for (int k = 0; k < 4; k++)
        out[first + k] = in[first + k] * 2;
}

__global__ void grey_image(unsigned char *out, const uchar3 *in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    uchar3 c = in[y * width + x];
    out[y * width + x] = (unsigned char)((3 * c.x + 6 * c.y + c.z) / 10);
}

__global__ void bodies(float *out, const float4 *body, int n) {
    unsigned i = index_of_thread();
    float4 me = body[i];
    float sum = 0;
    for (int k = 0; k < n; k++) {
        float4 o = body[k];
        float dx = o.x - me.x, dy = o.y - me.y;
        sum += dx * dx + dy * dy + o.w;
    }
    out[i] = sum;
}

__global__ void transpose_naive(float *out, const float *in, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

__global__ void warp_rows(float *out, const float *in, int columns) {
    unsigned warp = index_of_thread() / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum += in[warp * columns + c];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0)
        out[warp] = sum;
}

__global__ void collatz(int *out, const int *in) {
    unsigned i = index_of_thread();
    int v = in[i], steps = 0;
    while (v != 1) {
        v = v % 2 ? 3 * v + 1 : v / 2;
        steps++;
    }
    out[i] = steps;
}

#define RUN_DIM(kernel, grid, block, out, ...)                                                     \
    do {                                                                                           \
        kernel<<<grid, block>>>(__VA_ARGS__);                                                      \
        digest(out, 4 * 8 * N);                                                                    \
    } while (0)
#define RUN(kernel, out, ...) RUN_DIM(kernel, BLOCKS, THREADS, out, __VA_ARGS__)

int main() {
    begin();
    dim3 grid(2, 2), block(8, 8);
    int *in = input<int>(16 * N), *out = output<int>(8 * N);
    float *f = input<float>(16 * N), *f_out = output<float>(8 * N);
    int start[N + 1], column[4 * N], *d_start, *d_column;
    for (int i = 0, k = 0; i <= N; i++) {
        start[i] = k;
        for (int j = 0; j < i % 4 && i < N; j++, k++)
            column[k] = (i * 5 + j * 11) % N;
    }
    CUDA_CHECK(cudaMalloc((void **)&d_start, sizeof start));
    CUDA_CHECK(cudaMalloc((void **)&d_column, sizeof column));
    CUDA_CHECK(cudaMemcpy(d_start, start, sizeof start, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_column, column, start[N] * sizeof(int), cudaMemcpyHostToDevice));

    RUN(reversed, f_out, f_out, f, N);
    RUN(misaligned, f_out, f_out, f);
    RUN_DIM(multiply, grid, block, f_out, f_out, f, f, SIDE);
    RUN_DIM(multiply_tiles, grid, block, f_out, f_out, f, f, SIDE);
    RUN_DIM(stencil_2d, grid, block, f_out, f_out, f, SIDE);
    RUN_DIM(transpose_naive, grid, block, f_out, f_out, f, SIDE);
    RUN(clamped_blur, f_out, f_out, f, N);
    RUN(convolve_bounded, f_out, f_out, f, N, 3);
    RUN(rows_of_matrix, f_out, f_out, (const float(*)[SIDE])f);
    RUN(csr_rows, f_out, f_out, d_start, d_column, f, f, N);
    RUN(binary_search, out, out, d_start, N);
    RUN(neighbor_bytes, out, (unsigned char *)out, (unsigned char *)in);
    RUN(gather_scatter, out, out, in, in);
    struct arrays arrays = {f, f + N};
    RUN(halves, out, (__half *)out, (__half *)in);
    RUN(half_pairs, out, (__half2 *)out, (__half2 *)in, (__half2 *)in + N);
    RUN(grid_stride, f_out, f_out, f, 3 * N + 7);
    RUN(four_each, f_out, f_out, f, 4 * N - 2);
    RUN(four_each_unchecked, f_out, f_out, f);
    RUN_DIM(grey_image, dim3(1, 2), dim3(32, 4), out, (unsigned char *)out, (uchar3 *)in, 27, 7);
    RUN(bodies, f_out, f_out, (float4 *)f, 10);
    RUN(warp_rows, f_out, f_out, f, 70);
    RUN(collatz, out, out, in);
    RUN(array_of_structs, f, (struct item *)f, 3);
    f = input<float>(16 * N);
    arrays.x = f, arrays.y = f + N;
    RUN(struct_of_arrays, f, arrays, 3);
    check_digest(0xf0cee280u);
    return end();
}
