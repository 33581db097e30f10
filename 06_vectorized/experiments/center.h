// SPDX-License-Identifier: MIT
// The kernels of 11_worked_example.cu: subtract from each row of a matrix its mean, and hand the
// matrix on transposed. First as somebody new to GPUs writes them, then as chapters 05 and 06 do.
#ifndef CENTER_H
#define CENTER_H

#include "../../04_unified_memory/experiments/managed.h"
#include "../../common/experiment/measure.h"

enum { TILE = 32, WARP = 32, BLOCK = 256 };

// x and out on one side: host, device, or both. out has a row per column of x, `pitch` floats
// apart.
struct matrix {
    float *x, *mean, *out;
    size_t rows, cols, pitch;
};

// ---- As written --------------------------------------------------------------------------------
// A thread walks along its row. Neighboring lanes are a row apart: expect 32 sectors for each load.
__global__ void means_by_thread(struct matrix m) {
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (row >= m.rows)
        return;
    for (size_t col = 0; col < m.cols; col++)
        sum += m.x[row * m.cols + col];
    m.mean[row] = sum / (float)m.cols;
}

// Neighboring lanes load neighbors, and store a row of `out` apart: expect 32 sectors per store.
__global__ void center_plain(struct matrix m) {
    size_t col = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t row = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m.rows && col < m.cols)
        m.out[col * m.pitch + row] = m.x[row * m.cols + col] - m.mean[row];
}

// ---- Mended ------------------------------------------------------------------------------------
static __device__ float sum_of(float v) { return v; }

static __device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

// A warp walks along its row, lanes side by side, each with a float (chapter 05) or a float4 (06;
// a row is a multiple of 4 floats) at a time. Then the lanes add up what they have.
template <typename VECTOR> __global__ void means_by_warp(struct matrix m) {
    size_t row = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    const size_t vectors = m.cols * sizeof(float) / sizeof(VECTOR);
    const VECTOR *x = (const VECTOR *)m.x + row * vectors;
    float sum = 0;
    if (row >= m.rows)
        return;
    for (size_t i = threadIdx.x % WARP; i < vectors; i += WARP)
        sum += sum_of(x[i]);
    for (int step = WARP / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFFu, sum, step);
    if (threadIdx.x % WARP == 0)
        m.mean[row] = sum / (float)m.cols;
}

// A tile of 32 x 32 goes through shared memory: rows are loaded, columns are stored, as rows. A
// block of 32 x HEIGHT threads takes it: with a height of 8 each thread has four loads in flight.
template <int HEIGHT> __global__ void center_tiled(struct matrix m) {
    __shared__ float tile[TILE][TILE + 1];
    size_t left = (size_t)blockIdx.x * TILE, top = (size_t)blockIdx.y * TILE;
    size_t col = left + threadIdx.x, row = top + threadIdx.y;
    for (int k = 0; k < TILE; k += HEIGHT)
        if (row + k < m.rows && col < m.cols)
            tile[threadIdx.y + k][threadIdx.x] = m.x[(row + k) * m.cols + col] - m.mean[row + k];
    __syncthreads();
    row = top + threadIdx.x, col = left + threadIdx.y;
    for (int k = 0; k < TILE; k += HEIGHT)
        if (row < m.rows && col + k < m.cols)
            m.out[(col + k) * m.pitch + row] = tile[threadIdx.x][threadIdx.y + k];
}

// ---- Launches ----------------------------------------------------------------------------------
enum kernels { AS_WRITTEN, COALESCED, VECTORIZED };

static inline void launch_means(enum kernels which, struct matrix m, cudaStream_t stream) {
    void (*kernel)(struct matrix) = which == AS_WRITTEN  ? means_by_thread
                                    : which == COALESCED ? means_by_warp<float>
                                                         : means_by_warp<float4>;
    kernel<<<blocks(m.rows * (which == AS_WRITTEN ? 1 : WARP), BLOCK), BLOCK, 0, stream>>>(m);
    CUDA_CHECK(cudaGetLastError());
}

