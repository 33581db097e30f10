// Neighbors in shared memory: which does nvcc read and write in one access of 8 or 16 bytes? Those
// whose place in such a window it knows: in arrays, tiles with and without padding, structs,
// variables side by side, one by one and in loops.
//
// 2 blocks of 64 threads, 4 warps, or of 16 x 16, 16 warps. What nvcc's machine code holds, LDS and
// STS of any width, is the number of requests; a request for one address by all lanes takes 1
// wavefront with up to 8 bytes, 2 with 16.
// EXPECT_SHARED first_three, not_in_one, odd_lanes: 8 4
// EXPECT_SHARED after_store: 12 8
// EXPECT_SHARED in_pairs: 4 4
// EXPECT_SHARED one_writes: 4 10
// EXPECT_SHARED mean_and_deviation: 26 6
// EXPECT_SHARED each k=0..5: (8,12,16,20,24,64)[k] (8,12,16,20,24,64)[k]
// EXPECT_SHARED from_first: 24 4
// EXPECT_SHARED both_neighbors: 128 4
// EXPECT_SHARED three_arrays, points: 96 6
// EXPECT_SHARED filter: 56 8
// EXPECT_SHARED tiles k=0..4: (384,512,384,384,768)[k] (32,64,64,64,64)[k]
// EXPECT_SHARED transposed: 384 48
// EXPECT_SHARED four_columns: 1152 144
// EXPECT_SHARED dynamic_begin: 12 8
// EXPECT_SHARED bodies: 32 16
// EXPECT_SHARED members, in_halves: 8 8
// EXPECT_SHARED of_short: 8 12
// EXPECT four_columns: 80 368 16 64
// EXPECT of_short: 24 64 4 8
// SPDX-License-Identifier: MIT
#include "check.h"

enum { LENGTH = 512, SIDE = 16 };

__device__ static inline unsigned index_of_thread(void) {
    return (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// ---- One by one --------------------------------------------------------------------------------
// A kernel with a number of each thread in shared memory.
#define STAGED(name, ...)                                                                          \
    __global__ void name(float *out, const float *in) {                                            \
        __shared__ float s[THREADS];                                                               \
        unsigned t = threadIdx.x, i = index_of_thread();                                           \
        s[t] = in[i];                                                                              \
        __syncthreads();                                                                           \
        out[i] = __VA_ARGS__;                                                                      \
    }
STAGED(first_three, s[0] * s[1] + s[2]);             // one load of 16 bytes
STAGED(not_in_one, s[1] * s[2]);                     // side by side, in two windows of 8
STAGED(odd_lanes, t % 2 == 0 ? s[t] * s[t + 1] : 0); // that t is even nvcc does not know
STAGED(in_pairs, s[t / 2 * 2] * s[t / 2 * 2 + 1]);

__global__ void after_store(float *out, const float *in) { // the store may change what follows
    __shared__ float s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    float a = s[0];
    __syncthreads();
    s[t] = a * in[i];
    __syncthreads();
    out[i] = a + s[1] + s[t];
}

__global__ void one_writes(float *out, const float *in) { // 16 bytes, 8 bytes, and 4
    __shared__ float s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    if (t == 0)
        for (int k = 0; k < 7; k++)
            s[k] = in[2 * k];
    __syncthreads();
    out[i] = s[t];
}

__global__ void mean_and_deviation(float *out, const float *in) { // s begins at byte 8
    __shared__ float mean, deviation, s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    if (t == 0) {
        float sum = 0, squares = 0;
        for (int k = 0; k < 32; k++) {
            sum += s[k];
            squares += s[k] * s[k];
        }
        mean = sum / 32;
        deviation = squares / 32 - mean * mean;
    }
    __syncthreads();
    out[i] = (s[t] - mean) * deviation;
}

// ---- In the rounds of a loop -------------------------------------------------------------------
template <int EACH> __global__ void each(float *out, const float *in) {
    __shared__ float s[THREADS * EACH];
    unsigned t = threadIdx.x, i = index_of_thread();
    for (int k = 0; k < EACH; k++)
        s[t * EACH + k] = in[(i + k) % LENGTH];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < EACH; k++)
        sum = sum * 3 + s[t * EACH + k];
    out[i] = sum;
}

__global__ void from_first(float *out, const float *in) { // 1 to 3, 4 to 7, 8 to 10
    __shared__ float s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    float sum = 0;
    for (int k = 1; k < 11; k++)
        sum = sum * 3 + s[k];
    out[i] = sum;
}

__global__ void both_neighbors(float *out, const float *in) { // each is loaded once
    __shared__ float s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < THREADS - 1; k++)
        sum += s[k] * s[k + 1];
    out[i] = sum;
}

__global__ void three_arrays(float *out, const float *in) {
    __shared__ float x[SIDE], y[SIDE], z[SIDE];
    unsigned t = threadIdx.x, i = index_of_thread();
    if (t < SIDE)
        x[t] = in[i], y[t] = in[i + 1], z[t] = in[i + 2];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += x[k] * y[k] - z[k];
    out[i] = sum;
}

__global__ void filter(float *out, const float *in) { // the lanes' own values are not joined
    __shared__ float s[THREADS + 8], weight[9];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t] = in[i];
    if (t < 8)
        s[THREADS + t] = in[i + 7];
    if (t < 9)
        weight[t] = in[t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 9; k++)
        sum += s[t + k] * weight[k];
    out[i] = sum;
}

