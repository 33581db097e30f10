// Assignments: kernels as students hand them in and as blog posts show them.
//
//     nvcc -O3 -lineinfo assignments.cu -o assignments && ./assignments
//
// Many sizes are no multiple of the block. A result is checked by a sum with weights.
// EXPECT luScale: 2 19+1 1 19
// SPDX-License-Identifier: MIT
#include "check.h"

#include <cmath>
#include <cstdio>
#include <vector>

#define BLOCK_SIZE 128
#define MASK_WIDTH 7
#define LIFE_TILE 16
#define INF 1000000000
#define MAX_QUEENS 8

__constant__ float d_mask[MASK_WIDTH];

// ---- First week --------------------------------------------------------------------------------
__global__ void divergence_demo(float *out, const float *a, const float *b, int n) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    if (tid >= n)
        return;
    if (threadIdx.x % 2 == 0) {
        float v = a[tid];
        out[tid] = v * v + 1.0f;
    } else {
        float v = b[tid];
        for (int i = 0; i < 3; i++)
            v = v * 0.5f - a[tid - 1];
        out[tid] = v;
    }
}

__global__ void leakyRelu(const float *x, float *y, int n, float alpha) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        if (x[i] > 0) {
            y[i] = x[i];
        } else {
            y[i] = alpha * x[i];
        }
    }
}

// ---- Images ------------------------------------------------------------------------------------
__global__ void posterize(unsigned char *img, int width, int height, int low, int high) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        int p = row * width + col;
        if (img[p] < low)
            img[p] = 0;
        else if (img[p] < high)
            img[p] = 128;
        else
            img[p] = 255;
    }
}

__global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= w || y >= h)
        return;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        int gx = -in[(y - 1) * w + x - 1] + in[(y - 1) * w + x + 1] - 2 * in[y * w + x - 1] +
                 2 * in[y * w + x + 1] - in[(y + 1) * w + x - 1] + in[(y + 1) * w + x + 1];
        int gy = -in[(y - 1) * w + x - 1] - 2 * in[(y - 1) * w + x] - in[(y - 1) * w + x + 1] +
                 in[(y + 1) * w + x - 1] + 2 * in[(y + 1) * w + x] + in[(y + 1) * w + x + 1];
        int mag = abs(gx) + abs(gy);
        out[y * w + x] = mag > 255 ? 255 : mag;
    } else {
        out[y * w + x] = 0;
    }
}

__global__ void boxBlur(unsigned char *in, unsigned char *out, int w, int h, int blurSize) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < w && row < h) {
        int pixVal = 0;
        int pixels = 0;
        for (int blurRow = -blurSize; blurRow < blurSize + 1; ++blurRow) {
            for (int blurCol = -blurSize; blurCol < blurSize + 1; ++blurCol) {
                int curRow = row + blurRow;
                int curCol = col + blurCol;
                if (curRow > -1 && curRow < h && curCol > -1 && curCol < w) {
                    pixVal += in[curRow * w + curCol];
                    pixels++;
                }
            }
        }
        out[row * w + col] = (unsigned char)(pixVal / pixels);
    }
}

__global__ void medianFilter(int *out, const int *in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    int window[9];
    int k = 0;
    for (int r = y - 1; r <= y + 1; r++)
        for (int c = x - 1; c <= x + 1; c++)
            window[k++] = in[r * width + c];
    for (int i = 0; i < 5; i++) {
        for (int j = i + 1; j < 9; j++) {
            if (window[j] < window[i]) {
                int tmp = window[i];
                window[i] = window[j];
                window[j] = tmp;
            }
        }
    }
    out[y * width + x] = window[4];
}

struct Complex {
    float re, im;
    __device__ Complex(float a, float b) : re(a), im(b) {}
    __device__ float magnitude2() const { return re * re + im * im; }
    __device__ Complex operator*(const Complex &o) const {
        return Complex(re * o.re - im * o.im, im * o.re + re * o.im);
    }
    __device__ Complex operator+(const Complex &o) const { return Complex(re + o.re, im + o.im); }
};

