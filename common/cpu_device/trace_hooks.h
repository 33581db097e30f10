/*
 * trace_hooks.h: what block.c tells the tracer; nothing in the plain runtime.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_HOOKS_H
#define CPU_DEVICE_TRACE_HOOKS_H

#ifdef CPU_DEVICE_TRACE
#include "trace.h"
enum { TRACED = 1 };
#else
enum { TRACED = 0 };
static inline void trace_start(void) {}
static inline void trace_launch_begin(struct cpu_device_launch *l) { (void)l; }
static inline void trace_launch_end(struct cpu_device_launch *l) { (void)l; }
static inline void trace_launch_queued(struct cpu_device_launch *l) { (void)l; }
static inline void trace_join(struct cpu_device_launch *l) { (void)l; }
static inline void trace_leave(void) {}
static inline void trace_thread_ends(void) {}
static inline void trace_block_begin(unsigned long long block, unsigned long long position) {
    (void)block, (void)position;
}
static inline void trace_block_end(void) {}
static inline void trace_stack(const char *low, size_t bytes) { (void)low, (void)bytes; }
static inline void trace_left_plain_loop(unsigned thread) { (void)thread; }
static inline void trace_thread_begin(unsigned thread) { (void)thread; }
static inline void trace_thread_end(unsigned thread) { (void)thread; }
static inline void trace_suspend(unsigned thread, int waits) { (void)thread, (void)waits; }
static inline void trace_released(unsigned thread) { (void)thread; }
static inline void trace_resume(unsigned thread) { (void)thread; }
static inline void trace_polled(void) {}
static inline void trace_warp_together(unsigned warp, unsigned lanes) { (void)warp, (void)lanes; }
static inline void trace_barrier_wait(unsigned thread, const void *pc) { (void)thread, (void)pc; }
static inline int trace_barrier(unsigned finished) {
    (void)finished;
    return 0;
}
static inline int trace_fault(void) { return 0; }
static inline int trace_deadlock(void) { return 0; }
#endif

#endif