template <typename T, int ROW> __global__ void tiles(T *out, const T *in) {
    __shared__ T a[SIDE][ROW], b[SIDE][ROW];
    unsigned x = threadIdx.x, y = threadIdx.y, i = index_of_thread();
    a[y][x] = in[i];
    b[y][x] = in[LENGTH - 1 - i];
    __syncthreads();
    T sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += a[y][k] * b[k][x];
    out[i] = sum;
}

__global__ void transposed(float *out, const float *in) { // rows of both
    __shared__ float a[SIDE][SIDE], b[SIDE][SIDE + 4];
    unsigned x = threadIdx.x, y = threadIdx.y, i = index_of_thread();
    a[y][x] = in[i];
    b[y][x] = in[LENGTH - 1 - i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += a[y][k] * b[x][k];
    out[i] = sum;
}

__global__ void four_columns(float *out, const float *in) { // of a, each is loaded once
    __shared__ float a[SIDE][SIDE], b[SIDE][4 * SIDE];
    unsigned x = threadIdx.x, y = threadIdx.y, i = index_of_thread();
    a[y][x] = in[i];
    for (int c = 0; c < 4; c++)
        b[y][x + c * SIDE] = in[i + c];
    __syncthreads();
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < SIDE; k++)
        for (int c = 0; c < 4; c++)
            sum[c] += a[y][k] * b[k][x + c * SIDE];
    out[i] = sum[0] + 2 * sum[1] + 3 * sum[2] + 4 * sum[3];
}

__global__ void dynamic_begin(float *out, const float *in, int n) { // but not after n
    extern __shared__ float memory[];
    float *weight = memory + n;
    unsigned t = threadIdx.x, i = index_of_thread();
    memory[t] = in[i];
    weight[t] = in[LENGTH - 1 - i];
    __syncthreads();
    out[i] = memory[0] * weight[0] + memory[1] * weight[1];
}

// ---- Structs -----------------------------------------------------------------------------------
struct point {
    float x, y, z;
};
struct body {
    float x, y, z, mass;
};
struct mixed {
    float value;
    short row, column;
};

__global__ void points(float *out, const float *in) { // 12 bytes: three of them are in four windows
    __shared__ struct point s[SIDE];
    unsigned t = threadIdx.x, i = index_of_thread();
    if (t < SIDE)
        s[t].x = in[i], s[t].y = in[i + 1], s[t].z = in[i + 2];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += s[k].x * s[k].y - s[k].z;
    out[i] = sum;
}

__global__ void bodies(float *out, const float *in) {
    __shared__ struct body s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    struct body b = {in[i], in[i + 1], in[i + 2], in[i + 3]};
    s[t] = b;
    __syncthreads();
    b = s[THREADS - 1 - t];
    out[i] = b.x * b.y - b.z * b.mass + s[t].x * s[t].y;
}

__global__ void members(float *out, const float *in) {
    __shared__ struct mixed s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t].value = in[i];
    s[t].row = (short)t;
    s[t].column = (short)i;
    __syncthreads();
    const struct mixed *m = &s[THREADS - 1 - t];
    out[i] = m->value * m->row + m->column;
}

__global__ void in_halves(float2 *out, const float *in) {
    __shared__ float2 s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t].y = in[i];
    s[t].x = in[i + 1];
    __syncthreads();
    out[i] = s[THREADS - 1 - t];
}

__global__ void of_short(short *out, const short *in) { // what is stored: 4 bytes, and 8
    __shared__ short s[2 * THREADS], r[4 * THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    for (int k = 0; k < 2; k++)
        s[2 * t + k] = in[i + k];
    for (int k = 0; k < 4; k++)
        r[4 * t + k] = in[i + 2 * k];
    __syncthreads();
    out[i] = s[t] + r[t];
}

// Each with room for two arrays of a number for each thread.
#define RUN_EACH(kernel, block, ...)                                                               \
    RUN_AS(kernel, BLOCKS, block, 2 * THREADS * sizeof(float), __VA_ARGS__)

int main() {
    begin();
    float *in = input<float>(2 * LENGTH), *out = output<float>(2 * LENGTH);
    double *in_double = input<double>(LENGTH), *out_double = output<double>(LENGTH);
    short *in_short = input<short>(LENGTH);
    dim3 square(SIDE, SIDE);
    for (auto kernel : {first_three, not_in_one, after_store, odd_lanes, in_pairs, one_writes,
                        mean_and_deviation, each<2>, each<3>, each<4>, each<5>, each<6>, each<8>,
                        from_first, both_neighbors, three_arrays, filter})
        RUN_EACH(kernel, THREADS, out, in);
    for (auto kernel : {tiles<float, SIDE>, tiles<float, SIDE + 1>, tiles<float, SIDE + 2>,
                        tiles<float, SIDE + 4>})
        RUN_EACH(kernel, square, out, in);
    RUN_EACH((tiles<double, SIDE>), square, out_double, in_double);
    RUN_EACH(transposed, square, out, in);
    RUN_EACH(four_columns, square, out, in);
    RUN_EACH(dynamic_begin, THREADS, out, in, THREADS);
    RUN_EACH(points, THREADS, out, in);
    RUN_EACH(bodies, THREADS, out, in);
    RUN_EACH(members, THREADS, out, in);
    RUN_EACH(in_halves, THREADS, (float2 *)out, in);
    RUN_EACH(of_short, THREADS, (short *)out, in_short);
    check_digest(0x7f0a3263u);
    return end();
}
