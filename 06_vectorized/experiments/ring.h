// SPDX-License-Identifier: MIT
// Blocks that stay to the end of a kernel, fetch tiles with bulk copies, add them and write the
// sums: in which order, and how much at a time, is for the launch to say.
#ifndef RING_H
#define RING_H

#include "bulk_copy.h"

// STRIDED: every gridDim.x-th tile. CHUNKS: each block has a separate part of the arrays.
// IN_ORDER: the next tile that no block has.
enum order { STRIDED, CHUNKS, IN_ORDER };
struct traffic {
    const char *name;
    enum order order;
    unsigned block, tile; // threads; float4 of each array
    unsigned places;      // tiles in hand and on their way. 1: all is read, then all is written
    unsigned resident;    // blocks on a multiprocessor
    unsigned window;      // all blocks read at one time, and write at another: in so many per cent
    double window_ns;     // ...of the time that this takes at the memory's peak; 0: when they can
};

__device__ unsigned long long tickets, blocks_done;

#if HAS_BULK_COPIES
static __device__ size_t next_tile(struct traffic how, size_t n, unsigned step) {
    size_t tiles = (n / 4 + how.tile - 1) / how.tile, each = (tiles + gridDim.x - 1) / gridDim.x;
    if (how.order == IN_ORDER)
        return (size_t)atomicAdd(&tickets, 1ULL);
    if (how.order == CHUNKS)
        return step < each ? blockIdx.x * each + step : tiles;
    return (size_t)step * gridDim.x + blockIdx.x;
}

// Reading has the first two thirds of each window, writing the last.
static __device__ void await_window(struct traffic how, int to_write) {
    unsigned long long now, window = (unsigned long long)how.window_ns;
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (window && (3 * (now % window) >= 2 * window) != to_write);
}
#endif

// Two copies are always on their way where there are two places; where there is one, a block reads
// a tile, and then writes it.
static __global__ void add_ring(float *out, const float *a, const float *b, size_t n,
                                struct traffic how) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#if HAS_BULK_COPIES
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ uint64_t barriers[2];
    __shared__ size_t first[2]; // float4 of a tile
    unsigned t = threadIdx.x;
    for (unsigned place = 0; t == 0 && place < how.places; place++)
        barrier_init(&barriers[place]);
    for (unsigned step = 0;; step++) {
        unsigned place = step % how.places;
        float4 *here = tiles + 2 * place * how.tile;
        if (step >= how.places) { // there is a tile, or none is left
            if (first[place] >= n / 4)
                break;
            await(&barriers[place], (step / how.places + 1) % 2);
            await_window(how, 1);
            for (size_t k = t; k < how.tile && first[place] + k < n / 4; k += blockDim.x)
                ((float4 *)out)[first[place] + k] = sum4(here[k], here[how.tile + k]);
        }
        __syncthreads(); // all have read: the place is free
        if (t == 0) {
            first[place] = how.tile * next_tile(how, n, step);
            await_window(how, 0);
            if (first[place] < n / 4)
                fetch(here, how.tile, a, b, first[place], n, &barriers[place]);
        }
        __syncthreads(); // all know the place's tile
    }
    if (t == 0 && atomicAdd(&blocks_done, 1ULL) == gridDim.x - 1) // for the next launch
        tickets = blocks_done = 0;
#else
    (void)how;
    for (size_t k = i; k < n / 4; k += (size_t)gridDim.x * blockDim.x)
        ((float4 *)out)[k] = sum4(((const float4 *)a)[k], ((const float4 *)b)[k]);
#endif
    add_rest(out, a, b, n, i);
}

#endif
