// SPDX-License-Identifier: MIT
// Functions of a warp, barriers and atomics, checked on a GPU and on the CPU device alike.
#include "../lib/kernel_checks.h"

// ---- warp functions ----

// Every lane knows what it has to receive. Blocks of 64 threads: two warps.
KERNEL(shuffles, 2, 64) {
    const unsigned all = 0xffffffff;
    const int lane = (int)(threadIdx.x % warpSize), value = 100 + lane;
    CHECK(__shfl_sync(all, value, 5) == 105 && __shfl_sync(all, value, 37) == 105);
    CHECK(__shfl_sync(all, value, -1) == 131 && __shfl_up_sync(all, value, 0) == value);
    CHECK(__shfl_sync(all, value, lane + 1) == 100 + (lane + 1) % 32);
    CHECK(__shfl_up_sync(all, value, 1) == (lane ? value - 1 : value));
    CHECK(__shfl_up_sync(all, value, 31) == (lane == 31 ? 100 : value));
    CHECK(__shfl_down_sync(all, value, 3) == (lane < 29 ? value + 3 : value));
    CHECK(__shfl_xor_sync(all, value, 1) == 100 + (lane ^ 1));
    CHECK(__shfl_xor_sync(all, value, 31) == 131 - lane);
    for (int width = 2; width <= 32; width *= 2) {
        const int first = lane / width * width, last = first + width - 1;
        const int up = lane - 1, down = lane + 1, other = lane ^ width;
        CHECK(__shfl_sync(all, value, 1, width) == 101 + first);
        CHECK(__shfl_sync(all, value, width + 1, width) == 101 + first);
        CHECK(__shfl_up_sync(all, value, 1, width) == (up < first ? value : 100 + up));
        CHECK(__shfl_down_sync(all, value, 1, width) == (down > last ? value : 100 + down));
        // xor reaches into an earlier segment, not into a later one
        CHECK(__shfl_xor_sync(all, value, width, width) ==
              (other > last ? value : 100 + other % 32));
    }
    CHECK(__shfl_xor_sync(all, 1u << lane, 16) == 1u << (lane ^ 16));
    CHECK(__shfl_xor_sync(all, (1ll << 40) + lane, 2) == (1ll << 40) + (lane ^ 2));
    CHECK(__shfl_xor_sync(all, ~0ull - (unsigned)lane, 2) == ~0ull - (unsigned)(lane ^ 2));
    CHECK(__shfl_up_sync(all, (long)lane, 1) == (lane ? lane - 1 : 0));
    CHECK(__shfl_down_sync(all, 0.5f + lane, 1) == 0.5f + (lane < 31 ? lane + 1 : lane));
    CHECK(__shfl_sync(all, 1e100 * lane, 31) == 1e100 * 31);

    int sum = lane; // the usual reduction
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(all, sum, offset);
    CHECK(lane != 0 || sum == 496);
}

KERNEL(votes, 2, 64) {
    const unsigned all = 0xffffffff;
    const int lane = (int)(threadIdx.x % warpSize);
    CHECK(__activemask() != 0 && (__activemask() >> lane & 1));
    CHECK(__ballot_sync(all, lane % 3 == 0) == 0x49249249u && __ballot_sync(all, lane) == all - 1);
    CHECK(__all_sync(all, lane < 32) && !__all_sync(all, lane < 31));
    CHECK(__any_sync(all, lane == 31) && !__any_sync(all, lane > 31));
    CHECK(__uni_sync(all, lane < 32) && __uni_sync(all, lane > 32) && !__uni_sync(all, lane < 7));
    if (lane < 8) { // a part of the warp
        CHECK(__ballot_sync(0xff, lane & 1) == 0xaa && __all_sync(0xff, lane < 8));
        CHECK(__shfl_sync(0xff, lane * lane, 7) == 49);
        __syncwarp(0xff);
    } else {
        CHECK(__ballot_sync(0xffffff00, lane & 1) == 0xaaaaaa00u);
        CHECK(!__any_sync(0xffffff00, lane < 8));
        __syncwarp(0xffffff00);
    }
    __syncwarp();
#if ARCH >= 700
    int same;
    const unsigned group = 0x11111111u << lane % 4;
    CHECK(__match_any_sync(all, lane % 4) == group && __match_any_sync(all, -7l) == all);
    CHECK(__match_any_sync(all, (unsigned long long)(lane % 4) << 40) == group);
    CHECK(__match_any_sync(all, 0.5f * (lane % 4)) == group);
    CHECK(__match_any_sync(all, 1e100 * (lane % 4)) == group);
    CHECK(__match_all_sync(all, 7u, &same) == all && same == 1);
    CHECK(__match_all_sync(all, lane / 31, &same) == 0 && same == 0);
    CHECK(__match_all_sync(all, 0.25, &same) == all && same == 1);
#endif
#if ARCH >= 800
    CHECK(__reduce_add_sync(all, lane) == 496 && __reduce_add_sync(all, (unsigned)lane) == 496);
    CHECK(__reduce_min_sync(all, lane - 5) == -5 && __reduce_max_sync(all, lane - 40) == -9);
    const unsigned u = (unsigned)lane;
    CHECK(__reduce_min_sync(all, u - 5) == 0 && __reduce_max_sync(all, u - 5) == all);
    CHECK(__reduce_and_sync(all, 0xf0 | u) == 0xf0 && __reduce_or_sync(all, 1u << u) == all);
    CHECK(__reduce_xor_sync(all, u) == 0 && __reduce_xor_sync(all, 1u << u) == all);
#endif
}