__device__ int julia(int x, int y, int dim) {
    float jx = 1.5f * (float)(dim / 2 - x) / (dim / 2);
    float jy = 1.5f * (float)(dim / 2 - y) / (dim / 2);
    Complex c(-0.75f, 0.125f), a(jx, jy);
    for (int i = 0; i < 20; i++) {
        a = a * a + c;
        if (a.magnitude2() > 1000)
            return 0;
    }
    return 1;
}

__global__ void juliaKernel(unsigned char *ptr, int dim) {
    int x = blockIdx.x;
    int y = blockIdx.y * blockDim.x + threadIdx.x;
    if (y >= dim)
        return;
    int offset = x + y * dim;
    int value = julia(x, y, dim);
    ptr[offset * 4 + 0] = 255 * value;
    ptr[offset * 4 + 1] = 0;
    ptr[offset * 4 + 2] = 0;
    ptr[offset * 4 + 3] = 255;
}

// ---- Matrices ----------------------------------------------------------------------------------
struct Matrix {
    int width, height;
    float *elements;
};

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) {
    float Cvalue = 0;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= A.height || col >= B.width)
        return;
    for (int e = 0; e < A.width; ++e)
        Cvalue += A.elements[row * A.width + e] * B.elements[e * B.width + col];
    C.elements[row * C.width + col] = Cvalue;
}

template <int TILE_WIDTH>
__global__ void matrixMultiplyShared(const float *A, const float *B, float *C, int numARows,
                                     int numACols, int numBCols) {
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

__global__ void transposeInPlace(double *m, int n) {
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n && i < j) {
        double t = m[i * n + j];
        m[i * n + j] = m[j * n + i];
        m[j * n + i] = t;
    }
}

__global__ void matVec(const float *mat, const float *vec, float *res, int rows, int cols) {
    extern __shared__ float svec[];
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        svec[c] = vec[c];
    __syncthreads();
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int c = 0; c < cols; c++)
            sum += mat[row * cols + c] * svec[c];
        res[row] = sum;
    }
}

__global__ void luScale(double *a, int n, int k) {
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i * n + k] /= a[k * n + k];
}

__global__ void luUpdate(double *a, int n, int k) {
    int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

__global__ void forwardSubstitution(const double *L, double *b, double *x, int n) {
    int tid = threadIdx.x;
    for (int col = 0; col < n; col++) {
        if (tid == 0)
            x[col] = b[col] / L[col * n + col];
        __syncthreads();
        for (int row = col + 1 + tid; row < n; row += blockDim.x)
            b[row] -= L[row * n + col] * x[col];
        __syncthreads();
    }
}

__global__ void covariance(float *cov, const float *data, const float *mean, int n, int dims) {
    int a = threadIdx.y, b = threadIdx.x;
    if (b > a)
        return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += (data[i * dims + a] - mean[a]) * (data[i * dims + b] - mean[b]);
    cov[a * dims + b] = sum / (n - 1);
    if (a != b)
        cov[b * dims + a] = sum / (n - 1);
}

// ---- Reductions, sums, sorting -----------------------------------------------------------------
__global__ void dotModulo(const double *a, const double *b, double *partial, int n) {
    __shared__ double cache[BLOCK_SIZE];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    cache[threadIdx.x] = i < n ? a[i] * b[i] : 0.0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (threadIdx.x % (2 * s) == 0)
            cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = cache[0];
}

__global__ void maxWithIndex(const int *in, int *maxVal, int *maxIdx, int n) {
    __shared__ int sval[256];
    __shared__ int sidx[256];
    unsigned tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    sval[tid] = i < n ? in[i] : -INF;
    sidx[tid] = i;
    __syncthreads();
    for (unsigned s = blockDim.x >> 1; s > 0; s >>= 1) {
        if (tid < s) {
            if (sval[tid + s] > sval[tid] ||
                (sval[tid + s] == sval[tid] && sidx[tid + s] < sidx[tid])) {
                sval[tid] = sval[tid + s];
                sidx[tid] = sidx[tid + s];
            }
        }
        __syncthreads();
    }
    if (tid == 0) {
        maxVal[blockIdx.x] = sval[0];
        maxIdx[blockIdx.x] = sidx[0];
    }
}

struct Sums {
    float x, y, xx, xy;
};

__global__ void regressionSums(const float2 *points, Sums *result, int n) {
    __shared__ Sums warps[32];
    Sums s = {0, 0, 0, 0};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float2 p = points[i];
        s.x += p.x, s.y += p.y, s.xx += p.x * p.x, s.xy += p.x * p.y;
    }
    for (int d = 16; d > 0; d >>= 1) {
        s.x += __shfl_down_sync(0xffffffff, s.x, d);
        s.y += __shfl_down_sync(0xffffffff, s.y, d);
        s.xx += __shfl_down_sync(0xffffffff, s.xx, d);
        s.xy += __shfl_down_sync(0xffffffff, s.xy, d);
    }
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; w++)
            s.x += warps[w].x, s.y += warps[w].y, s.xx += warps[w].xx, s.xy += warps[w].xy;
        *result = s;
    }
}

