/*
 * race_block.h: the lines that a block has touched.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_CHECK_RACE_BLOCK_H
#define CPU_DEVICE_TRACE_CHECK_RACE_BLOCK_H

#include "trace/check/check.h"

/* The last accesses to a word, or a byte. Two readers (plain and volatile), and two atomics, of
 * different warps if there are such: a writer of the same warp as one of them still meets the
 * other. */
enum { WRITTEN, FLAGGED, WAS_READ, SYNCED = 4, WATCHED = 6, USES = 8 };
struct cell {
    uint32_t epoch, live; /* which of the accesses belong to that epoch */
    union access use[USES];
};

enum { RUNS = 4 };
struct touched {
    uintptr_t line; /* address / LINE */
    struct shadow *shadow;
    uint32_t slot;
    uint8_t count, unit; /* runs in use; bytes of a cell */
    struct cell *cell;   /* NULL as long as the runs suffice */
    bytes128 known;      /* written before, or in this block */
    bytes128 early;      /* read while not known */
    bytes128 in_cells;   /* used since there are cells */
    struct run run[RUNS];
};

static inline struct cell *cell_at(const struct touched *t, unsigned byte) {
    return &t->cell[byte / t->unit];
}

/* In the order in which the replay comes to them; s as in trace_race_access. */
void trace_block_access(struct checker *c, struct shadow *s, uintptr_t line, const struct run *n);
/* What these bytes of shared memory are is not known from here on. */
void trace_block_unknown(struct checker *c, uintptr_t address, unsigned bytes);
void trace_block_tell(struct checker *c);    /* the races within the block */
void trace_block_publish(struct checker *c); /* the block has ended: to all others */
void trace_block_forget(struct checker *c);
#endif
