// SPDX-License-Identifier: MIT
// Bulk copies from global into shared memory: one thread starts them, and an mbarrier, 8 bytes of
// shared memory, counts what has arrived. There is no C for it, so it is PTX, for CUDA 12 and
// compute capability 9.0 and later. Addresses must be multiples of 16.
#ifndef BULK_COPY_H
#define BULK_COPY_H

#include <stdint.h>

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

// Lets the barrier expect the bytes that will arrive, then starts the two copies: of a tile from
// float4 `first` on, or of what there is of it. a's tile comes to `to`, b's right after it.
static __device__ __forceinline__ void fetch(float4 *to, unsigned tile, const float *a,
                                             const float *b, size_t first, size_t n,
                                             uint64_t *barrier) {
    unsigned bytes = 16 * (unsigned)(n / 4 - first < tile ? n / 4 - first : tile);
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
#endif

#endif
