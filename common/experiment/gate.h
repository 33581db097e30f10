// SPDX-License-Identifier: MIT
// A gate: a kernel that holds its stream until the host opens it. What a program shows while the
// gate is closed does not depend on the speed of host and device. It opens by itself after a few
// seconds, so that no mistake can hang a program.
//
// While a gate is closed: no cudaMalloc or cudaFree, no blocking copy, no kernel's first launch (to
// load it may need the whole device). Each would wait for the gate, and the gate for the host.
#ifndef GATE_H
#define GATE_H

#include "../common.h"

#ifdef __CUDACC__

// When a gate gives up. A display's driver ends a kernel that holds its GPU for longer.
#ifndef GATE_MS
#define GATE_MS 3000
#endif

enum { GATE_OPEN, GATE_GAVE_UP, GATE_WAITED_MS, GATE_WORDS };

// The device's nanoseconds. clock64() is no clock to wait by: it counts cycles, and it went back
// while another process on the card crashed (seen once, on an H200).
static __device__ inline long long device_ns(void) {
    long long ns = clock64(); // the CPU device's counts ns
#ifndef __CUDACC_CPU__
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
#endif
    return ns;
}

// gate is host memory that the device sees, too; volatile, so that each round reads it again. One
// round counts as 1 ms at most: where others have the processor, the host waits for it, too.
static __global__ void wait_at_gate(volatile int *gate) {
    long long waited = 0, before = device_ns();
    while (!gate[GATE_OPEN]) {
        long long now = device_ns();
        waited += now - before < 1000000 ? now - before : 1000000;
        before = now;
        gate[GATE_WAITED_MS] = (int)(waited / 1000000);
        if (waited > GATE_MS * 1000000LL) {
            gate[GATE_GAVE_UP] = 1;
            break;
        }
#ifdef __CUDACC_CPU__ // the host's processors are the device's, too: it leaves them to what runs
        struct timespec rest = {0, 200000};
        nanosleep(&rest, NULL);
#endif
    }
}

static inline void close_gate(volatile int *gate, cudaStream_t stream) {
    for (int i = 0; i < GATE_WORDS; i++)
        gate[i] = 0;
    wait_at_gate<<<1, 1, 0, stream>>>(gate);
    CUDA_CHECK(cudaGetLastError());
}

// 1: the gate was closed until now. 0: it has given up; nothing seen in between counts.
static inline int open_gate(volatile int *gate) {
    int held = !gate[GATE_GAVE_UP];
    gate[GATE_OPEN] = 1;
    return held;
}

// A gate that has been passed once, so that its kernel is loaded.
static inline volatile int *create_gate(void) {
    int *gate;
    CUDA_CHECK(cudaHostAlloc((void **)&gate, GATE_WORDS * sizeof(int), cudaHostAllocMapped));
    gate[GATE_OPEN] = 1;
    wait_at_gate<<<1, 1>>>(gate);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    return gate;
}

static inline void free_gate(volatile int *gate) { CUDA_CHECK(cudaFreeHost((void *)gate)); }

#endif // __CUDACC__
#endif
