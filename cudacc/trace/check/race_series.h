/*
 * race_series.h: series, and the runs that they stand for.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/check.h"

/* Of each warp. */
static inline unsigned lines_of(const struct series *t) { return t->bytes / (LINE / WARP); }

/* The first line that warp uses. */
static inline uintptr_t line_of(const struct series *t, unsigned warp) {
    return (t->start + (uintptr_t)(t->step * (ptrdiff_t)(warp - t->first_warp))) / LINE;
}

/* On its k-th line. */
static inline struct run run_of_series(const struct series *t, unsigned warp, unsigned k) {
    return (struct run){.mask = ~(bytes128)0,
                        .epoch = t->epoch,
                        .seq = t->seq,
                        .turned = TURNED_UNKNOWN,
                        .site = t->site,
                        .class = t->class,
                        .warp = (uint8_t)warp,
                        .lane = (uint8_t)(WARP / lines_of(t) * k),
                        .many = 1,
                        .width = t->bytes,
                        .step = t->bytes};
}

/* The block has used s in other ways, too: what its series did there goes to its table. */
void trace_all_series_to_table(struct checker *c, struct shadow *s);
void trace_all_series_publish(struct checker *c); /* the block has ended */
void trace_all_series_forget(struct checker *c);
