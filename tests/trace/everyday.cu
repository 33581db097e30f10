// Everyday kernels, as engineers and students write them: pixels, particles, neural layers, sorts,
// scans, reductions, grids, graphs, tables, numbers.
//
//     nvcc -O3 -lineinfo everyday.cu -o everyday && ./everyday
//
// Many sizes are no multiple of the block. A result is checked by a sum with weights.
// EXPECT embedding_lookup: 24*3 24*(1+20) 24*2 24*20
// SPDX-License-Identifier: MIT
#include "check.h"

#include <cuComplex.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <vector>

#define TILE 16
#define TRANSPOSE_DIM 32
#define TRANSPOSE_ROWS 8
#define RADIUS 3
#define FILTER_RADIUS 2
#define FILTER_WIDTH (2 * FILTER_RADIUS + 1)
#define HIST_BINS 64
#define EMPTY 0u
#define FULL_MASK 0xffffffffu

__constant__ float c_filter[FILTER_WIDTH * FILTER_WIDTH];
__device__ const char base64_chars[65] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

template <typename T> __device__ __forceinline__ T warp_sum(T v) {
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(FULL_MASK, v, offset);
    return v;
}

// ---- Images ------------------------------------------------------------------------------------
__global__ void rgb_to_luma(unsigned char *luma, const uchar3 *rgb, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int idx = y * width + x;
    uchar3 p = rgb[idx];
    luma[idx] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

__global__ void filter_2d(float *out, const float *__restrict__ in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float acc = 0.0f;
    for (int fy = -FILTER_RADIUS; fy <= FILTER_RADIUS; fy++) {
        for (int fx = -FILTER_RADIUS; fx <= FILTER_RADIUS; fx++) {
            int ix = min(max(x + fx, 0), width - 1);
            int iy = min(max(y + fy, 0), height - 1);
            acc += in[iy * width + ix] *
                   c_filter[(fy + FILTER_RADIUS) * FILTER_WIDTH + fx + FILTER_RADIUS];
        }
    }
    out[y * width + x] = acc;
}

__global__ void resize_bilinear(float *dst, int dw, int dh, const float *src, int sw, int sh) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < dw && y < dh) {
        float fx = fmaxf((x + 0.5f) * ((float)sw / dw) - 0.5f, 0.0f);
        float fy = fmaxf((y + 0.5f) * ((float)sh / dh) - 0.5f, 0.0f);
        int x0 = (int)fx, y0 = (int)fy;
        int x1 = min(x0 + 1, sw - 1), y1 = min(y0 + 1, sh - 1);
        float ax = fx - x0, ay = fy - y0;
        float top = src[y0 * sw + x0] * (1 - ax) + src[y0 * sw + x1] * ax;
        float bottom = src[y1 * sw + x0] * (1 - ax) + src[y1 * sw + x1] * ax;
        dst[y * dw + x] = top * (1 - ay) + bottom * ay;
    }
}

__global__ void game_of_life(unsigned char *next, const unsigned char *now, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int left = (x + w - 1) % w, right = (x + 1) % w;
    int up = (y + h - 1) % h, down = (y + 1) % h;
    int alive = now[up * w + left] + now[up * w + x] + now[up * w + right] + now[y * w + left] +
                now[y * w + right] + now[down * w + left] + now[down * w + x] +
                now[down * w + right];
    next[y * w + x] = alive == 3 || (alive == 2 && now[y * w + x]);
}

// ---- Particles, grids --------------------------------------------------------------------------
typedef struct {
    float x, y, z;
    float vx, vy, vz;
    float life;
} Particle;

__global__ void update_particles(Particle *p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || p[i].life <= 0.0f)
        return;
    p[i].vy -= 8.0f * dt;
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
    if (p[i].y < 0.0f) {
        p[i].y = -p[i].y;
        p[i].vy *= -0.5f;
    }
    p[i].life -= dt;
}

