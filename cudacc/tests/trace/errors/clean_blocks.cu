// Threads of a block, and warps, that are right
// SPDX-License-Identifier: MIT
#include "program.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// ---- clean_bitonic: A bitonic merge, the last steps of a bitonic sort, in shared and in global
// memory: each step has fewer neighboring lanes at work, and a barrier stands between any two.
__device__ void steps(int *a, int t) {
    for (int j = 64; j; j /= 2) {
        if ((t ^ j) > t && a[t] > a[t ^ j]) {
            int x = a[t];
            a[t] = a[t ^ j];
            a[t ^ j] = x;
        }
        __syncthreads();
    }
}
__global__ void merge(int *a, int *b) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    steps(s, t);
    a[t] = s[t];
    steps(b, t);
}
PROGRAM(clean_bitonic) {
    static int h_a[128], h_b[128];
    int wrong = 0;
    for (int i = 0; i < 128; i++)
        h_a[i] = h_b[i] = i < 64 ? 3 * i : 2 * (127 - i); // up, then down
    COPY_OF(int, d_a, h_a);
    COPY_OF(int, d_b, h_b);
    merge<<<1, 128>>>(d_a, d_b);
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyDeviceToHost);
    cudaMemcpy(h_b, d_b, sizeof h_b, cudaMemcpyDeviceToHost);
    for (int i = 1; i < 128; i++)
        wrong |= h_a[i - 1] > h_a[i] || h_b[i - 1] > h_b[i];
    exit_code = wrong;
}

// ---- clean_butterfly: The lanes of a warp exchange elements of 8 and of 16 bytes in shared
// memory, with __syncwarp() after each step.
template <class T> __global__ void reverse(T *a) {
    __shared__ T s[32];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncwarp();
    for (int j = 16; j; j /= 2) {
        if ((t ^ j) > t) {
            T x = s[t];
            s[t] = s[t ^ j];
            s[t ^ j] = x;
        }
        __syncwarp();
    }
    a[t] = s[t];
}
PROGRAM(clean_butterfly) {
    static double h_a[32];
    static int4 h_b[32];
    int wrong = 0;
    for (int i = 0; i < 32; i++)
        h_a[i] = h_b[i].w = i;
    COPY_OF(double, d_a, h_a);
    COPY_OF(int4, d_b, h_b);
    reverse<<<1, 32>>>(d_a);
    reverse<<<1, 32>>>(d_b);
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyDeviceToHost);
    cudaMemcpy(h_b, d_b, sizeof h_b, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong |= h_a[i] != 31 - i || h_b[i].w != 31 - i;
    exit_code = wrong;
}

// ---- clean_double_buffer: Two tiles in turn: one barrier per step is enough, since nobody
// writes the tile that is read.
__global__ void sum_reversed(const int *in, int *out, int steps) {
    __shared__ int tile[2][128];
    int i = threadIdx.x, sum = 0;
    tile[0][i] = in[i];
    for (int k = 0; k < steps; k++) {
        __syncthreads();
        if (k + 1 < steps)
            tile[(k + 1) % 2][i] = in[128 * (k + 1) + i];
        sum += tile[k % 2][127 - i];
    }
    out[i] = sum;
}
PROGRAM(clean_double_buffer) {
    ZEROES(int, d_in, 8 * 128);
    ARRAY(int, d_out, 128);
    sum_reversed<<<1, 128>>>(d_in, d_out, 8);
}

// ---- clean_loop_condition: One thread changes a variable in a loop that all threads run: a
// compiler that keeps the variable in a register during the loop would load it for all of them.
__device__ int total;
__device__ struct { int most, count; } record;
__global__ void one_thread(int n, int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    for (int k = 0; k < n; k++)
        if (threadIdx.x == 0)
            sum += k * k;
    __syncthreads();
    out[threadIdx.x] = sum;
}
__global__ void first_block(const int *in, int n) {
    int k = 0;
    while (k < n) {
        k++;
        if (blockIdx.x || threadIdx.x)
            continue;
        total += in[k - 1];
        record.count++;
        record.most = max(record.most, in[k - 1]);
    }
}
__device__ void add(int &sum, const int *in, int n, bool mine) {
    __shared__ int rounds[2];
    for (int k = 0; k < n; k++) {
        sum += in[k];
        if (mine)
            rounds[1] = k;
    }
    if (mine)
        sum += rounds[1];
}
__global__ void in_function(const int *in, int n, int *out) {
    int sum = 0;
    add(sum, in, n, threadIdx.x == 40);
    out[threadIdx.x] = sum;
}
PROGRAM(clean_loop_condition) {
    const int n = 64;
    int h[n];
    for (int i = 0; i < n; i++)
        h[i] = i % 5;
    COPY_OF(int, in, h);
    ARRAY(int, out, n);
    one_thread<<<1, n>>>(n, out);
    first_block<<<2, n>>>(in, n);
    in_function<<<1, n>>>(in, n, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    exit_code = h[0] != 126 || h[40] != 126 + 63;
}

// ---- clean_return_early: Threads past the end return at once, and no barrier comes after; the
// last block is not full.
__global__ void twice(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i];
    if (v < 0)
        return;
    out[i] = 2 * v;
}
PROGRAM(clean_return_early) {
    ZEROES(float, d_in, 1000);
    ARRAY(float, d_out, 1000);
    twice<<<5, 224>>>(d_in, d_out, 1000);
}

