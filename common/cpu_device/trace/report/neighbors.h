/*
 * neighbors.h: neighbors in shared memory that are accessed one by one, or in the rounds of a loop:
 * nvcc joins them, up to 16 bytes, where it knows their place in a window of that size.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_NEIGHBORS_H
#define CPU_DEVICE_TRACE_NEIGHBORS_H
#include "trace/trace.h"

enum { NEIGHBOR_GROUPS = 32, NEIGHBOR_SLOTS = 4 };

/* Those of one window: for each lane, of its own. */
struct neighbor_group {
    const struct trace_variable *variable; /* of the first of them */
    enum trace_op op;
    unsigned bytes, lanes, slots; /* slots: a bit for each neighbor */
    unsigned time;                /* when the last one came */
    const void *pc[NEIGHBOR_SLOTS];
    uint64_t window[WARP];
    void *first; /* where the first of them is counted, and so all of them */
};
/* In windows of one size. */
struct neighbors {
    unsigned warp, open, next, time; /* open: a bit for each group that may grow */
    struct neighbor_group groups[NEIGHBOR_GROUPS];
};

static inline void trace_neighbors_end(struct neighbors *n) { n->open = 0; }
/* What groups can grow after this request to v? */
void trace_neighbors_between(struct neighbors *n, const struct trace_request *r,
                             const struct trace_variable *v);
/* The largest window, of 16 or 8 bytes, in which all lanes have the same place; or 0. address: a
 * GPU's; width: of a row of the block. */
unsigned trace_neighbors_window(const struct trace_request *r, const uint64_t *address,
                                unsigned width);
/* The group that such a request belongs to; a new one is empty, and has no `first`. */
struct neighbor_group *trace_neighbors_find(struct neighbors *n, const struct trace_request *r,
                                            const struct trace_variable *v,
                                            const uint64_t *address, unsigned window);
void trace_neighbors_add(struct neighbor_group *g, const struct trace_request *r,
                         const uint64_t *address, unsigned window);
/* The accesses that nvcc makes of a group, one after another: `slot` is 0 at first and then left
 * alone. Returns the bytes, and each lane's address; or 0: that was all. */
unsigned trace_neighbors_access(const struct neighbor_group *g, unsigned window, unsigned *slot,
                                uint64_t *address);
#endif