__global__ void stencil_1d(int *out, const int *in, int n) {
    __shared__ int temp[128 + 2 * RADIUS];
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int l = threadIdx.x + RADIUS;
    temp[l] = g < n ? in[g] : 0;
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : 0;
        int after = g + (int)blockDim.x;
        temp[l + blockDim.x] = after < n ? in[after] : 0;
    }
    __syncthreads();
    if (g >= n)
        return;
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[l + offset];
    out[g] = result;
}

__global__ void heat_2d(float *out, const float *in, int nx, int ny, float k) {
    __shared__ float s[TILE + 2][TILE + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int i = y * nx + x;
    if (x < nx && y < ny) {
        s[ty][tx] = in[i];
        if (tx == 1 && x > 0)
            s[ty][0] = in[i - 1];
        if (tx == TILE && x < nx - 1)
            s[ty][TILE + 1] = in[i + 1];
        if (ty == 1 && y > 0)
            s[0][tx] = in[i - nx];
        if (ty == TILE && y < ny - 1)
            s[TILE + 1][tx] = in[i + nx];
    }
    __syncthreads();
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
        out[i] = s[ty][tx] + k * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] -
                                  4 * s[ty][tx]);
    else if (x < nx && y < ny)
        out[i] = s[ty][tx];
}

__global__ void heat_3d(double *out, const double *__restrict__ in, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
        return;
    int plane = nx * ny, i = y * nx + x;
    double below, here = in[i], above = in[i + plane];
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        below = here;
        here = above;
        above = in[i + plane];
        out[i] =
            0.25 * here + 0.125 * (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
    }
}

// ---- Matrices ----------------------------------------------------------------------------------
__global__ void transpose_naive(float *out, const float *in, int width, int height) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < width && row < height)
        out[col * height + row] = in[row * width + col];
}

