/*
 * pending_copies.c: the copies to shared memory that are under way in a block, a list for each
 * thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"
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
    n = ++c->under_way_count;
    c->under_way = trace_with_room(c->under_way, n, sizeof *c->under_way);
    return n;
}

void trace_under_way_add(struct checker *c, struct under_way copy) {
    uint32_t n = new_copy(c), *first = &c->under_way_first[copy.thread];
    copy.next = 0;
    c->under_way[n] = copy;
    *(*first ? &c->under_way[c->under_way_last[copy.thread]].next : first) = n;
    c->under_way_last[copy.thread] = n;
}

int trace_under_way_take(struct checker *c, unsigned thread, uintptr_t to, struct under_way *copy) {
    uint32_t *at = &c->under_way_first[thread], n, before = 0;
    while ((n = *at) && c->under_way[n].address != to)
        at = &c->under_way[before = n].next;
    if (!n)
        return 0;
    if (c->under_way_last[thread] == n)
        c->under_way_last[thread] = before;
    *copy = c->under_way[n];
    *at = copy->next;
    c->under_way[n] = (struct under_way){.next = c->under_way_free};
    c->under_way_free = n;
    return 1;
}

const struct under_way *trace_under_way(const struct checker *c, uintptr_t address) {
    for (uint32_t i = 1; i <= c->under_way_count; i++)
        if (address - c->under_way[i].address < c->under_way[i].bytes)
            return &c->under_way[i];
    return NULL;
}
