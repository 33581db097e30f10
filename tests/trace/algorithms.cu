// Small whole algorithms, as they are written every day.
//
//     nvcc -O3 -lineinfo algorithms.cu -o algorithms && ./algorithms
//
// EXPECT block_sum: 16 64 2 2
// EXPECT shuffle_sum: 16 64 2 2
// EXPECT scan: 16 64 16 64
// A tile of 256 with 3 more on either side: the first and the last warp of a block read those.
// EXPECT stencil1: 16+4 64+4 16 64
// EXPECT triad: 24 96 8 32
// EXPECT transpose_naive: 128 512 128 128*32
// 32 x 32 elements, each a row times a column; a block of 16 x 16 has two rows in a warp.
// EXPECT matmul: 32*32*2 32*32*(2+2) 32 128
// By tiles of 16 x 16: each block reads 2 of both matrices.
// EXPECT matmul_tiled: 4*2*2*8 4*2*2*8*4 32 128
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 512, THREADS = 256, BLOCKS = N / THREADS, RADIUS = 3, SIDE = 32, TILE = 16, ROWS = 100 };

// ---- Sums --------------------------------------------------------------------------------------
__global__ void block_sum(unsigned *out, const unsigned *in) {
    __shared__ unsigned words[THREADS];
    unsigned t = threadIdx.x;
    words[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            words[t] += words[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = words[0];
}

__global__ void shuffle_sum(unsigned *out, const unsigned *in) {
    __shared__ unsigned words[THREADS / 32];
    unsigned t = threadIdx.x, x = in[blockIdx.x * THREADS + t];
    for (unsigned step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(0xFFFFFFFFu, x, step);
    if (t % 32 == 0)
        words[t / 32] = x;
    __syncthreads();
    if (t < 32) {
        x = t < THREADS / 32 ? words[t] : 0;
        for (unsigned step = THREADS / 64; step > 0; step /= 2)
            x += __shfl_down_sync(0xFFFFFFFFu, x, step);
        if (t == 0)
            out[blockIdx.x] = x;
    }
}

// All sums up to each element of a block (Hillis and Steele).
__global__ void scan(unsigned *out, const unsigned *in) {
    __shared__ unsigned words[2][THREADS];
    unsigned t = threadIdx.x, from = 0, i = blockIdx.x * THREADS + t;
    words[0][t] = in[i];
    __syncthreads();
    for (unsigned step = 1; step < THREADS; step *= 2, from ^= 1) {
        words[from ^ 1][t] = words[from][t] + (t >= step ? words[from][t - step] : 0);
        __syncthreads();
    }
    out[i] = words[from][t];
}

// ---- Neighbours --------------------------------------------------------------------------------
__global__ void stencil1(unsigned *out, const unsigned *in) {
    __shared__ unsigned words[THREADS + 2 * RADIUS];
    unsigned t = threadIdx.x, i = blockIdx.x * THREADS + t + RADIUS;
    words[t + RADIUS] = in[i];
    if (t < RADIUS)
        words[t] = in[i - RADIUS];
    if (t >= THREADS - RADIUS)
        words[t + 2 * RADIUS] = in[i + RADIUS];
    __syncthreads();
    unsigned sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += words[(int)t + RADIUS + k];
    out[blockIdx.x * THREADS + t] = sum;
}

__global__ void stencil2(float *out, const float *in, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        unsigned i = y * width + x;
        out[i] = in[i - width] + in[i - 1] + in[i] + in[i + 1] + in[i + width];
    }
}

__global__ void triad(float *out, const float *a, const float *b, const float *c) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[i] * c[i];
}

// ---- Matrices ----------------------------------------------------------------------------------
__global__ void transpose_naive(float *out, const float *in, unsigned side) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * side + y] = in[y * side + x];
}

__global__ void matmul(float *c, const float *a, const float *b, unsigned side) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (unsigned k = 0; k < side; k++)
        sum += a[y * side + k] * b[k * side + x];
    c[y * side + x] = sum;
}

