// SPDX-License-Identifier: MIT
// Bulk copies between global and shared memory: one thread starts them, and an mbarrier, 8 bytes of
// shared memory, counts what has arrived. This is PTX, for CUDA 12 and compute capability 9.0 and
// later; libcu++ has C++ for it, cuda::device::memcpy_async_tx and cuda::ptx, which CUDA 11 lacks.
// Addresses must be multiples of 16.
#ifndef BULK_COPY_H
#define BULK_COPY_H

#include "elementwise.h"

#define HAS_BULK_COPIES (CUDART_VERSION >= 12000 && __CUDA_ARCH__ >= 900) // in this build

#if HAS_BULK_COPIES
// PTX wants an address within shared memory.
static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void barrier_init(uint64_t *barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                 "fence.proxy.async.shared::cta;" // the copies, too, see it
                 ::"r"(shared_address(barrier))
                 : "memory");
}

// The bytes of a tile from float4 `first` on, or of what there is of it.
static __device__ __forceinline__ unsigned tile_bytes(unsigned tile, size_t first, size_t n) {
    return 16 * (unsigned)(n / 4 - first < tile ? n / 4 - first : tile);
}

// Lets the barrier expect the bytes that will arrive, then starts the two copies. a's tile comes to
// `to`, b's right after it.
static __device__ __forceinline__ void fetch(float4 *to, unsigned tile, const float *a,
                                             const float *b, size_t first, size_t n,
                                             uint64_t *barrier) {
    unsigned bytes = tile_bytes(tile, first, n);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%2], [%3], %6, [%0];\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%4], [%5], %6, [%0];" ::"r"(shared_address(barrier)),
                 "r"(2 * bytes), "r"(shared_address(to)),
                 "l"(__cvta_generic_to_global(a + 4 * first)), "r"(shared_address(to + tile)),
                 "l"(__cvta_generic_to_global(b + 4 * first)), "r"(bytes)
                 : "memory");
}

// Waits until all has arrived. A barrier is used again and again: its phases have parity 0, 1, 0...
static __device__ __forceinline__ void await(uint64_t *barrier, unsigned parity) {
    unsigned arrived = 0;
    while (!arrived)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(arrived)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

// Lets the copies see what this thread has written to shared memory.
static __device__ __forceinline__ void show_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Starts the copy of a tile to `out`, waits until it has been read.
static __device__ __forceinline__ void send(float *out, const float4 *from, unsigned tile,
                                            size_t first, size_t n) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
        "cp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group.read 0;" ::"l"(__cvta_generic_to_global(out + 4 * first)),
        "r"(shared_address(from)), "r"(tile_bytes(tile, first, n))
        : "memory");
}
#endif

// A tile is a float4 for each thread of a block. One thread has a's and b's fetched, all wait, all
// add. In flight is what the blocks of a multiprocessor wait for: their number sets it.
static __global__ void add_bulk(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#if HAS_BULK_COPIES
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ uint64_t barrier;
    unsigned tile = blockDim.x, t = threadIdx.x;
    if (t == 0 && i < n / 4) {
        barrier_init(&barrier);
        fetch(tiles, tile, a, b, i, n, &barrier);
    }
    __syncthreads(); // the barrier is there
    if (i < n / 4) {
        await(&barrier, 0);
        ((float4 *)out)[i] = sum4(tiles[t], tiles[tile + t]);
    }
#else
    if (i < n / 4)
        ((float4 *)out)[i] = sum4(((const float4 *)a)[i], ((const float4 *)b)[i]);
#endif
    add_rest(out, a, b, n, i);
}

// As add_bulk, and the sums, too, leave by a bulk copy: a whole tile is written at once.
static __global__ void add_bulk_both(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#if HAS_BULK_COPIES
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ uint64_t barrier;
    unsigned tile = blockDim.x, t = threadIdx.x;
    if (t == 0 && i < n / 4) {
        barrier_init(&barrier);
        fetch(tiles, tile, a, b, i, n, &barrier);
    }
    __syncthreads();
    if (i < n / 4) {
        await(&barrier, 0);
        tiles[t] = sum4(tiles[t], tiles[tile + t]);
        show_copies();
    }
    __syncthreads();
    if (t == 0 && i < n / 4)
        send(out, tiles, tile, i, n);
#else
    if (i < n / 4)
        ((float4 *)out)[i] = sum4(((const float4 *)a)[i], ((const float4 *)b)[i]);
#endif
    add_rest(out, a, b, n, i);
}

// Not on the CPU device, whatever it says of its version of PTX.
static inline int has_bulk_copies(void) {
    struct cudaFuncAttributes attributes;
    if (run.on_cpu)
        return 0;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, (const void *)add_bulk));
    return CUDART_VERSION >= 12000 && attributes.ptxVersion >= 90; // HAS_BULK_COPIES
}

#endif
