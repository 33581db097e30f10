/*
 * race.h: who used which bytes, and whether that was in order.
 *
 *   race.c          launches, blocks, barriers: what the other files do at each
 *   race_series.c   what most kernels do with most of their memory, in short
 *   race_block.c    who used a line within a block
 *   race_cells.c    who used its words, where that is much
 *   race_found.c    the races of a block
 *   race_order.c    what orders accesses: warp synchronizations, and fences with atomics
 *   race_grid.c     who used a line in all blocks
 *   race_conflicts.c  its words where they do not agree
 *   unwritten.c     reads of memory that was never written
 *
 * Each calls those below it only, but race_grid.c, which race_series.c hands its lines to.
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

/* One instruction, one warp after another, each at whole lines that it has to itself: warp
 * `first_warp` at address `start`, each further one `step` bytes on, those below `warp` so far.
 * It takes no entries in the block's table. */
struct series {
    const void *pc;
    uintptr_t next; /* where `warp` continues; NOWHERE: not known, or no more of the allocation */
    uintptr_t start;
    ptrdiff_t step;        /* as long as there is one warp: a guess, or 0 */
    struct shadow *shadow; /* NULL: moved to the table */
    uint32_t epoch, seq;
    uint16_t site;
    uint8_t op, class, bytes;
    uint8_t known;                 /* lines of each warp that must have been written, or 0 */
    uint8_t first_warp, warp, end; /* warps from `end` on would be outside of the allocation */
};
enum { MOST_SERIES = 64, NOWHERE = 1 };

/* Each warp goes through them in the same order. */
struct all_series {
    struct series of[MOST_SERIES + 1]; /* `next` of the one behind the last: NOWHERE */
    unsigned count;
    uint8_t next[MAX_WARPS];     /* which one that warp will continue with */
    struct shadow *in_the_table; /* has none in this block: the one found last */
};

/* The lines that a block has touched: race_block.c's. */
struct touched;
struct table {
    struct touched *item;
    uint32_t count, room, *slot, bits;
};

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

void trace_race_launch_begin(const struct trace_launch *l);
void trace_race_launch_end(int abandoned);
void trace_race_block_begin(struct checker *c);
void trace_race_block_end(struct checker *c);

/* A consecutive request within a: 1 if it begins a series or continues with one, else nothing has
 * happened. */
int trace_race_series(struct checker *c, const struct trace_request *r, struct trace_allocation *a,
                      struct shadow *s, unsigned site, unsigned class);
/* In shared memory s is NULL. */
void trace_race_access(struct checker *c, struct shadow *s, uintptr_t line, struct run *run);
/* A thread's atomicCAS: its plain read of this address before only prepared it: no race. */
void trace_race_confirm(struct checker *c, struct shadow *s, uintptr_t address, unsigned thread);

void trace_race_barrier(struct checker *c);
void trace_race_fence(struct checker *c, unsigned thread, int is_of_block);
void trace_race_warp_sync(struct checker *c, unsigned warp, uint32_t lanes);
uint64_t trace_race_sync_op(const void *address); /* a releasing operation is about to run */
void trace_race_release(struct checker *c, unsigned thread, uint64_t time);
void trace_race_acquire(struct checker *c, unsigned thread, uintptr_t address,
                        enum trace_space space);
void trace_race_atomic(struct checker *c, unsigned thread, uintptr_t address, unsigned site);

/* ---- The short way ----------------------------------------------------------------------- */

/* Warp `t->warp` has moved on. */
static inline void trace_series_step(struct all_series *s, struct series *t) {
    s->next[t->warp] = (uint8_t)(t - s->of + 1);
    t->next = ++t->warp < t->end ? t->next + (uintptr_t)t->step : NOWHERE;
}

/* A consecutive request: 1 if it is what the series whose turn it is waits for. Then nothing about
 * it is left to check. */
static inline int trace_race_continues(struct all_series *s, const struct warp_order *warps,
                                       const struct trace_request *r) {
    struct series *t = &s->of[s->next[r->warp]];
    if (t->pc != r->pc || t->next != r->address[0] || t->warp != r->warp || t->op != r->op ||
        t->bytes != r->bytes || t->seq != warps[r->warp].seq)
        return 0;
    if (t->known && !trace_lines_written(t->shadow, t->next, t->known))
        return 0;
    trace_series_step(s, t);
    return 1;
}
