// Shared memory: its accesses are no requests to global memory, and take one wavefront if no two of
// their words lie in one bank (32 banks of 4 bytes; one word for many lanes is one), else as many
// as the fullest bank has words.
//
// 2 blocks of 64 threads, 4 warps; every kernel stores and loads back, in its own order, behind a
// barrier. First global memory, each element copied once:
// EXPECT banks k=0..8: 4 16 4 16
// EXPECT broadcast: 4 16 4 16
// EXPECT rounds: 20 80 4 16
//
// The k-th launch of banks: stride 1, 2, 3, 4, 8, 16, 31, 32, 33 words.
// EXPECT_SHARED banks k=0..8: 4*(1,2,1,4,8,16,1,32,1)[k] 4*(1,2,1,4,8,16,1,32,1)[k]
// EXPECT_SHARED broadcast: 4 4
// EXPECT_SHARED rounds: 20 20
// Tiles of 32 x 32 in blocks of 32 x 8: 32 loads by column. Padded, no bank is met twice.
// EXPECT transpose k=0..1: 4*32 4*128 4*32 4*128
// EXPECT_SHARED transpose k=0..1: 4*32*(32,1)[k] 4*32
// SPDX-License-Identifier: MIT
#include "check.h"

// Thread t uses word t * step; each warp has its own 33 * 32.
__global__ void banks(float *out, const float *in, unsigned step) {
    __shared__ float words[THREADS / 32 * 33 * 32];
    unsigned i = thread_number(), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    words[warp * 33 * 32 + lane * step] = in[i];
    __syncthreads();
    out[i] = words[(1 - warp) * 33 * 32 + lane * step];
}

__global__ void broadcast(float *out, const float *in) {
    __shared__ float words[THREADS];
    unsigned i = thread_number();
    words[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = words[threadIdx.x / 32 * 32 + 7];
}

// Barriers in a loop.
__global__ void rounds(float *out, const float *in, unsigned count) {
    __shared__ float words[THREADS];
    unsigned i = thread_number();
    float sum = 0;
    for (unsigned k = 0; k < count; k++) {
        words[threadIdx.x] = in[i + k * 32];
        __syncthreads();
        sum += words[(threadIdx.x + 1) % THREADS];
        __syncthreads();
    }
    out[i] = sum;
}

// Half of the threads wait at the barrier while the others still load.
__global__ void uneven(float *out, const float *in) {
    __shared__ float words[THREADS];
    unsigned i = thread_number(), t = threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < t % 5; k++)
        sum += in[i + 32 * k];
    words[t] = sum;
    __syncthreads();
    if (t < 20)
        out[i] = words[t] + words[t + 40] + in[i];
}

template <int STEP> __global__ void transpose(float *out, const float *in, unsigned width) {
    __shared__ float tile[32][STEP];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8)
        out[(y + k) * width + x] = tile[threadIdx.x][threadIdx.y + k];
}

int main(void) {
    begin();
    float *in = input<float>(64 * 64), *out = output<float>(64 * 64);
    const unsigned steps[] = {1, 2, 3, 4, 8, 16, 31, 32, 33};

    for (int k = 0; k < 9; k++)
        RUN(banks, out, in, steps[k]);
    RUN(broadcast, out, in);
    RUN(rounds, out, in, 5);
    RUN(uneven, out, in);
    RUN_AS(transpose<32>, dim3(2, 2), dim3(32, 8), 0, out, in, 64);
    RUN_AS(transpose<33>, dim3(2, 2), dim3(32, 8), 0, out, in, 64);
    check_digest(0x6162f1efu);
    return end();
}