__global__ void transpose_shared(double *out, const double *in, int n) {
    __shared__ double block[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    block[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = block[threadIdx.x][threadIdx.y];
}

__global__ void transpose_padded(float *odata, const float *idata, int width, int height) {
    __shared__ float tile[TRANSPOSE_DIM][TRANSPOSE_DIM + 1];
    int x = blockIdx.x * TRANSPOSE_DIM + threadIdx.x;
    int y = blockIdx.y * TRANSPOSE_DIM + threadIdx.y;
    for (int j = 0; j < TRANSPOSE_DIM; j += TRANSPOSE_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TRANSPOSE_DIM + threadIdx.x;
    y = blockIdx.x * TRANSPOSE_DIM + threadIdx.y;
    for (int j = 0; j < TRANSPOSE_DIM; j += TRANSPOSE_ROWS)
        if (x < height && y + j < width)
            odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T>
__global__ void matmul_tiled(T *c, const T *a, const T *b, int m, int n, int k) {
    __shared__ T as[TILE][TILE];
    __shared__ T bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    T sum = 0;
    for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
        int ak = t * TILE + threadIdx.x, bk = t * TILE + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && ak < k ? a[row * k + ak] : T(0);
        bs[threadIdx.y][threadIdx.x] = col < n && bk < k ? b[bk * n + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
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

__global__ void spmv_csr_vector(float *y, const int *__restrict__ row_ptr,
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
__device__ static float block_reduce(float *s, float v, bool largest) {
    unsigned t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] = largest ? fmaxf(s[t], s[t + k]) : s[t] + s[t + k];
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}

__global__ void softmax_rows(float *out, const float *in, int cols) {
    __shared__ float scratch[128];
    const float *row = in + blockIdx.x * cols;
    float top = -INFINITY, sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        top = fmaxf(top, row[c]);
    top = block_reduce(scratch, top, true);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += expf(row[c] - top);
    sum = block_reduce(scratch, sum, false);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[blockIdx.x * cols + c] = expf(row[c] - top) / sum;
}

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

__global__ void batch_norm(float *x, const float *__restrict__ mean, const float *__restrict__ var,
                           const float *__restrict__ weight, const float *__restrict__ bias,
                           int channels, int area, int total) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
        int c = i / area % channels;
        x[i] = (x[i] - mean[c]) * rsqrtf(var[c] + 1e-5f) * weight[c] + bias[c];
    }
}

__global__ void gelu(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        out[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    }
}

__global__ void max_pool(float *out, const float *in, int height, int width, int oh, int ow) {
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    int c = blockIdx.z;
    if (ox >= ow || oy >= oh)
        return;
    float best = -INFINITY;
    for (int ky = 0; ky < 3; ky++)
        for (int kx = 0; kx < 3; kx++) {
            int iy = oy * 2 + ky, ix = ox * 2 + kx;
            if (iy < height && ix < width)
                best = fmaxf(best, in[(c * height + iy) * width + ix]);
        }
    out[(c * oh + oy) * ow + ox] = best;
}

// 3 x 3, stride 1, padding 1: a thread for a channel and a pixel.
__global__ void im2col(float *col, const float *im, int channels, int height, int width) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= channels * height * width)
        return;
    int x = index % width, y = index / width % height, c = index / width / height;
    float *to = col + c * 9 * height * width + y * width + x;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int iy = y - 1 + i, ix = x - 1 + j;
            *to = iy >= 0 && ix >= 0 && iy < height && ix < width
                      ? im[(c * height + iy) * width + ix]
                      : 0.0f;
            to += height * width;
        }
    }
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

// ---- Reductions, scans, sorts ------------------------------------------------------------------
__global__ void reduce_shared(int *out, const int *in, int n) {
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
    int sum = (int)i < n ? in[i] : 0;
    if ((int)(i + blockDim.x) < n)
        sum += in[i + blockDim.x];
    sdata[tid] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

__global__ void reduce_strided(int *total, const int *in, int n) {
    static __shared__ int partial[32];
    int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    if (lane == 0)
        partial[wid] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / warpSize ? partial[lane] : 0;
    if (wid == 0)
        sum = warp_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(total, sum);
}

template <unsigned BLOCK>
__global__ void reduce_float4(float *out, const float4 *__restrict__ in, int n4) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + t; i < n4; i += BLOCK * gridDim.x) {
        float4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    s[t] = sum;
    __syncthreads();
    if (BLOCK >= 128) {
        if (t < 64)
            s[t] = sum = sum + s[t + 64];
        __syncthreads();
    }
    if (t < 32) {
        sum = warp_sum(sum + s[t + 32]);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

__global__ void scan_hillis_steele(int *out, const int *in, int n) {
    extern __shared__ int temp[];
    int t = threadIdx.x, pout = 0, pin = 1;
    temp[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int offset = 1; offset < (int)blockDim.x; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (t >= offset)
            temp[pout * blockDim.x + t] =
                temp[pin * blockDim.x + t] + temp[pin * blockDim.x + t - offset];
        else
            temp[pout * blockDim.x + t] = temp[pin * blockDim.x + t];
        __syncthreads();
    }
    if (t < n)
        out[t] = temp[pout * blockDim.x + t];
}

__global__ void scan_blelloch(int *g_odata, const int *g_idata, int n) {
    extern __shared__ int work[];
    int t = threadIdx.x, base = blockIdx.x * n, offset = 1;
    work[2 * t] = g_idata[base + 2 * t];
    work[2 * t + 1] = g_idata[base + 2 * t + 1];
    for (int d = n >> 1; d > 0; d >>= 1, offset *= 2) {
        __syncthreads();
        if (t < d)
            work[offset * (2 * t + 2) - 1] += work[offset * (2 * t + 1) - 1];
    }
    if (t == 0)
        work[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
            int v = work[ai];
            work[ai] = work[bi];
            work[bi] += v;
        }
    }
    __syncthreads();
    g_odata[base + 2 * t] = work[2 * t];
    g_odata[base + 2 * t + 1] = work[2 * t + 1];
}

__global__ void bitonic_step(float *values, int j, int k) {
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned ixj = i ^ j;
    if (ixj > i) {
        bool up = (i & k) == 0;
        if ((values[i] > values[ixj]) == up) {
            float temp = values[i];
            values[i] = values[ixj];
            values[ixj] = temp;
        }
    }
}

__global__ void odd_even_sort(int *data, int n) {
    __shared__ int s[256];
    int *mine = data + blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = mine[i];
    __syncthreads();
    for (int phase = 0; phase < n; phase++) {
        int i = 2 * threadIdx.x + (phase & 1);
        if (i + 1 < n && s[i] > s[i + 1]) {
            int t = s[i];
            s[i] = s[i + 1];
            s[i + 1] = t;
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine[i] = s[i];
}

__global__ void merge_sorted(int *out, const int *a, int na, const int *b, int nb) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= na + nb)
        return;
    bool from_a = i < na;
    int index = from_a ? i : i - na;
    const int *other = from_a ? b : a;
    int key = from_a ? a[index] : b[index];
    int lo = 0, hi = from_a ? nb : na;
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (other[mid] < key || (!from_a && other[mid] == key))
            lo = mid + 1;
        else
            hi = mid;
    }
    out[index + lo] = key;
}

// Each block keeps its own part of the output.
__global__ void compact_positive(int *out, int *count, const int *in, int n) {
    __shared__ int warp_count[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int v = i < n ? in[i] : 0;
    unsigned ballot = __ballot_sync(FULL_MASK, v > 0);
    if (lane == 0)
        warp_count[warp] = __popc(ballot);
    __syncthreads();
    int base = 0;
    for (int w = 0; w < warp; w++)
        base += warp_count[w];
    if (v > 0)
        out[blockIdx.x * blockDim.x + base + __popc(ballot & ((1u << lane) - 1))] = v;
    if (threadIdx.x == blockDim.x - 1)
        count[blockIdx.x] = base + warp_count[warp];
}

// ---- Tables, text, graphs ----------------------------------------------------------------------
__global__ void histogram_shared(unsigned *bins, const unsigned char *data, int n) {
    __shared__ unsigned local[HIST_BINS];
    for (int b = threadIdx.x; b < HIST_BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&local[data[i] / 4], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < HIST_BINS; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}

__global__ void mark_multiples(bool *composite, int prime, int limit) {
    int k = prime * prime + (blockIdx.x * blockDim.x + threadIdx.x) * prime;
    if (k <= limit)
        composite[k] = true;
}

__global__ void find_substring(unsigned char *found, const char *text, int n, const char *pattern,
                               int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - m)
        return;
    int j = 0;
    while (j < m && text[i + j] == pattern[j])
        j++;
    found[i] = j == m;
}

__global__ void base64_encode(char *out, const unsigned char *in, int triples) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= triples)
        return;
    unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[4 * i + 0] = base64_chars[v >> 18];
    out[4 * i + 1] = base64_chars[v >> 12 & 63];
    out[4 * i + 2] = base64_chars[v >> 6 & 63];
    out[4 * i + 3] = base64_chars[v & 63];
}