__global__ void rankSort(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int rank = 0;
    for (int j = 0; j < n; j++)
        if (in[j] < in[i] || (in[j] == in[i] && j < i))
            rank++;
    out[rank] = in[i];
}

__global__ void radixSplit(unsigned *data, int n, int bits) {
    __shared__ unsigned values[256];
    __shared__ int zerosBefore[257];
    int t = threadIdx.x;
    for (int bit = 0; bit < bits; bit++) {
        unsigned v = t < n ? data[t] : 0xffffffffu;
        int isZero = !((v >> bit) & 1);
        zerosBefore[t + 1] = isZero;
        if (t == 0)
            zerosBefore[0] = 0;
        __syncthreads();
        for (int d = 1; d < 256; d *= 2) {
            int add = t + 1 > d ? zerosBefore[t + 1 - d] : 0;
            __syncthreads();
            zerosBefore[t + 1] += add;
            __syncthreads();
        }
        int pos = isZero ? zerosBefore[t] : zerosBefore[256] + t - zerosBefore[t];
        values[pos] = v;
        __syncthreads();
        if (t < n)
            data[t] = values[t];
        __syncthreads();
    }
}

__global__ void runHeads(const char *text, int *heads, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (i == 0)
        heads[i] = 1;
    else
        heads[i] = (text[i] != text[i - 1]) ? 1 : 0;
}

// ---- Signals and simulation --------------------------------------------------------------------
__global__ void convolution1D(const float *N, float *P, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float Pvalue = 0;
    int start = i - MASK_WIDTH / 2;
    for (int j = 0; j < MASK_WIDTH; j++) {
        if (start + j >= 0 && start + j < width)
            Pvalue += N[start + j] * d_mask[j];
    }
    if (i < width)
        P[i] = Pvalue;
}

__global__ void movingAverage(const float *price, float *avg, int n, int window) {
    extern __shared__ float s[];
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int lid = threadIdx.x + window - 1;
    s[lid] = gid < n ? price[gid] : 0.0f;
    if ((int)threadIdx.x < window - 1) {
        int left = gid - (window - 1);
        s[threadIdx.x] = left >= 0 ? price[left] : 0.0f;
    }
    __syncthreads();
    if (gid < n && gid >= window - 1) {
        float sum = 0.0f;
        for (int k = 0; k < window; k++)
            sum += s[lid - k];
        avg[gid] = sum / window;
    }
}

__global__ void redBlack(double *u, const double *f, int n, double h2, int color) {
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n - 1 && j < n - 1) {
        if ((i + j) % 2 == color) {
            u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] +
                                   u[i * n + j + 1] - h2 * f[i * n + j]);
        }
    }
}