__global__ void matmul_tiled(float *c, const float *a, const float *b, unsigned side) {
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx;
    unsigned y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (unsigned k = 0; k < side; k += TILE) {
        a_tile[ty][tx] = a[y * side + k + tx];
        b_tile[ty][tx] = b[(k + ty) * side + x];
        __syncthreads();
        for (unsigned j = 0; j < TILE; j++)
            sum += a_tile[ty][j] * b_tile[j][tx];
        __syncthreads();
    }
    c[y * side + x] = sum;
}

// A sparse matrix (CSR): a thread for each row, then a warp for each row.
__global__ void rows_by_thread(float *y, const float *x, const float *values,
                               const unsigned *columns, const unsigned *starts, unsigned rows) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
#pragma unroll 1
        for (unsigned k = starts[row]; k < starts[row + 1]; k++)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

// The first of the two as most would write it: nvcc unrolls it by four.
__global__ void rows_unrolled(float *y, const float *x, const float *values,
                              const unsigned *columns, const unsigned *starts, unsigned rows) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (unsigned k = starts[row]; k < starts[row + 1]; k++)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

__global__ void rows_by_warp(float *y, const float *x, const float *values, const unsigned *columns,
                             const unsigned *starts, unsigned rows) {
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row < rows) {
        float sum = 0;
#pragma unroll 1
        for (unsigned k = starts[row] + lane; k < starts[row + 1]; k += 32)
            sum += values[k] * x[columns[k]];
        for (unsigned step = 16; step > 0; step /= 2)
            sum += __shfl_down_sync(0xFFFFFFFFu, sum, step);
        if (lane == 0)
            y[row] = sum;
    }
}

// ---- Order -------------------------------------------------------------------------------------
// One step of a bitonic sort in global memory.
__global__ void bitonic_step(unsigned *a, unsigned distance, unsigned run) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    if (other > i) {
        unsigned x = a[i], y = a[other];
        if ((x > y) == ((i & run) == 0)) {
            a[i] = y;
            a[other] = x;
        }
    }
}

