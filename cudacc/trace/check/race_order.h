/*
 * race_order.h: what puts two accesses in order.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/check.h"

void trace_order_block_begin(struct checker *c);
void trace_order_block_end(struct checker *c); /* from here on it can be asked about the block */
void trace_order_publish(struct checker *c);   /* about the block and others; not with `log` */
void trace_order_launch_begin(void);
void trace_order_launch_end(void);

/* The last release in this launch, 0 if there was none. */
uint64_t trace_order_clock(void);

/* Have both threads taken and given back one lock, as two instructions do with one address? */
int trace_order_one_lock(const struct checker *c, unsigned a, unsigned b);

/* By fences: two accesses of this block; of two blocks of this launch. */
int trace_order_in_block(const struct checker *c, union access a, union access b);
int trace_order_between(union access a, union access b);

/* Has lane a's access at its warp's time seq been followed by a synchronization that lane b has
 * taken part in, transitively? */
static inline int warp_ordered(const struct warp_order *w, uint32_t seq, unsigned a, unsigned b) {
    if (w->all > seq || w->forgotten > seq)
        return 1;
    uint32_t reached = 1u << a;
    for (unsigned i = 0; i < w->count; i++)
        if (w->part[i].seq > seq && w->part[i].lanes & reached)
            reached |= w->part[i].lanes;
    return reached >> b & 1;
}

/* By the synchronizations of a warp. a is the earlier one in replay, both of the current barrier
 * interval. */
static inline int in_order(const struct checker *c, union access a, union access b) {
    if (a.thread == b.thread)
        return 1;
    unsigned warp = a.thread / WARP;
    return warp == b.thread / WARP &&
           warp_ordered(&c->warp[warp], a.seq, a.thread % WARP, b.thread % WARP);
}
