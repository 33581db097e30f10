/*
 * device_abi.h: what device functions (device_functions.h) ask of the runtime (block.c).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_DEVICE_ABI_H
#define CPU_DEVICE_DEVICE_ABI_H

#include "../vector_types.h"

#ifdef __cplusplus
extern "C" {
#define CPU_DEVICE_NORETURN [[noreturn]]
#else
#define CPU_DEVICE_NORETURN _Noreturn
#endif

#if defined CPU_DEVICE_TRACE && defined __cplusplus
/* What is constant is not traced, if its type has no constructor; launch.h writes threadIdx under
 * another name. */
extern __thread const uint3 threadIdx, blockIdx, blockDim, gridDim;
extern __thread uint3 cpu_device_thread_index __asm__("threadIdx");
#else
extern __thread uint3 threadIdx, blockIdx;
extern __thread dim3 blockDim, gridDim;
#endif

extern __thread char cpu_device_dynamic_shared[]; /* of the running block */

enum { CPU_BARRIER_PLAIN = 1, CPU_BARRIER_COUNT, CPU_BARRIER_AND, CPU_BARRIER_OR };

/* __syncthreads and related functions: the reduced value over the block's threads. */
int cpu_device_barrier(int kind, int value);

/* Which warp function a kernel calls, and where; pc NULL: where cpu_device_warp_collect() is. */
struct cpu_device_warp_call {
    const char *function;
    const void *pc;
};

/* Each lane of mask hands in 64 bits and receives everybody's; returns the lanes that took part.
 * Entries of values[] for other lanes stay as they are. */
unsigned cpu_device_warp_collect(const struct cpu_device_warp_call *call, unsigned mask,
                                 unsigned long long value, unsigned long long values[32]);
unsigned cpu_device_lane(void);             /* linear thread index % 32 */
unsigned cpu_device_active_lanes(int line); /* __activemask, called in that source line */
unsigned cpu_device_multiprocessors(void);  /* how many it says it has */
void cpu_device_yield(void);                /* lets other threads of the block run */
/* The running thread polls: now and then the others get a turn, as on a GPU. */
void cpu_device_polled(void);
/* An atomic operation has changed nothing there, as a maximum mostly does: a thread that always
 * does the same polls. */
void cpu_device_unchanged(const volatile void *address);
/* The running thread is about to use volatile memory at p, for which `place` stands: of a warp's
 * threads those that have come to the earliest place continue together. Only in shared memory? */
void cpu_device_step(const volatile void *p, int place, int only_shared);
void cpu_device_step_to_print(int place); /* the same before it prints */
int cpu_device_in_kernel(void);

/* Nanoseconds: the device's clock rate is given as 1 GHz. */
long long clock64(void);

/* Ends the kernel with an error that sticks; `what` goes to stderr with kernel and thread. */
CPU_DEVICE_NORETURN void cpu_device_trap(int cuda_error, const char *what);

#ifdef __cplusplus
}
#endif
#endif
