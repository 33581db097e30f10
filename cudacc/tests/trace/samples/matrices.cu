// Matrices, full and sparse, and the layers of a neural network.
// 32 x 32 elements, each a row times a column; a block of 16 x 16 has two rows in a warp.
// EXPECT matmul: 32*32*2 32*32*(2+2) 32 128
// EXPECT embedding_lookup: 24*3 24*(1+20) 24*2 24*20
// SPDX-License-Identifier: MIT
#include "samples.h"

// ---- Products ----------------------------------------------------------------------------------
__global__ void matmul(float *c, const float *a, const float *b, unsigned side) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (unsigned k = 0; k < side; k++)
        sum += a[y * side + k] * b[k * side + x];
    c[y * side + x] = sum;
}

template <int TILE_WIDTH>
__global__ void matmul_padded(const float *A, const float *B, float *C, int numARows, int numACols,
                              int numBCols) {
    __shared__ float ds_A[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_B[TILE_WIDTH][TILE_WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = blockIdx.y * TILE_WIDTH + ty, Col = blockIdx.x * TILE_WIDTH + tx;
    float Pvalue = 0.0f;
    for (int m = 0; m < (numACols - 1) / TILE_WIDTH + 1; ++m) {
        if (Row < numARows && m * TILE_WIDTH + tx < numACols)
            ds_A[ty][tx] = A[Row * numACols + m * TILE_WIDTH + tx];
        else
            ds_A[ty][tx] = 0.0f;
        if (Col < numBCols && m * TILE_WIDTH + ty < numACols)
            ds_B[ty][tx] = B[(m * TILE_WIDTH + ty) * numBCols + Col];
        else
            ds_B[ty][tx] = 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += ds_A[ty][k] * ds_B[k][tx];
        __syncthreads();
    }
    if (Row < numARows && Col < numBCols)
        C[Row * numBCols + Col] = Pvalue;
}

// 64 x 64 outputs for 16 x 16 threads, 4 x 4 each; the sizes are multiples of the tile.
__global__ void __launch_bounds__(256)
    matmul_blocked(float *c, const float *a, const float *b, int n, int k) {
    __shared__ float as[16][64], bs[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int e = t; e < 1024; e += 256) {
            as[e % 16][e / 16] = a[(row0 + e / 16) * k + k0 + e % 16];
            bs[e / 64][e % 64] = b[(k0 + e / 64) * n + col0 + e % 64];
        }
        __syncthreads();
        for (int p = 0; p < 16; p++)
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] += as[p][ty * 4 + i] * bs[p][tx + 16 * j];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            c[(row0 + ty * 4 + i) * n + col0 + tx + 16 * j] = acc[i][j];
}

// ---- Sparse rows -------------------------------------------------------------------------------

// A sparse matrix (CSR): a warp for each row.
__global__ void rows_by_warp(float *y, const int *__restrict__ row_ptr,
                             const int *__restrict__ col_idx, const float *__restrict__ values,
                             const float *__restrict__ x, int rows) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int lane = threadIdx.x & 31;
    if (warp >= rows)
        return;
    float sum = 0.0f;
    for (int j = row_ptr[warp] + lane; j < row_ptr[warp + 1]; j += 32)
        sum += values[j] * __ldg(&x[col_idx[j]]);
    sum = warp_sum(sum);
    if (lane == 0)
        y[warp] = sum;
}

// ---- Layers ------------------------------------------------------------------------------------
// A warp for a row, blocks of 32 x 4.
__global__ void layer_norm(float *out, const float *in, const float *__restrict__ gamma,
                           const float *__restrict__ beta, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *r = in + row * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        float v = r[c];
        sum += v;
        squares += v * v;
    }
    for (int mask = 16; mask > 0; mask >>= 1) {
        sum += __shfl_xor_sync(FULL_MASK, sum, mask);
        squares += __shfl_xor_sync(FULL_MASK, squares, mask);
    }
    float mean = sum / cols;
    float rstd = rsqrtf(squares / cols - mean * mean + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += 32)
        out[row * cols + c] = (r[c] - mean) * rstd * __ldg(gamma + c) + __ldg(beta + c);
}

__global__ void embedding_lookup(float4 *out, const int *tokens, const float4 *table, int dim4) {
    int token = tokens[blockIdx.x];
    for (int d = threadIdx.x; d < dim4; d += blockDim.x)
        out[blockIdx.x * dim4 + d] = table[token * dim4 + d];
}

__global__ void kmeans_assign(int *label, const float *points, const float *centroids, int n, int k,
                              int dims) {
    extern __shared__ float sc[];
    for (int i = threadIdx.x; i < k * dims; i += blockDim.x)
        sc[i] = centroids[i];
    __syncthreads();
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n)
        return;
    float best = 3.4e38f;
    int best_k = 0;
    for (int c = 0; c < k; c++) {
        float dist = 0.0f;
        for (int d = 0; d < dims; d++) {
            float diff = points[p * dims + d] - sc[c * dims + d];
            dist += diff * diff;
        }
        if (dist < best) {
            best = dist;
            best_k = c;
        }
    }
    label[p] = best_k;
}

int main() {
    begin();
    dim3 b8(8, 8), b16(16, 16), b32(32, 8);
    float *in = make<float>(8192, number), *out = zeros<float>(8192);
    int *i_out = zeros<int>(500);

    matmul<<<dim3(2, 2), b16>>>(out, in, in + 1024, 32);
    expect("matmul", out, 32 * 32, -12628.25);
    matmul_padded<16><<<dim3(3, 3), b16>>>(in, in + 5000, out, 40, 50, 36);
    expect("matmul_padded<16>", out, 40 * 36, 53941);
    matmul_padded<8><<<dim3(4, 3), b8>>>(in, in + 5000, out, 21, 30, 29);
    expect("matmul_padded<8>", out, 21 * 29, 20316.5625);
    matmul_blocked<<<dim3(2, 1), b16>>>(out, in, in, 128, 32);
    expect("matmul_blocked", out, 64 * 128, 494840.3125);

    // Row i has i elements.
    unsigned *starts = make<unsigned>(101, [](int i) { return i * (i + 1) / 2; });
    unsigned *columns = make<unsigned>(5050, [](int i) { return hash_key(i) % 500; });
    rows_by_warp<<<13, 256>>>(out, (int *)starts, (int *)columns, in, in, 100);
    expect("rows_by_warp", out, 100, 76532.375);

    layer_norm<<<3, dim3(32, 4)>>>(out, in, in + 7, in + 9, 10, 100);
    expect("layer_norm", out, 10 * 100, -1662.05793294);
    int *tokens = make<int>(24, [](int i) { return hash_key(i) % 40; });
    embedding_lookup<<<24, 32>>>((float4 *)out, tokens, (const float4 *)in, 40);
    expect("embedding_lookup", out, 24 * 160, -4300);
    kmeans_assign<<<4, 128, 7 * 5 * sizeof(float)>>>(i_out, in, in + 3000, 500, 7, 5);
    expect("kmeans_assign", i_out, 500, 90402);
    return end();
}