// ---- clean_shuffles: Reductions by shuffles, also of half warps, of a last warp that is not
// full, and inside of branches; one result per warp goes through shared memory.
__device__ int warp_sum(int s) {
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_down_sync(0xffffffff, s, step);
    return s;
}
__global__ void sum(const int *in, int *out, int n) {
    __shared__ int part[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int s = warp_sum(i < n ? in[i] : 0);
    if (lane == 0)
        part[warp] = s;
    __syncthreads();
    if (warp == 0) {
        s = lane < (int)blockDim.x / 32 ? part[lane] : 0;
        s = warp_sum(s);
        if (lane == 0)
            out[blockIdx.x] = s;
    }
    if (lane < 16) {
        int half = lane;
        for (int step = 8; step > 0; step /= 2)
            half += __shfl_xor_sync(0x0000ffff, half, step);
        if (half != 120)
            out[blockIdx.x] = -1000000;
    }
}
__global__ void votes(int *out) {
    unsigned odd = __ballot_sync(0xffffffff, threadIdx.x & 1);
    out[threadIdx.x] = __popc(odd) + (__any_sync(0xffffffff, threadIdx.x == 5) ? 1 : 0);
}
PROGRAM(clean_shuffles) {
    static int h_in[1000];
    int h_out[4], total = 0;
    for (int i = 0; i < 1000; i++)
        h_in[i] = 1;
    COPY_OF(int, d_in, h_in);
    ARRAY(int, d_out, 64);
    sum<<<4, 256>>>(d_in, d_out, 1000);
    cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++)
        total += h_out[i];
    votes<<<1, 64>>>(d_out);
    exit_code = total != 1000;
}

// ---- clean_shuffles_in_branches: Two branches shuffle with each other, as the CUDA C++
// Programming Guide allows from compute capability 7.0 on; lanes that leave a loop earlier than
// others, or return, and are not needed
__global__ void of_two_branches(int *a, int turns) {
    int v = threadIdx.x, lane = threadIdx.x % 32, other;
    for (int k = 0; k < turns; k++) {
        if ((lane + k) % 2)
            other = __shfl_xor_sync(0xffffffff, v, 16) + 1;
        else
            other = __shfl_xor_sync(0xffffffff, 2 * v, 16);
        v += other;
    }
    if (lane >= 16)
        return;
    a[threadIdx.x] = v;
}
/* A warp leaves the loop when the last of its lanes has nothing left. */
__global__ void while_any(int *a, int n) {
    unsigned mask = 0xffffffff;
    int v = 0;
    for (int i = threadIdx.x % 32; (mask = __ballot_sync(mask, i < n)) >> threadIdx.x % 32 & 1;
         i += 32)
        v += __shfl_sync(mask, i, __ffs(mask) - 1);
    a[threadIdx.x] = v;
}
template <int WIDTH> __device__ int sum_of(int v) {
#pragma unroll
    for (int step = WIDTH / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffff, v, step, WIDTH);
    return v;
}
template <int WIDTH> __global__ void unrolled(int *a) {
    int v = sum_of<WIDTH>(threadIdx.x);
    v += sum_of<WIDTH>(v);
    if (threadIdx.x % WIDTH == 0)
        a[threadIdx.x / WIDTH] = v;
}
/* Each half by itself, in its own branch; those of an odd rank make a group. */
__global__ void halves(int *a, int n) {
    cg::thread_block_tile<16> half = cg::tiled_partition<16>(cg::this_thread_block());
    int v = threadIdx.x;
    if (half.meta_group_rank() % 2) {
        for (int step = 8; step > 0; step /= 2)
            v += half.shfl_down(v, step);
    } else if (half.meta_group_rank() < 2) {
        half.sync();
    }
    if (threadIdx.x % 2) {
        cg::coalesced_group odd = cg::coalesced_threads();
        v += odd.shfl(v, 0);
        odd.sync();
    }
    a[threadIdx.x] = v;
    if ((int)threadIdx.x >= n)
        return;
    v += __shfl_down_sync(0xffffffff >> (32 - n), v, 1);
    a[threadIdx.x] = v;
}
/* Those past the end return, and store something before that. */
__global__ void past_the_end(int *a, int n) {
    int i = threadIdx.x;
    if (i >= n) {
        a[i] = -1;
        return;
    }
    int v = i;
    for (int step = 1; step < n; step *= 2) {
        int other = __shfl_up_sync(0xffffffff, v, step);
        v += i >= step ? other : 0;
    }
    a[i] = v;
}
PROGRAM(clean_shuffles_in_branches) {
    int h_a[64];
    ZEROES(int, d_a, 64);
    of_two_branches<<<1, 64>>>(d_a, 5);
    while_any<<<1, 32>>>(d_a, 50);
    unrolled<32><<<1, 64>>>(d_a);
    unrolled<8><<<1, 64>>>(d_a);
    halves<<<1, 32>>>(d_a, 20);
    past_the_end<<<1, 32>>>(d_a, 20);
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyDeviceToHost);
    exit_code = h_a[19] != 190 || h_a[20] != -1;
}

