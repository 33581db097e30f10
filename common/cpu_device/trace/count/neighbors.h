/*
 * neighbors.h: neighbors in shared memory that are accessed one by one, or in the rounds of a loop:
 * nvcc joins them to 8 or 16 bytes where it knows their place in a window of that size.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_NEIGHBORS_H
#define CPU_DEVICE_TRACE_NEIGHBORS_H
#include "trace/trace.h"

enum { NEIGHBOR_GROUPS = 32, NEIGHBOR_SLOTS = 8 };

/* Those of one window: for each lane, of its own. */
struct neighbor_group {
    const struct trace_variable *variable; /* of the first of them */
    enum trace_op op;
    unsigned lanes;
    unsigned halves, words, doubles; /* a bit for each of 2 bytes, of 4, of 8 */
    unsigned time;                   /* when the last one came */
    const void *pc[NEIGHBOR_SLOTS];  /* of what begins there; a slot is 2 bytes */
    uint16_t window[WARP];
    void *first; /* where the first of them is counted, and so all of them */
};
/* Of a warp, in windows of one size. */
struct neighbors {
    unsigned open, used, next, time; /* a bit for each group: may it grow? is it to be counted? */
    struct neighbor_group groups[NEIGHBOR_GROUPS];
};

/* What groups can grow after this request? */
void trace_neighbors_between(struct neighbors *n, const struct trace_request *r);
/* The window of how many bytes, 16 at most, in which all lanes have the same place? 0: none.
 * address: a GPU's; width: of a row of the block; is_fixed: all rows must have the same address. */
unsigned trace_neighbors_window(const struct trace_request *r, const uint64_t *address,
                                unsigned width, int is_fixed);
/* The group that such a request belongs to, or NULL; then a new one, in place of number `next`. */
struct neighbor_group *trace_neighbors_find(struct neighbors *n, const struct trace_request *r,
                                            const struct trace_variable *v, const uint64_t *address,
                                            unsigned window);
struct neighbor_group *trace_neighbors_begin(struct neighbors *n, const struct trace_request *r,
                                             const struct trace_variable *v,
                                             const uint64_t *address, unsigned window);
void trace_neighbors_add(struct neighbor_group *g, const struct trace_request *r,
                         const uint64_t *address, unsigned window);
/* The accesses that nvcc makes of a group, one after another: `slot` is 0 at first and then left
 * alone. Returns the bytes, and each lane's address; or 0: that was all. */
unsigned trace_neighbors_access(const struct neighbor_group *g, unsigned window, unsigned *slot,
                                uint64_t *address);
#endif