enum state { BETWEEN, WORD, NUMBER, BAD };

// The words of a record of 24 characters; -1 where one starts with a digit and goes on otherwise.
__global__ void count_words(int *words, const char *records, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    enum state now = BETWEEN;
    int count = 0;
    for (int k = 0; k < 24 && now != BAD; k++) {
        char c = records[i * 24 + k];
        bool letter = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
        switch (now) {
        case BETWEEN:
            now = letter ? WORD : digit ? NUMBER : BETWEEN;
            count += letter;
            break;
        case WORD:
            if (!letter && !digit)
                now = BETWEEN;
            break;
        case NUMBER:
            now = letter ? BAD : digit ? NUMBER : BETWEEN;
            break;
        default:
            break;
        }
    }
    words[i] = now == BAD ? -1 : count;
}

__host__ __device__ static unsigned hash_key(unsigned k) {
    k ^= k >> 16;
    k *= 0x85ebca6bu;
    k ^= k >> 13;
    k *= 0xc2b2ae35u;
    return k ^ k >> 16;
}

__global__ void hash_insert(uint2 *table, unsigned capacity, const uint2 *pairs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint2 kv = pairs[i];
    unsigned slot = hash_key(kv.x) & (capacity - 1);
    while (true) {
        unsigned prev = atomicCAS(&table[slot].x, EMPTY, kv.x);
        if (prev == EMPTY || prev == kv.x) {
            table[slot].y = kv.y;
            return;
        }
        slot = (slot + 1) & (capacity - 1);
    }
}