// A block of 40 threads: the second warp has 8 lanes. Then some threads leave early.
KERNEL(partial_warps, 2, 40) {
    const int lane = (int)(threadIdx.x % warpSize);
    const unsigned here = threadIdx.x < 32 ? 0xffffffff : 0xff;
    CHECK(__ballot_sync(here, 1) == here && __popc(__activemask()) <= __popc(here));
    CHECK(__shfl_sync(here, lane, 3) == 3);
    CHECK(__syncthreads_count(lane == 0) == 2);
    if (lane % 2)
        return;
    CHECK(__ballot_sync(here & 0x55555555, 1) == (here & 0x55555555));
    CHECK(__any_sync(here & 0x55555555, lane == 2) && __all_sync(here & 0x55555555, lane % 2 == 0));
}

KERNEL(barriers, 3, 96, 96 * sizeof(int)) {
    __shared__ int values[96];
    extern __shared__ int dynamic[];
    const int i = (int)threadIdx.x, n = (int)blockDim.x;
    values[i] = i;
    dynamic[i] = -i;
    __syncthreads();
    CHECK(values[(i + 1) % n] == (i + 1) % n && dynamic[n - 1 - i] == 1 + i - n);
    CHECK(__syncthreads_count(i % 3 == 0) == n / 3);
    CHECK(__syncthreads_and(i >= 0) != 0 && __syncthreads_and(i > 0) == 0);
    CHECK(__syncthreads_or(i == 5) != 0 && __syncthreads_or(i < 0) == 0);
    for (int round = 0; round < 5; round++) {
        values[i] = round;
        __syncthreads();
        CHECK(values[n - 1 - i] == round);
        __syncthreads();
    }
}

// ---- atomics: 4 blocks of 64 threads ----

struct cells {
    int add, sub, low, high, all, any, odd, swapped, cas;
    unsigned u_add, u_low, u_high, wrap_up, wrap_down, lock, locked;
    long long ll_low, ll_high, ll_any;
    unsigned long long ull_add, ull_all, ull_odd, ull_swapped, ull_cas;
    float f_add, f_swapped;
    double d_add;
    unsigned short half[2];
    int system_add, system_cas;
    float2 f2;
    unsigned block_sum;
};

__global__ void atomics(struct cells *c) {
    __shared__ unsigned in_block;
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); // 0..255
    if (threadIdx.x == 0)
        in_block = 0;
    __syncthreads();
#if ARCH >= 600
    atomicAdd_block(&in_block, 1u);
#else
    atomicAdd(&in_block, 1u);
#endif
    __syncthreads();
    CHECK(in_block == blockDim.x);

    int before = atomicAdd(&c->add, 1);
    CHECK(before >= 0 && before < 256);
    atomicSub(&c->sub, 2);
    atomicMin(&c->low, -i);
    atomicMax(&c->high, i);
    atomicAnd(&c->all, ~(1 << i % 8));
    atomicOr(&c->any, 1 << i % 8);
    atomicXor(&c->odd, i);
    CHECK(atomicExch(&c->swapped, 7) == 7);
    CHECK(atomicCAS(&c->cas, -1 - i, 5) == 100);
    atomicAdd(&c->u_add, 0x80000001u);
    atomicMin(&c->u_low, 1000u + (unsigned)i);
    atomicMax(&c->u_high, 0x80000000u + (unsigned)i);
    CHECK(atomicInc(&c->wrap_up, 9) < 10); // 0..9 again and again
    CHECK(atomicDec(&c->wrap_down, 9) < 10);
    atomicMin(&c->ll_low, -(1ll << 40) - i);
    atomicMax(&c->ll_high, (1ll << 40) + i);
    atomicOr(&c->ll_any, 1ll << (32 + i % 8));
    atomicAdd(&c->ull_add, 1ull << 32);
    atomicAnd(&c->ull_all, ~(1ull << (i % 64)));
    atomicXor(&c->ull_odd, 1ull << (i % 64));
    CHECK(atomicExch(&c->ull_swapped, 1ull << 50) == 1ull << 50);
    CHECK(atomicCAS(&c->ull_cas, 3ull, 4ull) != 5);
    atomicAdd(&c->f_add, 0.5f);
    CHECK(atomicExch(&c->f_swapped, 2.5f) == 2.5f);
