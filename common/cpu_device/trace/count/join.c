/*
 * join.c: see join.h. The rules are those of nvcc 13, seen in its machine code.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/join.h"

/* Requests for those of four neighbors. Three or all, with the first, are one load, even when one
 * between is not wanted; stores are one only when all are. Else by pairs. */
static int requests_for(unsigned slots, enum trace_op op) {
    int wide = op == TRACE_LOAD ? slots & 1 && __builtin_popcount(slots) >= 3 : slots == 15;
    return wide ? 1 : ((slots & 3) != 0) + ((slots & 12) != 0);
}

void trace_join_between(struct join *j, const struct trace_request *r,
                        const struct cpu_device_element *element) {
    if (j->warp != r->warp || r->op == TRACE_ATOMIC || r->is_volatile)
        j->open = 0;
    j->warp = r->warp;
    /* It may be the same memory, but for other members of the same type. */
    for (unsigned i = 0; i < JOIN_GROUPS; i++)
        if (j->open >> i & 1 && j->groups[i].op != r->op &&
            (j->groups[i].element != element || !element))
            j->open &= ~(1u << i);
}

/* The slot of a request in its window, if that is the same for all lanes; else -1. */
static int slot_of(const struct trace_request *r, uint64_t window) {
    uint64_t slot = r->address[r->first] % window;
    for (unsigned i = 0; i < WARP; i++)
        if (r->lanes >> i & 1 && r->address[i] % window != slot)
            return -1;
    return (int)(slot / r->bytes);
}

static int in_windows(const struct join_group *g, const struct trace_request *r, uint64_t window) {
    for (unsigned i = 0; i < WARP; i++)
        if (r->lanes >> i & 1 && g->window[i] != r->address[i] / window)
            return 0;
    return 1;
}

static int takes(const struct join_group *g, const struct trace_request *r,
                 const struct cpu_device_element *element, int slot, uint64_t window) {
    if (g->element != element || g->op != r->op || g->bytes != r->bytes || g->lanes != r->lanes ||
        g->slots >> slot & 1)
        return 0;
    for (unsigned i = 0; i < JOIN_SLOTS; i++) /* an element of an array, in a loop */
        if (r->op == TRACE_LOAD && g->slots >> i & 1 && g->pc[i] == r->pc)
            return 0;
    return in_windows(g, r, window);
}

struct join_group *trace_join_add(struct join *j, const struct trace_request *r,
                                  const struct cpu_device_element *element, int *more) {
    uint64_t window = element ? element->alignment : 0;
    if (window > JOIN_SLOTS * r->bytes)
        window = JOIN_SLOTS * r->bytes;
    if (window > 16)
        window = 16;
    int slot = window > r->bytes ? slot_of(r, window) : -1;
    if (slot < 0)
        return NULL;
    struct join_group *g = NULL;
    for (unsigned i = 0; i < JOIN_GROUPS && !g; i++)
        if (j->open >> i & 1 && takes(&j->groups[i], r, element, slot, window))
            g = &j->groups[i];
    if (!g) {
        unsigned next = j->next++ % JOIN_GROUPS;
        j->open |= 1u << next;
        g = &j->groups[next];
        *g = (struct join_group){
            .element = element, .op = r->op, .bytes = r->bytes, .lanes = r->lanes};
        for (unsigned i = 0; i < WARP; i++)
            g->window[i] = r->lanes >> i & 1 ? r->address[i] / window : 0;
    }
    *more = requests_for(g->slots | 1u << slot, r->op) - requests_for(g->slots, r->op);
    g->slots |= 1u << slot;
    g->pc[slot] = r->pc;
    return g;
}
