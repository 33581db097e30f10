/*
 * again.h: loads of what the warp has loaded already.
 *
 * nvcc knows that a store to shared memory changes nothing in global memory, nor one to global
 * memory anything in shared memory, and that a shuffle or a vote changes nothing at all: it keeps
 * what was loaded before. gcc loads again. A place that does so each time it is reached is not
 * counted; where other addresses come, too, the equal ones are chance, and count.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_AGAIN_H
#define CPU_DEVICE_TRACE_AGAIN_H
#include "trace/trace.h"

enum { AGAIN_LOADS = 16, AGAIN_SPACES = TRACE_SHARED + 1 };

/* What a load repeats: one at its own place, in a loop, or one at another place. Of a place that
 * loads it is noted, too, that there was nothing to compare with. */
enum trace_again { AGAIN_NOT, AGAIN_OWN = 1, AGAIN_OTHER = 2, AGAIN_NONE = 4 };

/* The warp's last loads from a memory since that may have changed. */
struct again_loads {
    unsigned next, valid,
        passed; /* the latter two: a bit for each load; gcc takes it for changed */
    struct again_load {
        struct trace_row *row;
        unsigned bytes, lanes;
        char consecutive;
        uint64_t address[WARP]; /* consecutive: only the first */
    } loads[AGAIN_LOADS];
};
struct again {
    unsigned warp;
    struct again_loads of[AGAIN_SPACES];
};

static inline void trace_again_end(struct again *a) {
    for (unsigned i = 0; i < AGAIN_SPACES; i++)
        a->of[i].valid = a->of[i].passed = 0;
}
/* A warp function that orders no memory. */
static inline void trace_again_passed(struct again *a) {
    for (unsigned i = 0; i < AGAIN_SPACES; i++)
        a->of[i].passed = a->of[i].valid;
}
/* What of an earlier load's a request repeats; row: where it is counted, and where is noted that it
 * had another address. */
enum trace_again trace_again(struct again *a, const struct trace_request *r, struct trace_row *row);
#endif
