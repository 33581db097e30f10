/*
 * trace_abi.h: what a traced program (launch.h, device_functions.h) shares with trace/record/.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_ABI_H
#define CPU_DEVICE_TRACE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TRACE_DEPTH = 64 }; /* calls inside each other that are distinguished */

struct trace_event_row;

/* What the running thread does next is compared with row->..., what another lane of its warp did as
 * its next, or goes to *next. */
struct cpu_device_trace_lane {
    struct trace_event_row *row, *expected; /* expected: so far lanes of the warp came */
    struct trace_event_row *first;          /* of the fast path's buffer */
    size_t range;                           /* bytes of device memory; 0: nothing is recorded */
    int outside;                            /* of the kernel, in the loop over its threads */
    uint64_t *next;                         /* its column in the next row of its warp's buffer */
    const uint64_t *end;                    /* of the buffer */
    uintptr_t last_block; /* the basic block it is in, or a place further on in that block */
    unsigned calls;       /* functions it is in */
    uintptr_t callers[TRACE_DEPTH];
};
extern __thread struct cpu_device_trace_lane cpu_device_trace_lane;

/* The fast path over a block's threads: a thread has returned and not come to `expected` (nonzero:
 * the block is no longer on it); all lanes of a warp have been run, or `lanes` of the last
 * one. */
int cpu_device_trace_uneven(void);
void cpu_device_trace_warp(unsigned lanes);

/* --trace=blocks:N, which cudacc compiles into a program; 0: all. */
extern unsigned cpu_device_trace_blocks;

/* An atomic function begins. */
enum {
    CPU_DEVICE_ATOMIC_COMPARE = 1, /* atomicCAS called by the program */
    CPU_DEVICE_ATOMIC_BLOCK = 2    /* for the threads of one block */
};
void cpu_device_trace_atomic(const volatile void *address, unsigned bytes, int how);

#ifdef __cplusplus
}
#endif
#endif