__global__ void conwayShared(const int *in, int *out, int w, int h) {
    __shared__ int cell[LIFE_TILE][LIFE_TILE];
    int x = blockIdx.x * (LIFE_TILE - 2) + threadIdx.x - 1;
    int y = blockIdx.y * (LIFE_TILE - 2) + threadIdx.y - 1;
    int tx = threadIdx.x, ty = threadIdx.y;
    cell[ty][tx] = (x >= 0 && x < w && y >= 0 && y < h) ? in[y * w + x] : 0;
    __syncthreads();
    if (tx == 0 || ty == 0 || tx == LIFE_TILE - 1 || ty == LIFE_TILE - 1 || x >= w || y >= h)
        return;
    int alive = cell[ty - 1][tx - 1] + cell[ty - 1][tx] + cell[ty - 1][tx + 1] + cell[ty][tx - 1] +
                cell[ty][tx + 1] + cell[ty + 1][tx - 1] + cell[ty + 1][tx] + cell[ty + 1][tx + 1];
    if (cell[ty][tx] == 1 && (alive < 2 || alive > 3))
        out[y * w + x] = 0;
    else if (cell[ty][tx] == 0 && alive == 3)
        out[y * w + x] = 1;
    else
        out[y * w + x] = cell[ty][tx];
}

__global__ void monteCarloPi(unsigned *seeds, int *hits, int trials) {
    __shared__ int blockHits;
    if (threadIdx.x == 0)
        blockHits = 0;
    __syncthreads();
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned seed = seeds[id];
    int inside = 0;
    for (int t = 0; t < trials; t++) {
        seed = seed * 1664525u + 1013904223u;
        int x = (seed >> 17) - 16384;
        seed = seed * 1664525u + 1013904223u;
        int y = (seed >> 17) - 16384;
        if (x * x + y * y <= 16384 * 16384)
            inside++;
    }
    seeds[id] = seed;
    atomicAdd(&blockHits, inside);
    __syncthreads();
    if (threadIdx.x == 0)
        hits[blockIdx.x] = blockHits;
}

// ---- Equations ---------------------------------------------------------------------------------
struct Quadratic {
    float a, b, c;
    float x1, x2;
    int roots;
};

__global__ void solveAoS(Quadratic *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float d = q[i].b * q[i].b - 4 * q[i].a * q[i].c;
    if (d < 0) {
        q[i].roots = 0;
    } else if (d == 0) {
        q[i].roots = 1;
        q[i].x1 = -q[i].b / (2 * q[i].a);
    } else {
        q[i].roots = 2;
        q[i].x1 = (-q[i].b + sqrtf(d)) / (2 * q[i].a);
        q[i].x2 = (-q[i].b - sqrtf(d)) / (2 * q[i].a);
    }
}

struct QuadraticSoA {
    const float *a, *b, *c;
    float *x1, *x2;
    int *roots;
};

__global__ void solveSoA(QuadraticSoA q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = q.a[i], b = q.b[i], c = q.c[i];
        float d = b * b - 4 * a * c;
        q.roots[i] = d < 0 ? 0 : 2;
        if (d >= 0) {
            q.x1[i] = (-b + sqrtf(d)) / (2 * a);
            q.x2[i] = (-b - sqrtf(d)) / (2 * a);
        }
    }
}

__global__ void newtonSqrt(const double *x, double *root, int *iterations, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n)
        return;
    double guess = x[i], old;
    int count = 0;
    do {
        old = guess;
        guess = 0.5 * (old + x[i] / old);
        count++;
    } while (fabs(guess - old) > 1e-3 && count < 50);
    root[i] = guess;
    iterations[i] = count;
}

__global__ void interpolate(const float *xs, const float *ys, int m, const float *at, float *out,
                            int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = at[i];
    if (x <= xs[0]) {
        out[i] = ys[0];
    } else if (x >= xs[m - 1]) {
        out[i] = ys[m - 1];
    } else {
        int lo = 0, hi = m - 1;
        while (hi - lo > 1) {
            int mid = (lo + hi) / 2;
            if (xs[mid] <= x)
                lo = mid;
            else
                hi = mid;
        }
        out[i] = ys[lo] + (ys[hi] - ys[lo]) * (x - xs[lo]) / (xs[hi] - xs[lo]);
    }
}