// ---- clean_transpose: A tiled transpose with padding, a matrix product with tiles, both with
// ragged edges and no early return; pitched memory; float4 stores into the second of two
// __shared__ arrays of floats.
enum { TILE = 16 };
__global__ void transpose(const float *in, size_t pitch, float *out, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = *(const float *)((const char *)in + y * pitch + 4 * x);
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float s = 0;
    for (int t = 0; t < n; t += TILE) {
        ta[threadIdx.y][threadIdx.x] =
            y < n && t + (int)threadIdx.x < n ? a[y * n + t + threadIdx.x] : 0;
        tb[threadIdx.y][threadIdx.x] =
            x < n && t + (int)threadIdx.y < n ? b[(t + threadIdx.y) * n + x] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            s += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = s;
}
__global__ void stage(const float *in, float *out) {
    __shared__ float rows[2][64], tile[8][64], first;
    int i = threadIdx.x;
    rows[i / 64][i % 64] = in[i];
    *(float4 *)&tile[i / 16][i % 16 * 4] = ((const float4 *)in)[i];
    __syncthreads();
    if (i == 0)
        first = rows[1][5];
    __syncthreads();
    out[i] = first + tile[i % 8][i / 2];
}
__global__ void add_first(float *x) {
    __shared__ float first;
    if (threadIdx.x == 0)
        first = x[0];
    __syncthreads();
    x[threadIdx.x] += first;
}
PROGRAM(clean_transpose) {
    static float h_in[50 * 70];
    float *d_in;
    size_t pitch;
    cudaMallocPitch(&d_in, &pitch, 70 * sizeof(float), 50);
    ARRAY(float, d_out, sizeof h_in / sizeof *h_in);
    ARRAY(float, d_c, 50 * 50);
    cudaMemcpy2D(d_in, pitch, h_in, 70 * sizeof(float), 70 * sizeof(float), 50,
                 cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE), grid(5, 4), square(4, 4);
    transpose<<<grid, block>>>(d_in, pitch, d_out, 70, 50);
    multiply<<<square, block>>>(d_out, d_out, d_c, 50);
    stage<<<1, 128>>>(d_out, d_c);
    add_first<<<1, 128>>>(d_c);
    cudaDeviceSynchronize();
    cudaFree(d_in);
}

// ---- clean_warp_tail: Shuffles whose mask names lanes that have left or never were; what comes
// from them is not used
__global__ void left_alone(const int *in, int *out, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    int s = in[i], next = __shfl_down_sync(0xffffffff, s, 1);
    out[i] = i + 1 < n ? next - s : 0;
    for (int step = 16; step > 0; step /= 2) {
        int other = __shfl_down_sync(0xffffffff, s, step);
        if (i + step < n)
            s += other;
    }
    out[i] = s;
}
/* Lanes that never were: the lower half gets nothing from them. */
__global__ void small_block(const int *in, int *out) {
    int s = in[threadIdx.x];
    for (int step = blockDim.x / 2; step > 0; step /= 2)
        s += __shfl_down_sync(0xffffffff, s, step);
    if (threadIdx.x == 0)
        out[blockIdx.x] = s;
}
PROGRAM(clean_warp_tail) {
    int h_in[160];
    for (int i = 0; i < 160; i++)
        h_in[i] = i + 1;
    COPY_OF(int, d_in, h_in);
    ARRAY(int, d_out, 32);
    for (int n = 1; n <= 32; n++)
        left_alone<<<1, 32>>>(d_in, d_out, n);
    small_block<<<20, 8>>>(d_in, d_out);
    cudaMemcpy(h_in, d_out, 32 * sizeof *d_out, cudaMemcpyDeviceToHost);
    exit_code = h_in[0] != 36;
}

// ---- clean_warp_tiles: Each warp has a separate piece of shared memory and orders it by
// __syncwarp(): an exchange, a reduction in steps, and a partial mask by which a quarter of the
// warp exchanges.
__global__ void exchange(int *a) {
    __shared__ int tile[4][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int *mine = tile[warp];
    mine[lane] = a[threadIdx.x];
    __syncwarp();
    int v = mine[31 - lane];
    __syncwarp();
    mine[lane] = v;
    for (int step = 16; step > 0; step /= 2) {
        __syncwarp();
        if (lane < step)
            mine[lane] += mine[lane + step];
    }
    __syncwarp();
    v = mine[0];
    __syncwarp();
    unsigned quarter = 0xffu << lane / 8 * 8;
    mine[lane] = v + lane;
    __syncwarp(quarter);
    a[threadIdx.x] = mine[lane ^ 7];
}
PROGRAM(clean_warp_tiles) {
    ZEROES(int, d_a, 128);
    exchange<<<1, 128>>>(d_a);
}