// Which elements are above a limit, in order: marks, then places. Then a binary search.
__global__ void find_each(unsigned *out, const unsigned *sorted, const unsigned *wanted,
                          unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = n, x = wanted[i];
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

// ---- References --------------------------------------------------------------------------------
static unsigned sum_to(size_t from, size_t to) {
    unsigned sum = 0;
    for (size_t i = from; i < to; i++)
        sum += (unsigned)element(i);
    return sum;
}

static float product(size_t y, size_t x) {
    float sum = 0;
    for (size_t k = 0; k < SIDE; k++)
        sum += (float)(element(y * SIDE + k) * element(k * SIDE + x));
    return sum;
}

static int inside(size_t i, size_t width, size_t height) {
    size_t x = i % width, y = i / width;
    return x > 0 && y > 0 && x < width - 1 && y < height - 1;
}

static int compare(const void *a, const void *b) {
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static unsigned place_of(const unsigned *sorted, unsigned x) {
    unsigned k = 0;
    while (k < N && sorted[k] < x)
        k++;
    return k;
}

// Row r has 5 r % 17 elements, and row 50 70.
static unsigned h_starts[ROWS + 1], h_columns[ROWS * 70];

static unsigned fill_matrix(void) {
    unsigned count = 0;
    for (unsigned r = 0; r < ROWS; r++) {
        h_starts[r] = count;
        for (unsigned k = 0; k < (r == 50 ? 70 : 5 * r % 17); k++, count++)
            h_columns[count] = (r + 11 * k) % N;
    }
    h_starts[ROWS] = count;
    return count;
}

static float row_times_x(size_t row) {
    float sum = 0;
    for (unsigned k = h_starts[row]; k < h_starts[row + 1]; k++)
        sum += (float)(element(k) * element(h_columns[k]));
    return sum;
}

int main(void) {
    begin();
    float *in = input<float>(64 * 64), *out = output<float>(64 * 64);
    unsigned *in_int = input<unsigned>(2 * N), *out_int = output<unsigned>(N);
    unsigned *columns, *starts, count = fill_matrix(), h_sorted[N];
    CUDA_CHECK(cudaMalloc((void **)&columns, sizeof h_columns));
    CUDA_CHECK(cudaMalloc((void **)&starts, sizeof h_starts));
    CUDA_CHECK(cudaMemcpy(columns, h_columns, count * sizeof *columns, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(starts, h_starts, sizeof h_starts, cudaMemcpyHostToDevice));

    block_sum<<<BLOCKS, THREADS>>>(out_int, in_int);
    CHECK("block_sum", out_int, N, i < 2 ? sum_to(256 * i, 256 * i + 256) : clear_[i]);
    shuffle_sum<<<BLOCKS, THREADS>>>(out_int, in_int);
    CHECK("shuffle_sum", out_int, N, i < 2 ? sum_to(256 * i, 256 * i + 256) : clear_[i]);
    scan<<<BLOCKS, THREADS>>>(out_int, in_int);
    CHECK("scan", out_int, N, sum_to(i / 256 * 256, i + 1));
    stencil1<<<BLOCKS, THREADS>>>(out_int, in_int + 8 - RADIUS); // in[RADIUS] begins a sector
    CHECK("stencil1", out_int, N, sum_to(i + 8 - RADIUS, i + 8 + RADIUS + 1));
    stencil2<<<dim3(2, 8), dim3(32, 8)>>>(out, in, 61, 59);
    CHECK("stencil2", out, 64 * 64,
          i < 61 * 59 && inside(i, 61, 59) ? (float)(element(i - 61) + element(i - 1) + element(i) +
                                                     element(i + 1) + element(i + 61))
                                           : clear_[i]);
    triad<<<1, THREADS>>>(out, in, in + N, in + 2 * N);
    CHECK("triad", out, THREADS, (float)(element(i) + element(i + N) * element(i + 2 * N)));
    transpose_naive<<<dim3(2, 8), dim3(32, 8)>>>(out, in, 64);
    CHECK("transpose_naive", out, 64 * 64, (float)element(i % 64 * 64 + i / 64));
    matmul<<<dim3(2, 2), dim3(TILE, TILE)>>>(out, in, in, SIDE);
    CHECK("matmul", out, SIDE * SIDE, product(i / SIDE, i % SIDE));
    matmul_tiled<<<dim3(2, 2), dim3(TILE, TILE)>>>(out, in, in, SIDE);
    CHECK("matmul_tiled", out, SIDE * SIDE, product(i / SIDE, i % SIDE));
    rows_by_thread<<<2, 64>>>(out, in, in, columns, starts, ROWS);
    CHECK("rows_by_thread", out, N, i < ROWS ? row_times_x(i) : clear_[i]);
    rows_unrolled<<<2, 64>>>(out, in, in, columns, starts, ROWS);
    CHECK("rows_unrolled", out, N, i < ROWS ? row_times_x(i) : clear_[i]);
    rows_by_warp<<<ROWS / 4, 128>>>(out, in, in, columns, starts, ROWS);
    CHECK("rows_by_warp", out, N, i < ROWS ? row_times_x(i) : clear_[i]);

    // The whole sort has 45 steps; the last run of them sorts what the host has half sorted.
    for (unsigned i = 0; i < N; i++)
        h_sorted[i] = (unsigned)element(i);
    qsort(h_sorted, N / 2, sizeof *h_sorted, compare);
    qsort(h_sorted + N / 2, N / 2, sizeof *h_sorted, compare);
    for (unsigned i = 0; i < N / 4; i++) { // the second half is to descend
        unsigned other = N - 1 - i, x = h_sorted[N / 2 + i];
        h_sorted[N / 2 + i] = h_sorted[other];
        h_sorted[other] = x;
    }
    CUDA_CHECK(cudaMemcpy(out_int, h_sorted, sizeof h_sorted, cudaMemcpyHostToDevice));
    for (unsigned distance = N / 2; distance > 0; distance /= 2)
        bitonic_step<<<BLOCKS, THREADS>>>(out_int, distance, N);
    qsort(h_sorted, N, sizeof *h_sorted, compare);
    CHECK("bitonic_step", out_int, N, h_sorted[i]);
    CUDA_CHECK(cudaMemcpy(columns, h_sorted, sizeof h_sorted, cudaMemcpyHostToDevice));
    find_each<<<BLOCKS, THREADS>>>(out_int, columns, in_int, N);
    CHECK("find_each", out_int, N, place_of(h_sorted, (unsigned)element(i)));

    void *all[] = {in, out, in_int, out_int, columns, starts};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        CUDA_CHECK(cudaFree(all[k]));
    return end();
}
