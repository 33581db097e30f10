/*
 * race.h: what race_*.c and unwritten.c offer each other: the lines that a block has touched, where
 * goes what it did with them, and what puts two accesses in order.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/check.h"

/* The last accesses to a word, or a byte. Two readers (plain and volatile), two that store, perhaps
 * the same, and two atomics, of different warps if there are such: a writer of the same warp as one
 * of them still meets the other. */
enum { WRITTEN, FLAGGED = 2, WAS_READ, SYNCED = 5, WATCHED = 7, USES = 9 };
struct cell {
    uint32_t epoch, live; /* which of the accesses belong to that epoch */
    uint32_t lanes;       /* of the warp of use[WAS_READ]: all that have read there at its site */
    union access use[USES];
};

struct waiting; /* runs that are still to go to the cells */

enum { RUNS = 4 };
/* What a block did with more memory than this is not compared with what it does later. */
enum { MOST_LINES = 1 << 18 };
struct touched {
    uintptr_t first; /* its first byte in that shadow */
    uintptr_t line;  /* address / LINE */
    struct shadow *shadow;
    uint8_t count, unit;     /* runs in use; bytes of a cell, 0 as long as the runs suffice */
    struct cell *cell;       /* NULL: none yet */
    uint8_t classes;         /* of all that it did */
    uint16_t stored;         /* the site of the last plain store; 0: none yet */
    struct waiting *waiting; /* race_cells.c's own, as the next ones: */
    uint32_t epoch;          /* used since that began: */
    bytes128 is_read, is_written;
    bytes128 known;    /* written before, or in this block */
    bytes128 early;    /* read while not known */
    bytes128 copying;  /* source or target of an asynchronous copy, by now perhaps waited for */
    bytes128 in_cells; /* used since there are cells */
    struct run run[RUNS];
};

/* ---- race_cells.c ------------------------------------------------------------------------ */

/* The line has had too many runs: from here on it has cells. */
void trace_cells_begin(struct checker *c, struct touched *t, unsigned unit);
/* judge: look for what n races with. */
void trace_cells_add(struct checker *c, struct touched *t, const struct run *n, int judge);
int trace_cells_split(struct checker *c, struct touched *t, unsigned unit); /* 0: no memory */
/* Before anyone looks at `cell` of a line that may have cells. */
void trace_cells_settle(struct checker *c, struct touched *t);

static inline struct cell *cell_at(const struct touched *t, unsigned byte) {
    return &t->cell[byte / t->unit];
}

/* Lanes at one address differ only in what they have synchronized with: where that is nothing, the
 * first and the last are enough. Goes from one to the next that matters. */
static inline unsigned next_of_many(const struct checker *c, const struct run *r, unsigned k) {
    return !k && r->many > 1 && !c->warp[r->warp].count ? r->many - 1u : k + 1;
}

/* ---- race_found.c ------------------------------------------------------------------------ */

void trace_block_race(struct checker *c, uintptr_t address, union access a, union access b);
void trace_block_tell(struct checker *c); /* the races within the block */

/* ---- race_block.c ------------------------------------------------------------------------ */

/* In the order in which the replay comes to them; in shared memory s is NULL. */
void trace_block_access(struct checker *c, struct shadow *s, uintptr_t line, const struct run *n);
/* A copy is under way that reads these bytes; or that writes them, in shared memory: what they are
 * is not known from here on. */
void trace_block_copying(struct checker *c, struct shadow *s, uintptr_t address, unsigned bytes,
                         int is_source);
void trace_block_publish(struct checker *c); /* the block has ended: to all others */
void trace_block_forget(struct checker *c);

/* ---- unwritten.c --------------------------------------------------------------------------- */

/* n reads the bytes `missing`, which are not known to be written, or writes bytes read early. */
void trace_unwritten_read(struct checker *c, struct touched *t, const struct run *n,
                          bytes128 missing);
void trace_unwritten_changed(struct checker *c, const struct touched *t, const struct run *n);

/* n writes the bytes `copying`: is a copy still under way there? */
void trace_under_way_stored(struct checker *c, const struct touched *t, const struct run *n,
                            bytes128 copying);

void trace_unwritten_tell(struct checker *c); /* the block has ended */
void trace_unwritten_forget(struct checker *c);
void trace_unwritten_launch_begin(void);
void trace_unwritten_launch_end(void);

/* An atomic reads what it changes; atomicExch, too, returns it. Other releases are stores. */
static inline int reads(const struct run *r) {
    return r->class == READ || r->class == VOLATILE_READ ||
           (in_block(r->class) == SYNC && trace_site_of(r->site)->op == TRACE_ATOMIC);
}

/* ---- race_order.c ------------------------------------------------------------------------- */

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

/* ---- race_grid.c --------------------------------------------------------------------------- */

/* One line of the block's table. */
void trace_grid_add(struct checker *c, struct touched *t);

/* ---- race_conflicts.c ---------------------------------------------------------------------- */

/* Keeps k beside a and b, as one of the two smallest by block; those of one block are one. */
void trace_two_smallest(union access *a, union access *b, union access k);

/* Adds a user of a word. Comes back with the second block that writes there, if it is known. */
#define UNDECIDED (~0ull)
uint64_t trace_conflict_add(uintptr_t address, union access k);
/* The users of a word are users of each of its bytes. */
void trace_conflict_copy(uintptr_t to, uintptr_t from);
/* Tells the races between the blocks of the launch, and forgets them. abandoned: only that. */
void trace_conflicts_tell(const struct trace_launch *launch, int abandoned);
