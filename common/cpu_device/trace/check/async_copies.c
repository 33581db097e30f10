/*
 * async_copies.c: copies to shared memory that threads have begun and not waited for. A copy may
 * store at any time from its begin to its wait: it is a store at both, and what lies between reads
 * memory that is not written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"
#include "trace/check/race_block.h"
#include <stdlib.h>
#include <string.h>

void trace_under_way_forget(struct checker *c) {
    if (c->under_way_count)
        memset(c->under_way_first, 0, sizeof c->under_way_first);
    c->under_way_count = c->under_way_free = 0;
}

static uint32_t new_copy(struct checker *c) {
    uint32_t n = c->under_way_free;
    if (n) {
        c->under_way_free = c->under_way[n].next;
        return n;
    }
    if (c->under_way_count + 1 >= c->under_way_room) {
        c->under_way_room = c->under_way_room ? 2 * c->under_way_room : 1024;
        c->under_way = realloc(c->under_way, c->under_way_room * sizeof *c->under_way);
        if (!c->under_way)
            abort();
    }
    return ++c->under_way_count;
}

/* The store itself has been recorded. */
void trace_check_copy_begun(struct trace_worker *w, unsigned thread, uintptr_t to, unsigned bytes,
                            const void *pc) {
    struct checker *c = w->checker;
    uint32_t n = new_copy(c);
    c->under_way[n] = (struct under_way){.address = to,
                                         .pc = pc,
                                         .epoch = c->epoch,
                                         .seq = c->warp[thread / WARP].seq,
                                         .next = c->under_way_first[thread],
                                         .thread = (uint16_t)thread,
                                         .bytes = (uint16_t)bytes};
    c->under_way_first[thread] = n;
    trace_block_unknown(c, to, bytes);
}

/* Where no barrier lies between begin and wait the two are one store to others. */
int trace_check_copy_arrived(struct trace_worker *w, unsigned thread, uintptr_t to,
                             const void *pc) {
    struct checker *c = w->checker;
    uint32_t *at = &c->under_way_first[thread], n;
    while ((n = *at) && c->under_way[n].address != to)
        at = &c->under_way[n].next;
    if (!n)
        return 0;
    const struct under_way u = c->under_way[n];
    *at = u.next;
    c->under_way[n] = (struct under_way){.next = c->under_way_free};
    c->under_way_free = n;
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

const struct under_way *trace_under_way(const struct checker *c, uintptr_t address) {
    for (uint32_t i = 1; i <= c->under_way_count; i++)
        if (address - c->under_way[i].address < c->under_way[i].bytes)
            return &c->under_way[i];
    return NULL;
}