// From below: each node not yet seen looks for a neighbor of the last level.
__global__ void bfs_level(int *next_depth, int *found, const int *depth, const int *first,
                          const int *edges, int nodes, int level) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes)
        return;
    int d = depth[v];
    if (d < 0) {
        for (int e = first[v]; e < first[v + 1]; e++) {
            if (depth[edges[e]] == level) {
                d = level + 1;
                atomicAdd(found, 1);
                break;
            }
        }
    }
    next_depth[v] = d;
}

__global__ void scatter(float *out, const float *in, const int *index, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[index[i]] = in[i];
}

// ---- Numbers -----------------------------------------------------------------------------------
__global__ void axpy_half2(__half2 *y, const __half2 *x, float a, int n2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 aa = __float2half2_rn(a);
    if (i < n2)
        y[i] = __hfma2(aa, x[i], y[i]);
}

__global__ void gemv_int8(int *out, const char4 *matrix, const char4 *x, int rows, int cols4) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int acc = 0;
    for (int c = 0; c < cols4; c++)
        acc = __dp4a(matrix[row * cols4 + c], x[c], acc);
    out[row] = acc;
}

__global__ void multiply_spectra(cuFloatComplex *signal, const cuFloatComplex *filter, int n,
                                 float scale) {
    const int threads = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        cuFloatComplex p = cuCmulf(signal[i], filter[i]);
        signal[i] = make_cuFloatComplex(cuCrealf(p) * scale, cuCimagf(p) * scale);
    }
}

__global__ void xorshift_fill(float *out, unsigned *states, int n, int rounds) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n)
        return;
    unsigned s = states[id];
    for (int r = 0; r < rounds; r++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        out[r * n + id] = (s >> 8) * (1.0f / 16777216.0f);
    }
    states[id] = s;
}

__host__ __device__ static float normal_cdf(float d) { return 0.5f * erfcf(-0.70710678f * d); }

__global__ void black_scholes(float *call, float *put, const float *__restrict__ price,
                              const float *__restrict__ strike, const float *__restrict__ years,
                              float rate, float vol, int n) {
    int opt = blockIdx.x * blockDim.x + threadIdx.x;
    if (opt >= n)
        return;
    float s = price[opt], x = strike[opt], t = years[opt];
    float sqrt_t = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * vol * vol) * t) / (vol * sqrt_t);
    float d2 = d1 - vol * sqrt_t;
    float discounted = x * expf(-rate * t);
    float c = s * normal_cdf(d1) - discounted * normal_cdf(d2);
    call[opt] = c;
    put[opt] = c + discounted - s;
}

// ---- The host's side ---------------------------------------------------------------------------
static int failures;
static std::vector<void *> memories;

