// Numbers: products, sums, tables.
// 32 x 32 elements, each a row times a column; a block of 16 x 16 has two rows in a warp.
// EXPECT matmul: 32*32*2 32*32*(2+2) 32 128
// EXPECT embedding_lookup: 24*3 24*(1+20) 24*2 24*20
// EXPECT reverse_in_place: 4 16 4 16
// EXPECT block_sum: 16 64 2 2
// SPDX-License-Identifier: MIT
#include "samples.h"

enum { IN_BLOCK = 256 };

// ---- Matrices and tables -----------------------------------------------------------------------
__global__ void matmul(float *c, const float *a, const float *b, unsigned side) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (unsigned k = 0; k < side; k++)
        sum += a[y * side + k] * b[k * side + x];
    c[y * side + x] = sum;
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

// ---- Sums, sorts -------------------------------------------------------------------------------
__global__ void block_sum(unsigned *out, const unsigned *in) {
    __shared__ unsigned words[IN_BLOCK];
    unsigned t = threadIdx.x;
    words[t] = in[blockIdx.x * IN_BLOCK + t];
    __syncthreads();
    for (unsigned half = IN_BLOCK / 2; half > 0; half /= 2) {
        if (t < half)
            words[t] += words[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = words[0];
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

__global__ void radix_split(unsigned *data, int n, int bits) {
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

// ---- In place ----------------------------------------------------------------------------------
__global__ void reverse_in_place(int *data, int n) {
    int i = (int)thread_number();
    if (i < n / 2) {
        int t = data[i];
        data[i] = data[n - 1 - i];
        data[n - 1 - i] = t;
    }
}

int main() {
    begin();
    dim3 square(16, 16);
    float *in = make<float>(8192, number), *out = zeros<float>(8192);
    int *ints = make<int>(4000, whole), *i_out = zeros<int>(1024), *counts = zeros<int>(8);

    matmul<<<dim3(2, 2), square>>>(out, in, in + 1024, 32);
    expect("matmul", out, 32 * 32, -12628.25);
    int *tokens = make<int>(24, [](int i) { return hash_key(i) % 40; });
    embedding_lookup<<<24, 32>>>((float4 *)out, tokens, (const float4 *)in, 40);
    expect("embedding_lookup", out, 24 * 160, -4300);
    kmeans_assign<<<4, 128, 7 * 5 * sizeof(float)>>>(i_out, in, in + 3000, 500, 7, 5);
    expect("kmeans_assign", i_out, 500, 90402);

    block_sum<<<2, IN_BLOCK>>>((unsigned *)i_out, (unsigned *)ints);
    expect("block_sum", i_out, 2, -4347);
    i_out = zeros<int>(1024);
    compact_positive<<<8, 128>>>(i_out, counts, ints, 1000);
    expect("compact_positive", i_out, 1024, 1294256);
    unsigned *keys = make<unsigned>(200, [](int i) { return hash_key(i) % 16; });
    radix_split<<<1, 256>>>(keys, 200, 4);
    expect("radix_split", keys, 200, 75431);

    reverse_in_place<<<2, 64>>>(ints, 128);
    expect("reverse_in_place", ints, 128, -786);
    return end();
}