// ---- Text and bits -----------------------------------------------------------------------------
__global__ void toUpper4(uchar4 *text, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        uchar4 c = text[i];
        if (c.x >= 'a' && c.x <= 'z')
            c.x -= 32;
        if (c.y >= 'a' && c.y <= 'z')
            c.y -= 32;
        if (c.z >= 'a' && c.z <= 'z')
            c.z -= 32;
        if (c.w >= 'a' && c.w <= 'z')
            c.w -= 32;
        text[i] = c;
    }
}

__global__ void caesar(const char *plain, char *cipher, int n, int key) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        char c = plain[i];
        if (c >= 'a' && c <= 'z')
            cipher[i] = 'a' + (c - 'a' + key) % 26;
        else if (c >= 'A' && c <= 'Z')
            cipher[i] = 'A' + (c - 'A' + key) % 26;
        else
            cipher[i] = c;
    }
}

__global__ void fnvRows(const unsigned char *rows, int length, unsigned *hash, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n)
        return;
    const unsigned char *p = rows + r * length;
    unsigned h = 2166136261u;
    for (int i = 0; i < length; i++) {
        h ^= p[i];
        h *= 16777619u;
    }
    hash[r] = h;
}

// ---- Learning ----------------------------------------------------------------------------------
enum Activation { STEP, SIGMOID, TANH, LINEAR };

__global__ void perceptron(const float *in, const float *weights, const float *bias, float *out,
                           int inputs, int neurons, Activation act) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= neurons)
        return;
    float sum = bias[n];
    for (int i = 0; i < inputs; i++)
        sum += weights[i * neurons + n] * in[i];
    switch (act) {
    case STEP:
        out[n] = sum > 0 ? 1.0f : 0.0f;
        break;
    case SIGMOID:
        out[n] = 1.0f / (1.0f + expf(-sum));
        break;
    case TANH:
        out[n] = tanhf(sum);
        break;
    default:
        out[n] = sum;
    }
}

__global__ void dropout(float *x, bool *mask, unsigned seed, float p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned r = (i + seed) * 2654435761u;
        r ^= r >> 15;
        bool keep = (r & 0xffff) / 65536.0f >= p;
        mask[i] = keep;
        if (!keep)
            x[i] = 0.0f;
        else
            x[i] *= 1.0f / (1.0f - p);
    }
}

__global__ void oneHot(const short *labels, float *out, int n, int classes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int c = 0; c < classes; c++)
            out[i * classes + c] = (c == labels[i]) ? 1.0f : 0.0f;
    }
}

// ---- Graphs and dynamic programming ------------------------------------------------------------
__global__ void floydWarshall(int *dist, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y;
    if (j >= n || i == k || j == k)
        return;
    int through = dist[i * n + k] + dist[k * n + j];
    if (through < dist[i * n + j])
        dist[i * n + j] = through;
}

__global__ void editDistance(const char *s, int m, const char *t, int n, int *D) {
    for (int i = threadIdx.x; i <= m; i += blockDim.x)
        D[i * (n + 1)] = i;
    for (int j = threadIdx.x; j <= n; j += blockDim.x)
        D[j] = j;
    __syncthreads();
    for (int diag = 2; diag <= m + n; diag++) {
        int i = threadIdx.x + 1;
        int j = diag - i;
        if (i <= m && j >= 1 && j <= n) {
            int cost = s[i - 1] == t[j - 1] ? 0 : 1;
            int best = D[(i - 1) * (n + 1) + j - 1] + cost;
            best = min(best, D[(i - 1) * (n + 1) + j] + 1);
            best = min(best, D[i * (n + 1) + j - 1] + 1);
            D[i * (n + 1) + j] = best;
        }
        __syncthreads();
    }
}

struct Entry {
    int row, col, value;
};

__global__ void spmvCoo(const Entry *entries, int nnz, const int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz) {
        Entry e = entries[i];
        atomicAdd(&y[e.row], e.value * x[e.col]);
    }
}

