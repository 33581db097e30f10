/*
 * join.h: members of a struct or vector that are accessed one by one: nvcc loads, and stores,
 * neighbors together where the type's alignment allows it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_JOIN_H
#define CPU_DEVICE_TRACE_JOIN_H
#include "trace/trace.h"

enum { JOIN_GROUPS = 8, JOIN_SLOTS = 4 };

/* Those of one request that nvcc may make: for each lane neighbors of one size, in a window of at
 * most 16 bytes. */
struct join_group {
    const struct cpu_device_element *element;
    enum trace_op op;
    unsigned bytes, lanes, slots; /* slots: a bit for each neighbor */
    const void *pc[JOIN_SLOTS];
    uint64_t window[WARP];
    struct trace_row *row; /* where the last request of these was counted */
    uint64_t sectors;      /* of such a request */
};
struct join {
    unsigned warp, open, next; /* open: a bit for each group that may grow */
    struct join_group groups[JOIN_GROUPS];
};

/* Nothing that follows joins what came before. */
static inline void trace_join_end(struct join *j) { j->open = 0; }
/* What groups can grow after this request? element: of what it touches, or NULL. */
void trace_join_between(struct join *j, const struct trace_request *r,
                        const struct cpu_device_element *element);
/* The group that a request belongs to; *more: requests that it adds to that, from -1 to 1. */
struct join_group *trace_join_add(struct join *j, const struct trace_request *r,
                                  const struct cpu_device_element *element, int *more);
#endif
