/*
 * async_copies.c: copies to shared memory that threads have begun and not waited for. A copy may
 * store at any time from its begin to its wait: it is a store at both, and what lies between reads
 * memory that is not written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race_block.h"

/* The store itself has been recorded. */
void trace_check_copy_begun(struct trace_worker *w, unsigned thread, uintptr_t to, unsigned bytes,
                            const void *pc) {
    struct checker *c = w->checker;
    trace_under_way_add(c, (struct under_way){.address = to,
                                              .pc = pc,
                                              .epoch = c->epoch,
                                              .seq = c->warp[thread / WARP].seq,
                                              .thread = (uint16_t)thread,
                                              .bytes = (uint16_t)bytes});
    trace_block_unknown(c, to, bytes);
}

/* Where no barrier lies between begin and wait the two are one store to others. */
int trace_check_copy_arrived(struct trace_worker *w, unsigned thread, uintptr_t to,
                             const void *pc) {
    struct checker *c = w->checker;
    struct under_way u;
    if (!trace_under_way_take(c, thread, to, &u))
        return 0;
    uint64_t address[WARP];
    address[thread % WARP] = to;
    struct trace_request r = {.pc = u.epoch == c->epoch ? u.pc : pc,
                              .op = TRACE_STORE,
                              .space = TRACE_SHARED,
                              .bytes = u.bytes,
                              .lanes = 1u << thread % WARP,
                              .first = thread % WARP,
                              .warp = thread / WARP,
                              .address = address};
    return trace_check_request(w, &r);
}