template <typename T> static T *upload(const std::vector<T> &v) {
    T *p;
    CUDA_CHECK(cudaMalloc((void **)&p, v.size() * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    memories.push_back(p);
    return p;
}

template <typename T> static T *zeros(int n) { return upload(std::vector<T>(n)); }

template <typename T, typename F> static T *make(int n, F f) {
    std::vector<T> v(n);
    for (int i = 0; i < n; i++)
        v[i] = (T)f(i);
    return upload(v);
}

// The sum of n values, each times a weight for where it lies.
template <typename T> static void expect(const char *name, const T *p, int n, double wanted) {
    std::vector<T> got(n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(got.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    double sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
        double term = (double)got[i] * (i * 37 % 101 + 1);
        sum += term;
        size += fabs(term);
    }
    if (!(fabs(sum - wanted) <= 1e-5 * size)) {
        fprintf(stderr, "%s: %.12g, not %.12g\n", name, sum, wanted);
        failures++;
    }
}

static dim3 cover(int x, int y, dim3 block) {
    return dim3((x + block.x - 1) / block.x, (y + block.y - 1) / block.y);
}

// Small numbers, some of them negative, each a multiple of 1/4: sums of products are exact.
static float number(int i) { return ((int)(hash_key(i + 1) % 65) - 32) / 4.0f; }
static int whole(int i) { return (int)(hash_key(i) % 200) - 100; }
static unsigned char byte(int i) { return (unsigned char)(hash_key(i) >> 5); }
static int rising(int i) { return i < 300 ? i * 3 / 2 : (i - 300) * 2 + i % 3 / 2; }

static Particle particle(int i) {
    float y = i % 3 ? 9.0f : 0.5f, vy = -4 - (float)(i % 29) / 4;
    return {number(6 * i),    y, number(6 * i + 2), number(6 * i + 3), vy, number(6 * i + 5),
            number(6 * i + 1)};
}

static uint2 *pairs_without_collision(int n, unsigned capacity) {
    std::vector<uint2> pairs;
    std::vector<bool> used(capacity);
    for (unsigned key = 1; (int)pairs.size() < n; key++) {
        if (!used[hash_key(key) % capacity])
            pairs.push_back(make_uint2(key, 3 * key));
        used[hash_key(key) % capacity] = true;
    }
    return upload(pairs);
}

int main() {
    begin();
    const int w = 75, h = 41, area = w * h;
    dim3 b16(16, 16), b32(32, 8);
    float *in = make<float>(8192, number), *out = zeros<float>(16384), *out2 = zeros<float>(8192);
    int *ints = make<int>(4000, whole), *i_out = zeros<int>(2048), *one = zeros<int>(8);
    unsigned char *bytes = make<unsigned char>(10000, byte), *b_out = zeros<unsigned char>(4000);
    double *doubles = make<double>(8000, whole), *d_out = zeros<double>(8000);
    char *text = make<char>(1200, [](int i) { return "ab 7"[hash_key(i) % 17 % 4]; });

    rgb_to_luma<<<cover(w, h, b16), b16>>>(b_out, (const uchar3 *)bytes, w, h);
    expect("rgb_to_luma", b_out, area, 19547406);
    float weights[FILTER_WIDTH * FILTER_WIDTH];
    for (int i = 0; i < FILTER_WIDTH * FILTER_WIDTH; i++)
        weights[i] = (float)(i % 7 - 2) / 8;
    CUDA_CHECK(cudaMemcpyToSymbol(c_filter, weights, sizeof weights));
    filter_2d<<<cover(w, h, b32), b32>>>(out, in, w, h);
    expect("filter_2d", out, area, -37965.375);
    resize_bilinear<<<cover(64, 40, b16), b16>>>(out, 64, 40, in, 40, 25);
    expect("resize_bilinear", out, 64 * 40, -24947.999);
    unsigned char *cells = make<unsigned char>(area, [](int i) { return hash_key(i) % 3 == 0; });
    game_of_life<<<cover(w, h, b32), b32>>>(b_out, cells, w, h);
    expect("game_of_life", b_out, area, 57173);

    Particle *particles = make<Particle>(300, particle);
    update_particles<<<3, 128>>>(particles, 300, 0.125f);
    expect("update_particles", (float *)particles, 300 * 7, -15103.938);
    stencil_1d<<<8, 128>>>(i_out, ints, 1000);
    expect("stencil_1d", i_out, 1000, 209171);
    heat_2d<<<cover(w, h, b16), b16>>>(out, in, w, h, 0.125f);
    expect("heat_2d", out, area, -22667.938);
    heat_3d<<<dim3(1, 5), dim3(32, 4)>>>(d_out, doubles, 20, 20, 20);
    expect("heat_3d", d_out, 8000, -129626.125);

    transpose_naive<<<cover(w, h, b16), b16>>>(out, in, w, h);
    expect("transpose_naive", out, area, -9732);
    transpose_padded<<<dim3(3, 2), b32>>>(out2, in, w, h);
    expect("transpose_padded", out2, area, -9732);
    transpose_shared<<<dim3(3, 3), b16>>>(d_out, doubles, 48);
    expect("transpose_shared", d_out, 48 * 48, 68372);
    matmul_tiled<float><<<dim3(3, 3), b16>>>(out, in, in, 37, 45, 29);
    expect("matmul_tiled", out, 37 * 45, -365416.875);
    matmul_blocked<<<dim3(2, 1), b16>>>(out, in, in, 128, 32);
    expect("matmul_blocked", out, 64 * 128, 494840.312);
    int *triangle = make<int>(61, [](int i) { return i * (i + 1) / 2; });
    int *column = make<int>(1830, [](int i) { return hash_key(i) % 500; });
    spmv_csr_vector<<<8, 256>>>(out, triangle, column, in, in, 60);
    expect("spmv_csr_vector", out, 60, 45775.375);

    softmax_rows<<<6, 128>>>(out, in, 200);
    expect("softmax_rows", out, 6 * 200, 342.364);
    layer_norm<<<3, dim3(32, 4)>>>(out, in, in + 7, in + 9, 10, 100);
    expect("layer_norm", out, 10 * 100, -1662.058);
    float *var = make<float>(5, [](int i) { return i + 0.5f; }), *x = make<float>(1400, number);
    batch_norm<<<4, 192>>>(x, in + 3, var, in + 11, in + 20, 5, 70, 1400);
    expect("batch_norm", x, 1400, 22559.814);
    gelu<<<4, 256>>>(out, in, 1001);
    expect("gelu", out, 1001, 101756.448);
    max_pool<<<dim3(1, 2, 3), dim3(32, 8)>>>(out, in, 27, 31, 14, 16);
    expect("max_pool", out, 3 * 14 * 16, 208163.75);
    im2col<<<14, 128>>>(out, in, 3, 19, 30);
    expect("im2col", out, 3 * 9 * 570, -145427);
    int *tokens = make<int>(24, [](int i) { return hash_key(i) % 40; });
    embedding_lookup<<<24, 32>>>((float4 *)out, tokens, (const float4 *)in, 40);
    expect("embedding_lookup", out, 24 * 160, -4300);
    kmeans_assign<<<4, 128, 7 * 5 * sizeof(float)>>>(i_out, in, in + 3000, 500, 7, 5);
    expect("kmeans_assign", i_out, 500, 90402);

    reduce_shared<<<4, 256, 256 * sizeof(int)>>>(i_out, ints, 1900);
    expect("reduce_shared", i_out, 4, 25314);
    reduce_strided<<<5, 160>>>(one, ints, 3333);
    expect("reduce_strided", one, 1, 585);
    reduce_float4<128><<<2, 128>>>(out, (const float4 *)in, 700);
    expect("reduce_float4", out, 2, -13694);
    scan_hillis_steele<<<1, 256, 2 * 256 * sizeof(int)>>>(i_out, ints, 250);
    expect("scan_hillis_steele", i_out, 250, -284586);
    scan_blelloch<<<3, 128, 256 * sizeof(int)>>>(i_out, ints, 256);
    expect("scan_blelloch", i_out, 3 * 256, 6249860);
    float *steps = make<float>(512, number);
    bitonic_step<<<4, 128>>>(steps, 16, 64);
    expect("bitonic_step", steps, 512, 1055.5);
    int *unsorted = make<int>(300, whole), *sorted = make<int>(500, rising);
    odd_even_sort<<<3, 64>>>(unsorted, 100);
    expect("odd_even_sort", unsorted, 300, 18153);
    merge_sorted<<<4, 128>>>(i_out, sorted, 300, sorted + 300, 200);
    expect("merge_sorted", i_out, 500, 5474125);
    compact_positive<<<8, 128>>>(i_out + 1024, one, ints, 1000);
    expect("compact_positive", i_out + 1024, 1024, 1294256);

    unsigned *bins = zeros<unsigned>(HIST_BINS);
    histogram_shared<<<4, 96>>>(bins, bytes, 2999);
    expect("histogram_shared", bins, HIST_BINS, 151431);
    unsigned char *composite = zeros<unsigned char>(2001);
    mark_multiples<<<3, 128>>>((bool *)composite, 7, 2000);
    expect("mark_multiples", composite, 2001, 14267);
    find_substring<<<5, 256>>>(b_out, text, 1200, text + 431, 4);
    expect("find_substring", b_out, 1197, 214);
    base64_encode<<<8, 128>>>((char *)b_out, bytes, 1000);
    expect("base64_encode", b_out, 4000, 17505953);
    count_words<<<1, 64>>>(i_out, text, 50);
    expect("count_words", i_out, 50, 1826);
    uint2 *table = zeros<uint2>(512);
    hash_insert<<<2, 96>>>(table, 512, pairs_without_collision(150, 512), 150);
    expect("hash_insert", (unsigned *)table, 1024, 2668698);
    int *depth = make<int>(500, [](int i) { return hash_key(i) % 9 == 0 ? 2 : i % 5 ? -1 : 1; });
    int *first = make<int>(501, [](int i) { return 4 * i - i % 3; }), *found = zeros<int>(1);
    int *edges = make<int>(2000, [](int i) { return hash_key(i + 77) % 500; });
    bfs_level<<<4, 128>>>(i_out, found, depth, first, edges, 500, 2);
    expect("bfs_level", i_out, 500, 16534);
    int *index = make<int>(1000, [](int i) { return i * 37 % 1000; });
    scatter<<<4, 256>>>(out, in, index, 1000);
    expect("scatter", out, 1000, -12588.25);

    __half *halves = make<__half>(1800, [](int i) { return __float2half(number(i)); });
    __half2 *y = (__half2 *)zeros<__half>(1700);
    axpy_half2<<<7, 128>>>(y, (const __half2 *)halves + 10, 0.5f, 850);
    expect("axpy_half2", (unsigned short *)y, 1700, 2824513856);
    gemv_int8<<<2, 64>>>(i_out, (char4 *)bytes, (char4 *)bytes + 1200, 100, 12);
    expect("gemv_int8", i_out, 100, 40936765);
    cuFloatComplex *signal = (cuFloatComplex *)make<float>(2000, number);
    multiply_spectra<<<3, 128>>>(signal, (const cuFloatComplex *)in + 1000, 901, 0.25f);
    expect("multiply_spectra", (float *)signal, 1802, 8769.891);
    unsigned *states = make<unsigned>(300, [](int i) { return i + 1; });
    xorshift_fill<<<3, 128>>>(out, states, 300, 4);
    expect("xorshift_fill", out, 300 * 4, 22764.486);
    float *price = make<float>(1500, [](int i) { return 5 + hash_key(i) % 100 / 4.0f; });
    black_scholes<<<2, 256>>>(out, out2, price, price + 500, price + 1000, 0.02f, 0.3f, 500);
    expect("black_scholes", out, 500, 275803.608);
    for (void *p : memories)
        CUDA_CHECK(cudaFree(p));
    return failures ? 1 : end();
}
