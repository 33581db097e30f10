/*
 * access.h: how the race check represents accesses: one by one, and as runs of lanes side by side.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/shadow.h"

/* Classes of accesses, a bit for each; two classes have two. SYNC: an atomic, or a volatile store
 * behind a fence. BLOCK_SYNC: an atomic for one block; to others it is a plain store. */
enum {
    READ = 1,
    WRITE = 2,
    SYNC = 4,
    VOLATILE_READ = 8,
    VOLATILE_WRITE = SYNC | VOLATILE_READ,
    BLOCK_SYNC = SYNC | WRITE,
    COPY = READ | WRITE /* an asynchronous copy that is under way, in a race alone */
};

static inline int writes(unsigned class) { return (class & (WRITE | SYNC)) != 0; }

/* Accesses to one byte by two threads of a block. Volatile accesses are what flags are made of:
 * between blocks they agree with each other and with atomics (agree). Within a block a volatile
 * store is a plain one, unless a fence of its thread came before (then it is SYNC): code for a warp
 * in lock-step uses `volatile` where it needs __syncwarp. */
static inline unsigned in_block(unsigned class) { return class == BLOCK_SYNC ? SYNC : class; }
static inline int conflict(unsigned a, unsigned b) {
    a = in_block(a), b = in_block(b);
    if (!writes(a) && !writes(b))
        return 0;
    return ((a | b) & (READ | WRITE)) || (a != SYNC && b != SYNC);
}

/* And by two blocks; each set holds all classes of one. */
static inline int agree(unsigned a, unsigned b) {
    return !((a | b) & WRITE) && !(a & READ && b & SYNC) && !(a & SYNC && b & READ);
}

/* One access. As a number (`all`) it is ordered by its upper fields: block, thread, site, ... Epoch
 * and fences serve the order by fences only, so they are held down. */
enum { MOST_FENCES = 15, MOST_EPOCH = 63 };
/* How often the warp has jumped back over the barrier that the block has passed last: 0, 1, or: */
enum { TURNED_OFTEN = 2, TURNED_UNKNOWN };
enum { ACCESS_BLOCK_BITS = 26 };
union access {
    struct {
        uint64_t class : 4, fences : 4, epoch : 6, site : 14, thread : 10;
        /* within a block: synchronizations of the warp before it, and turns */
        uint64_t seq : 24, turned : 2;
    };
    struct {
        uint64_t : 38;
        uint64_t block : ACCESS_BLOCK_BITS; /* between blocks; then `class` is a set */
    };
    uint64_t all; /* 0: none */
};

static inline unsigned at_most(unsigned v, unsigned most) { return v < most ? v : most; }

/* Neighbouring lanes of one request, within one line: lane `lane` at byte `offset`, each further
 * one `step` bytes on. many: lanes at the same address (step is 0), else 1. range: a piece of a
 * struct, perhaps padding. */
struct run {
    bytes128 mask;
    uint32_t epoch, seq; /* barriers, warp synchronizations before it */
    uint32_t turned;     /* no byte of the struct is padding: race_grid.c compares whole ones */
    uint16_t site;
    int16_t step;
    uint8_t class, warp, lane, many, offset, width, fences, range;
};

static inline unsigned thread_at(const struct run *r, unsigned byte) {
    int steps = r->step ? ((int)(byte & ~(r->width - 1u)) - r->offset) / r->step : 0;
    return r->warp * (unsigned)WARP + (unsigned)(r->lane + steps);
}

static inline union access access_at(const struct run *r, unsigned thread) {
    return (union access){.class = r->class,
                          .fences = at_most(r->fences, MOST_FENCES),
                          .epoch = at_most(r->epoch, MOST_EPOCH),
                          .site = r->site,
                          .thread = thread,
                          .seq = r->seq,
                          .turned = r->turned};
}

/* The same lanes at the same bytes, as far as both go. */
static inline int same_lanes(const struct run *r, const struct run *n) {
    return r->warp == n->warp && r->lane == n->lane && r->offset == n->offset &&
           r->step == n->step && r->width == n->width && r->many == 1 && n->many == 1;
}