static inline void launch_center(enum kernels which, struct matrix m, cudaStream_t stream) {
    const unsigned height = which == VECTORIZED ? 8 : 32;
    dim3 grid(blocks(m.cols, TILE), blocks(m.rows, TILE)), block(TILE, height);
    void (*kernel)(struct matrix) = which == AS_WRITTEN  ? center_plain
                                    : which == COALESCED ? center_tiled<32>
                                                         : center_tiled<8>;
    kernel<<<grid, block, 0, stream>>>(m);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Memory ------------------------------------------------------------------------------------
enum memory { PAGEABLE, PINNED, MANAGED, PREFETCHED };
enum { STREAMS = 4, EVENTS = 5 };

static struct matrix sides[3]; // host memory: pageable and pinned; managed memory
static struct matrix device;
static cudaEvent_t events[EVENTS];
static cudaStream_t streams[STREAMS];

// A small whole number: the sum of a row is exact in any order.
static inline float input(size_t i) { return (float)((int)fill_value(i, 1) % 16); }

// About 64 times as many rows as columns, and a power of 2 of these.
static inline void matrices_create(size_t n) {
    size_t cols = 4;
    while (256 * cols * cols <= n)
        cols *= 2;
    struct matrix m = {NULL, NULL, NULL, n / cols, cols, n / cols};
    size_t bytes = m.rows * cols * sizeof(float), mean_bytes = (m.rows + 1) * sizeof(float);
    device = sides[PAGEABLE] = sides[PINNED] = sides[MANAGED] = m;
    device.x = (float *)guarded_malloc(bytes);
    device.mean = (float *)guarded_malloc(mean_bytes);
    device.out = (float *)guarded_malloc(bytes);
    sides[PAGEABLE].x = (float *)host_malloc(bytes);
    sides[PAGEABLE].mean = (float *)host_malloc(mean_bytes);
    sides[PAGEABLE].out = (float *)host_malloc(bytes);
    CUDA_CHECK(cudaMallocHost((void **)&sides[PINNED].x, bytes + 1));
    CUDA_CHECK(cudaMallocHost((void **)&sides[PINNED].out, bytes + 1));
    sides[MANAGED].x = managed_malloc(m.rows * cols);
    sides[MANAGED].mean = managed_malloc(m.rows);
    sides[MANAGED].out = managed_malloc(m.rows * cols);
    for (size_t row = 0; row < m.rows; row++) {
        float sum = 0;
        for (size_t i = row * cols; i < (row + 1) * cols; i++)
            sum += sides[0].x[i] = sides[1].x[i] = sides[2].x[i] = input(i);
        sides[0].mean[row] = sum / (float)cols;
    }
    for (int i = 0; i < EVENTS; i++)
        CUDA_CHECK(cudaEventCreate(&events[i]));
    for (int i = 0; i < STREAMS; i++)
        CUDA_CHECK(cudaStreamCreate(&streams[i]));
}

static inline void matrices_free(void) {
    guarded_free(device.x);
    guarded_free(device.mean);
    guarded_free(device.out);
    free(sides[PAGEABLE].x);
    free(sides[PAGEABLE].mean);
    free(sides[PAGEABLE].out);
    CUDA_CHECK(cudaFreeHost(sides[PINNED].x));
    CUDA_CHECK(cudaFreeHost(sides[PINNED].out));
    CUDA_CHECK(cudaFree(sides[MANAGED].x));
    CUDA_CHECK(cudaFree(sides[MANAGED].mean));
    CUDA_CHECK(cudaFree(sides[MANAGED].out));
    for (int i = 0; i < EVENTS; i++)
        CUDA_CHECK(cudaEventDestroy(events[i]));
    for (int i = 0; i < STREAMS; i++)
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
}

#endif