#if ARCH >= 600
    atomicAdd(&c->d_add, 0.25);
    atomicAdd_system(&c->system_add, 3);
    for (int guess = atomicAdd_system(&c->system_cas, 0), now;; guess = now)
        if ((now = atomicCAS_system(&c->system_cas, guess, guess + 1)) == guess)
            break;
#endif
#if ARCH >= 700
    unsigned short old = c->half[1], seen;
    while ((seen = atomicCAS(&c->half[1], old, (unsigned short)(old + 1))) != old)
        old = seen;
#endif
#if ARCH >= 900 && CUDART_VERSION >= 12010
    atomicAdd(&c->f2, make_float2(1, 2));
#endif
    bool done = false; // a lock, in the form that also works for threads in lockstep
    while (!done)
        if (atomicExch(&c->lock, 1) == 0) {
            __threadfence();
            *(volatile unsigned *)&c->locked = *(volatile unsigned *)&c->locked + 1;
            __threadfence();
            atomicExch(&c->lock, 0);
            done = true;
        }
    __threadfence_block();
    __threadfence_system();
    if (threadIdx.x == 0)
        atomicAdd(&c->block_sum, blockIdx.x + 1);
}

// A thread polls until a later thread of its block has set the flag.
__global__ void polling(int *flag) {
#if ARCH >= 700 // before, the polling thread could starve the other one
    if (threadIdx.x == 0)
        while (atomicAdd(flag, 0) == 0)
            ;
    else if (threadIdx.x == 40)
        atomicExch(flag, 1);
    CHECK(threadIdx.x != 0 || atomicCAS(flag, 0, 0) == 1);
#endif
}

// What this code was built for, which may be older than the device.
__global__ void built_for(int *arch) { *arch = ARCH; }

// ---- the host's side ----

TEST(test_atomics) {
    struct cells c = {};
    MEMORY(int, d_arch, sizeof *d_arch);
    built_for<<<1, 1>>>(d_arch);
    const int arch = value_at(d_arch);
    c.all = -1, c.swapped = 7, c.cas = 100, c.u_low = UINT_MAX, c.wrap_down = 9;
    c.ull_all = ULLONG_MAX, c.ull_swapped = 1ull << 50, c.ull_cas = 3, c.f_swapped = 2.5f;
    MEMORY(struct cells, d_cells, sizeof c);
    must(cudaMemcpy(d_cells, &c, sizeof c, TO_DEVICE));
    CHECKED("atomics: old values", atomics<<<4, 64>>>(d_cells));
    c = value_at(d_cells);

    ok(c.add == 256 && c.sub == -512 && c.low == -255 && c.high == 255, "atomics on int");
    ok(c.all == ~255 && c.any == 255 && c.odd == 0, "atomic bit operations on int");
    ok(c.swapped == 7 && c.cas == 100, "atomicExch and atomicCAS on int");
    ok(c.u_add == 256 && c.u_low == 1000 && c.u_high == 0x800000ffu, "atomics on unsigned");
    ok(c.wrap_up == 256 % 10 && c.wrap_down == (9 + 10 * 26 - 256) % 10, "atomicInc, atomicDec");
    ok(c.ll_low == -(1ll << 40) - 255 && c.ll_high == (1ll << 40) + 255 && c.ll_any == 255ll << 32,
       "atomics on long long");
    ok(c.ull_add == 256ull << 32 && c.ull_all == 0 && c.ull_odd == 0 && c.ull_cas == 4,
       "atomics on unsigned long long");
    ok(c.f_add == 128 && c.f_swapped == 2.5f, "atomics on float");
    if (arch >= 600) {
        ok(c.d_add == 64, "atomicAdd on double");
        ok(c.system_add == 768 && c.system_cas == 256, "atomics of the whole system");
    }
    ok(c.lock == 0 && c.locked == 256, "a lock out of atomicExch and fences");
    ok(c.block_sum == 10, "blockIdx");
    if (arch >= 700)
        ok(c.half[0] == 0 && c.half[1] == 256, "atomicCAS on unsigned short");
    if (arch >= 900 && CUDART_VERSION >= 12010)
        ok(c.f2.x == 256 && c.f2.y == 512, "atomicAdd on float2");
}

TEST(test_polling) {
    MEMORY(int, d_flag, sizeof *d_flag);
    must(cudaMemset(d_flag, 0, sizeof *d_flag));
    CHECKED("a thread polls for another one of its block", polling<<<1, 64>>>(d_flag));
}

int main(void) { return run_tests(); }