__global__ void queensCheck(unsigned char *valid, int n, int total) {
    int board = blockIdx.x * blockDim.x + threadIdx.x;
    if (board >= total)
        return;
    int queen[MAX_QUEENS];
    int code = board;
    for (int r = 0; r < n; r++) {
        queen[r] = code % n;
        code /= n;
    }
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (queen[i] == queen[j] || abs(queen[i] - queen[j]) == j - i) {
                valid[board] = 0;
                return;
            }
        }
    }
    valid[board] = 1;
}

// ---- Host --------------------------------------------------------------------------------------
static int failures;
static std::vector<void *> memories;

static unsigned mix(unsigned i) {
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i ^= i >> 4;
    i *= 0x27d4eb2d;
    return i ^ i >> 15;
}
static float number(int i) { return (int)(mix(i) % 201 - 100) / 8.0f; }
static int whole(int i) { return (int)(mix(i) % 1000) - 500; }

template <typename T, typename F> static T *make(size_t n, F f) {
    std::vector<T> h;
    for (size_t i = 0; i < n; i++)
        h.push_back((T)f((int)i));
    T *d;
    CUDA_CHECK(cudaMalloc((void **)&d, n * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    memories.push_back(d);
    return d;
}

template <typename T> static T *zeros(size_t n) {
    T *d;
    CUDA_CHECK(cudaMalloc((void **)&d, n * sizeof(T)));
    CUDA_CHECK(cudaMemset(d, 0, n * sizeof(T)));
    memories.push_back(d);
    return d;
}

// The sum of the n results, each times a weight of 1 to 31.
template <typename T> static void expect(const char *what, const T *d, size_t n, double want) {
    std::vector<T> h(n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    double got = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        got += (double)h[i] * (double)(i * 11 % 31 + 1);
        size += fabs((double)h[i]) * (double)(i * 11 % 31 + 1);
    }
    if (fabs(got - want) <= 1e-6 * size)
        return;
    fprintf(stderr, "%s: %.10g, not %.10g\n", what, got, want);
    failures++;
}

int main() {
    begin();
    double *da = make<double>(2000, number), *d_out = zeros<double>(2000);
    double *db = make<double>(2000, [](int i) { return number(i + 7000); });
    float *fa = make<float>(4000, number), *f_out = zeros<float>(4000);
    float *fb = make<float>(4000, [](int i) { return number(i + 5000); });
    int *ints = make<int>(4000, whole), *i_out = zeros<int>(4000), *i_out2 = zeros<int>(4000);
    unsigned char *image = make<unsigned char>(4000, [](int i) { return mix(i) % 256; });
    unsigned char *gray = zeros<unsigned char>(4000);
    auto letters = [](int i) { return (char)("abcXYZ hello, World"[mix(i / 2) % 19]); };
    char *text = make<char>(2000, letters), *c_out = zeros<char>(2000);
    dim3 b16(16, 16), b32(32, 8), b8(8, 8);

    float *y = make<float>(3001, [](int i) { return i * 0.25f; });
    divergence_demo<<<3, 128>>>(f_out, fa, fb, 333);
    expect("divergence_demo", f_out, 333, 145337.890625);
    leakyRelu<<<8, 128>>>(fa, f_out, 1000, 0.125f);
    expect("leakyRelu", f_out, 1000, 43194.90625);
    unsigned char *poster = make<unsigned char>(70 * 50, [](int i) { return mix(i + 99) % 256; });
    posterize<<<dim3(5, 4), b16>>>(poster, 70, 50, 85, 170);
    expect("posterize", poster, 70 * 50, 7169768);
    sobel<<<dim3(5, 4), b16>>>(image, gray, 70, 50);
    expect("sobel", gray, 70 * 50, 12055485);
    boxBlur<<<dim3(2, 5), b32>>>(image, gray, 60, 37, 1);
    expect("boxBlur", gray, 60 * 37, 4526356);
    medianFilter<<<dim3(4, 4), b16>>>(i_out, ints, 62, 50);
    expect("medianFilter", i_out, 62 * 50, -378379);
    unsigned char *rgba = zeros<unsigned char>(40 * 40 * 4);
    juliaKernel<<<dim3(40, 2), 32>>>(rgba, 40);
    expect("juliaKernel", rgba, 40 * 40 * 4, 7984050);

    Matrix A = {30, 25, fa}, B = {45, 30, fb}, C = {45, 25, f_out};
    MatMulKernel<<<dim3(3, 2), b16>>>(A, B, C);
    expect("MatMulKernel", f_out, 25 * 45, 260031.140625);
    matrixMultiplyShared<16><<<dim3(3, 3), b16>>>(fa, fb, f_out, 40, 50, 36);
    expect("matrixMultiplyShared<16>", f_out, 40 * 36, -412136.75);
    matrixMultiplyShared<8><<<dim3(4, 3), b8>>>(fb, fa, f_out, 21, 30, 29);
    expect("matrixMultiplyShared<8>", f_out, 21 * 29, 44620.015625);
    double *square = make<double>(37 * 37, number);
    transposeInPlace<<<dim3(3, 3), b16>>>(square, 37);
    expect("transposeInPlace", square, 37 * 37, 796.25);
    matVec<<<1, 128, 33 * sizeof(float)>>>(fa, fb, f_out, 100, 33);
    expect("matVec", f_out, 100, -1614.421875);
    double *lu = make<double>(400, [](int i) { return i % 21 == 0 ? 300 : number(i); });
    for (int k = 0; k < 19; k++) {
        luScale<<<1, 32>>>(lu, 20, k);
        luUpdate<<<dim3(3, 3), b8>>>(lu, 20, k);
    }
    expect("luUpdate", lu, 400, 95538.4025519);
    double *rhs = make<double>(40, number);
    double *lower = make<double>(1600, [](int i) { return i % 41 == 0 ? 64 : number(i); });
    forwardSubstitution<<<1, 32>>>(lower, rhs, d_out, 40);
    expect("forwardSubstitution", d_out, 40, -7.93533526067);
    covariance<<<1, dim3(10, 10)>>>(f_out, fa, fb, 60, 10);
    expect("covariance", f_out, 100, 42174.1726348);

    dotModulo<<<8, BLOCK_SIZE>>>(da, db, d_out, 1000);
    expect("dotModulo", d_out, 8, -41140.265625);
    maxWithIndex<<<4, 256>>>(ints, i_out, i_out2, 900);
    expect("maxWithIndex", i_out, 4, 19204);
    expect("maxWithIndex (index)", i_out2, 4, 22839);
    Sums *sums = (Sums *)zeros<float>(4);
    regressionSums<<<1, 128>>>((const float2 *)fa, sums, 450);
    expect("regressionSums", (float *)sums, 4, 552846.5);
    rankSort<<<2, 64>>>(ints, i_out, 100);
    expect("rankSort", i_out, 100, -50724);
    unsigned *keys = make<unsigned>(200, [](int i) { return mix(i) % 16; });
    radixSplit<<<1, 256>>>(keys, 200, 4);
    expect("radixSplit", keys, 200, 24414);
    runHeads<<<4, 256>>>(text, i_out, 1000);
    expect("runHeads", i_out, 1000, 7202);

    const float mask[MASK_WIDTH] = {0.25f, 0.5f, 1, 2, 1, 0.5f, 0.25f};
    CUDA_CHECK(cudaMemcpyToSymbol(d_mask, mask, sizeof mask));
    convolution1D<<<4, 256>>>(fa, f_out, 1000);
    expect("convolution1D", f_out, 1000, -1829.5625);
    movingAverage<<<4, 128, (128 + 9) * sizeof(float)>>>(fa, f_out, 500, 10);
    expect("movingAverage", f_out + 9, 491, -1006.68747465);
    double *u = make<double>(40 * 40, number);
    for (int color = 0; color < 2; color++)
        redBlack<<<dim3(3, 3), b16>>>(u, db, 40, 0.0625, color);
    expect("redBlack", u, 40 * 40, -4742.3671875);
    int *cells = make<int>(50 * 40, [](int i) { return mix(i) % 3 == 0; });
    conwayShared<<<dim3(4, 3), b16>>>(cells, i_out, 50, 40);
    expect("conwayShared", i_out, 50 * 40, 10956);
    unsigned *seeds = make<unsigned>(192, mix);
    monteCarloPi<<<2, 96>>>(seeds, i_out, 50);
    expect("monteCarloPi", i_out, 2, 48707);

    Quadratic *q = make<Quadratic>(200, [](int i) {
        return Quadratic{1, i % 5 == 0 ? 4 : number(i), i % 5 == 0 ? 4 : number(i + 500), 0, 0, 0};
    });
    solveAoS<<<2, 128>>>(q, 200);
    expect("solveAoS", (float *)q, 200 * 6, 5705.00511944);
    float *ones = make<float>(300, [](int) { return 1.0f; });
    solveSoA<<<2, 160>>>({ones, fa, fb, f_out, f_out + 300, i_out}, 300);
    expect("solveSoA", i_out, 300, 7784);
    double *positive = make<double>(300, [](int i) { return 1.0 + mix(i) % 100; });
    newtonSqrt<<<3, 128>>>(positive, d_out, i_out, 300);
    expect("newtonSqrt", d_out, 300, 31173.6816398);
    float *xs = make<float>(50, [](int i) { return i * 0.5f - 12.0f; });
    interpolate<<<3, 128>>>(xs, fb, 50, fa, f_out, 350);
    expect("interpolate", f_out, 350, -2075.71875);

    caesar<<<4, 256>>>(text, c_out, 999, 13);
    expect("caesar", c_out, 999, 1498094);
    toUpper4<<<2, 128>>>((uchar4 *)text, 250);
    expect("toUpper4", text, 1000, 1126180);
    unsigned *hashes = zeros<unsigned>(100);
    fnvRows<<<2, 64>>>(image, 36, hashes, 100);
    expect("fnvRows", hashes, 100, 3.29048985375e+12);
    perceptron<<<2, 64>>>(fa, fb, fb + 3000, f_out, 30, 100, LINEAR);
    expect("perceptron (linear)", f_out, 100, -17881.21875);
    perceptron<<<1, 50>>>(fa, fb, fb + 3000, f_out, 20, 50, SIGMOID);
    expect("perceptron (sigmoid)", f_out, 50, 433.592332898);
    bool *kept = zeros<bool>(800);
    dropout<<<4, 256>>>(y, kept, 42, 0.25f, 800);
    expect("dropout", y, 800, 1270018.36804);
    short *labels = make<short>(120, [](int i) { return mix(i) % 10; });
    oneHot<<<2, 64>>>(labels, f_out, 120, 10);
    expect("oneHot", f_out, 1200, 1853);

    int *dist = make<int>(45 * 45, [](int i) { return i % 46 == 0 ? 0 : mix(i) % 100 + 1; });
    for (int k = 0; k < 45; k++)
        floydWarshall<<<dim3(2, 45), 32>>>(dist, 45, k);
    expect("floydWarshall", dist, 45 * 45, 411528);
    editDistance<<<1, 64>>>(text, 50, text + 1000, 60, i_out);
    expect("editDistance", i_out, 51 * 61, 1788588);
    Entry *entries = make<Entry>(700, [](int i) {
        return Entry{(int)(mix(i) % 90), (int)(mix(i + 800) % 100), whole(i)};
    });
    int *product = zeros<int>(90);
    spmvCoo<<<6, 128>>>(entries, 700, ints, product);
    expect("spmvCoo", product, 90, -15983429);
    unsigned char *valid = zeros<unsigned char>(3125);
    queensCheck<<<25, 128>>>(valid, 5, 3125);
    expect("queensCheck", valid, 3125, 152);
    for (void *p : memories)
        CUDA_CHECK(cudaFree(p));
    return failures ? 1 : end();
}
