/*
 * race.h: who used which bytes, and whether that was in order.
 *
 *   race_block.c    who used a line within a block
 *   race_cells.c    who used its words, where that is much
 *   race_found.c    the races of a block
 *   race_order.c    what orders accesses: warp synchronizations, and fences with atomics
 *   race_grid.c     who used a line in all blocks
 *   race_conflicts.c  its words where they do not agree
 *   unwritten.c     reads of memory that was never written
 *
 * Each calls those below it only.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/access.h"
#include "trace/check/arena.h"
#include "trace/check/shadow.h"
#include "trace/trace.h"

struct checker;

/* ---- What a checker holds of it ---------------------------------------------------------- */

/* The synchronizations of a warp. */
struct warp_order {
    uint32_t seq;       /* how many so far */
    uint32_t all;       /* the last one of all its lanes */
    uint32_t forgotten; /* the last one that is no longer known; counts as one of all lanes */
    unsigned count;
    struct {
        uint32_t seq, lanes;
    } part[32]; /* those of some lanes only, since */
};

/* ---- What a request is, and what comes between requests ---------------------------------- */

/* A thread's atomicCAS: its plain read of this address before only prepared it: no race. */
void trace_race_confirm(struct checker *c, struct shadow *s, uintptr_t address, unsigned thread);

/* On a worker, what its block does; at a barrier over the grid a thread comes for its block (all
 * before has been reported), or continues. */
void trace_race_fence(struct trace_worker *w, unsigned thread, int is_of_block);
void trace_race_warp_sync(struct trace_worker *w, unsigned warp, unsigned lanes);
void trace_race_release(struct trace_worker *w, unsigned thread, uint64_t time);
void trace_race_grid_barrier(struct trace_worker *w, unsigned thread, const void *place,
                             int continues);
/* An atomic operation or a volatile store on global memory is about to run, by a thread that has
 * executed a fence. A time for trace_race_release. */
uint64_t trace_race_sync_op(const void *address);
void trace_race_acquire(struct checker *c, unsigned thread, uintptr_t address,
                        enum trace_space space);
void trace_race_atomic(struct checker *c, unsigned thread, uintptr_t address, unsigned site);
