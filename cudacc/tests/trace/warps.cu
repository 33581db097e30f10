// Warp functions: shuffles, votes and reductions between loads and stores.
//
//     nvcc -O3 -lineinfo warps.cu -o warps && ./warps
//
// 2 blocks of 64 threads, 4 warps. Shuffles and votes move no memory.
// EXPECT warp_sum: 4 16 4 4
// EXPECT all_sum: 4 16 4 16
// EXPECT neighbour: 4 16 4 16
// EXPECT count_large: 4 16 4 4
// EXPECT sum_of_many: 4*5 16*5 4 4
// EXPECT reversed: 4 16 4 16
//
// Blocks of 40: a warp of 32 and one of 8.
// EXPECT partial_sum: 4 10 4 4
// EXPECT half_sums: 8 16 8 16
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };
#define EVERYBODY 0xFFFFFFFFu

__device__ static unsigned thread_number(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ static float sum_of_warp(float x) {
    for (unsigned step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(EVERYBODY, x, step);
    return x;
}

__global__ void warp_sum(float *out, const float *in) {
    unsigned i = thread_number();
    float sum = sum_of_warp(in[i]);
    if (i % 32 == 0)
        out[i / 32] = sum;
}

__global__ void all_sum(float *out, const float *in) {
    unsigned i = thread_number();
    float x = in[i];
    for (unsigned bit = 16; bit > 0; bit /= 2)
        x += __shfl_xor_sync(EVERYBODY, x, bit);
    out[i] = x;
}

__global__ void neighbour(float *out, const float *in) {
    unsigned i = thread_number();
    float x = in[i], left = __shfl_up_sync(EVERYBODY, x, 1);
    out[i] = i % 32 ? x - left : x;
}

__global__ void reversed(float *out, const float *in) {
    unsigned i = thread_number();
    out[i] = __shfl_sync(EVERYBODY, in[i], 31 - i % 32);
}

__global__ void count_large(unsigned *out, const float *in) {
    unsigned i = thread_number(), votes = __ballot_sync(EVERYBODY, in[i] > 30);
    if (i % 32 == 0)
        out[i / 32] = __popc(votes);
}

// Loads between votes, in a loop that the whole warp leaves at once.
__global__ void search(unsigned *out, const float *in, unsigned n) {
    unsigned i = thread_number(), k = i;
    while (k < n && !__any_sync(EVERYBODY, in[k] > 59))
        k += 32;
    out[i] = k;
}

// The lanes that have something write it without gaps.
__global__ void compact(float *out, unsigned *count, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    float x = in[i];
    unsigned votes = __ballot_sync(EVERYBODY, x > 30);
    if (x > 30)
        out[i - lane + __popc(votes & ((1u << lane) - 1))] = x;
    if (lane == 0)
        count[i / 32] = __popc(votes);
}

__global__ void sum_of_many(float *out, const float *in, unsigned rounds) {
    unsigned i = thread_number();
    float total = 0;
    for (unsigned k = 0; k < rounds; k++)
        total += sum_of_warp(in[i + 32 * k]);
    if (i % 32 == 0)
        out[i / 32] = total;
}

// Half of a warp at a time, each with a mask of its own.
__global__ void half_sums(float *out, const float *in) {
    unsigned i = thread_number(), lane = i % 32;
    if (lane < 16) {
        float x = in[i];
        for (unsigned bit = 8; bit > 0; bit /= 2)
            x += __shfl_xor_sync(0x0000FFFFu, x, bit);
        out[i] = x;
    } else {
        float x = in[i] * 2;
        for (unsigned bit = 8; bit > 0; bit /= 2)
            x += __shfl_xor_sync(0xFFFF0000u, x, bit);
        out[i] = x;
    }
}

__global__ void partial_sum(float *out, const float *in, unsigned threads) {
    unsigned i = thread_number(), lane = threadIdx.x % 32, rest = threads - threadIdx.x / 32 * 32;
    unsigned mask = rest < 32 ? (1u << rest) - 1 : EVERYBODY;
    float x = in[i];
    for (unsigned step = rest < 32 ? 4 : 16; step > 0; step /= 2)
        x += __shfl_down_sync(mask, x, step);
    if (lane == 0)
        out[2 * blockIdx.x + threadIdx.x / 32] = x;
}

// A lane writes, another reads it behind __syncwarp.
__global__ void hand_over(float *out, float *between, const float *in) {
    unsigned i = thread_number();
    between[i] = in[i] + 1;
    __syncwarp();
    out[i] = between[i ^ 1];
}

__global__ void equal_ones(unsigned *out, const unsigned *in) {
    unsigned i = thread_number();
    out[i] = __match_any_sync(EVERYBODY, in[i] % 4);
}

static float plain_sum(size_t from, size_t count) {
    float sum = 0;
    for (size_t k = from; k < from + count; k++)
        sum += (float)element(k);
    return sum;
}

static unsigned large_ones(size_t from, size_t count) {
    unsigned sum = 0;
    for (size_t k = from; k < from + count; k++)
        sum += element(k) > 30;
    return sum;
}

static unsigned found_by(size_t i) {
    for (;; i += 32)
        for (size_t k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
            if (element(k) > 59)
                return (unsigned)i;
}

static float compacted(size_t i, float otherwise) {
    size_t first = i / 32 * 32, before = 0;
    for (size_t k = first; k < first + 32; k++)
        if (element(k) > 30 && before++ == i - first)
            return (float)element(k);
    return otherwise;
}

static unsigned like(size_t i) {
    unsigned mask = 0;
    for (size_t k = 0; k < 32; k++)
        mask |= (unsigned)(element(i / 32 * 32 + k) % 4 == element(i) % 4) << k;
    return mask;
}

static float sums_of_sums(size_t warp) {
    float sum = 0;
    for (size_t k = 0; k < 5; k++)
        sum += plain_sum(32 * (warp + k), 32);
    return sum;
}

int main(void) {
    begin();
    float *in = input<float>(8 * N), *out = output<float>(N), *between = output<float>(N);
    unsigned *in_int = input<unsigned>(N), *out_int = output<unsigned>(N);

    warp_sum<<<BLOCKS, THREADS>>>(out, in);
    CHECK("warp_sum", out, N, i < 4 ? plain_sum(32 * i, 32) : clear_[i]);
    all_sum<<<BLOCKS, THREADS>>>(out, in);
    CHECK("all_sum", out, N, plain_sum(i / 32 * 32, 32));
    neighbour<<<BLOCKS, THREADS>>>(out, in);
    CHECK("neighbour", out, N, (float)(element(i) - (i % 32 ? element(i - 1) : 0)));
    reversed<<<BLOCKS, THREADS>>>(out, in);
    CHECK("reversed", out, N, (float)element(i / 32 * 32 + 31 - i % 32));
    count_large<<<BLOCKS, THREADS>>>(out_int, in);
    CHECK("count_large", out_int, N, i < 4 ? large_ones(32 * i, 32) : clear_[i]);
    search<<<BLOCKS, THREADS>>>(out_int, in, 8 * N);
    CHECK("search", out_int, N, found_by(i));
    compact<<<BLOCKS, THREADS>>>(out, out_int, in);
    CHECK("compact", out, N, compacted(i, clear_[i]));
    CHECK("compact, counts", out_int, N, i < 4 ? large_ones(32 * i, 32) : clear_[i]);
    sum_of_many<<<BLOCKS, THREADS>>>(out, in, 5);
    CHECK("sum_of_many", out, N, i < 4 ? sums_of_sums(i) : clear_[i]);
    half_sums<<<BLOCKS, THREADS>>>(out, in);
    CHECK("half_sums", out, N, plain_sum(i / 16 * 16, 16) * (float)(1 + i / 16 % 2));
    partial_sum<<<BLOCKS, 40>>>(out, in, 40);
    CHECK("partial_sum", out, N,
          i < 4 ? plain_sum(i / 2 * 40 + i % 2 * 32, i % 2 ? 8 : 32) : clear_[i]);
    hand_over<<<BLOCKS, THREADS>>>(out, between, in);
    CHECK("hand_over", out, N, (float)element(i ^ 1) + 1);
    equal_ones<<<BLOCKS, THREADS>>>(out_int, in_int);
    CHECK("equal_ones", out_int, N, like(i));

    void *all[] = {in, out, between, in_int, out_int};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        CUDA_CHECK(cudaFree(all[k]));
    return end();
}
