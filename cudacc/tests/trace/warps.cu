// Warp functions: shuffles, votes and reductions between loads and stores.
//
// 2 blocks of 64 threads, 4 warps. Shuffles and votes move no memory.
// EXPECT sum_of_many: 4*5 16*5 4 4
//
// Blocks of 40: a warp of 32 and one of 8.
// EXPECT partial_sum: 4 10 4 4
// EXPECT half_sums: 8 16 8 16
// SPDX-License-Identifier: MIT
#include "check.h"

#define EVERYBODY 0xFFFFFFFFu

__device__ static float sum_of_warp(float x) {
    for (unsigned step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(EVERYBODY, x, step);
    return x;
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

int main(void) {
    begin();
    float *in = input<float>(8 * N), *out = output<float>(N), *between = output<float>(N);
    unsigned *out_int = output<unsigned>(N);

    RUN(search, out_int, in, 8 * N);
    RUN(compact, out, out_int, in);
    RUN(sum_of_many, out, in, 5);
    RUN(half_sums, out, in);
    RUN_AS(partial_sum, BLOCKS, 40, 0, out, in, 40);
    RUN(hand_over, out, between, in);
    check_digest(0xb1637d44u);
    return end();
}
