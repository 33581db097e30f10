/*
 * neighbors.c: see neighbors.h. The rules are those of nvcc 13, seen in its machine code.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/report/neighbors.h"

/* What lies further apart, in requests of the warp, is in loops that nvcc does not unroll. */
enum { FAR_APART = 64 };

void trace_neighbors_between(struct neighbors *n, const struct trace_request *r,
                             const struct trace_variable *v) {
    if (n->warp != r->warp || r->op == TRACE_ATOMIC || r->is_volatile)
        n->open = 0;
    n->warp = r->warp;
    n->time++;
    for (unsigned i = 0; n->open >> i && i < NEIGHBOR_GROUPS; i++)
        if (n->open >> i & 1 && n->groups[i].op != r->op && n->groups[i].variable == v)
            n->open &= ~(1u << i);
}

unsigned trace_neighbors_window(const struct trace_request *r, const uint64_t *address,
                                unsigned width) {
    unsigned last = r->first;
    uint64_t differ = 0; /* in these bits, from lane to lane */
    for (unsigned i = r->first + 1; i < WARP; i++) {
        if (!(r->lanes >> i & 1))
            continue;
        int64_t distance = (int64_t)(address[i] - address[last]);
        unsigned thread = r->warp * WARP + i, lanes = i - last;
        differ |= (uint64_t)distance;
        /* That only every second lane takes part, say, nvcc does not know. */
        if (distance % lanes == 0 && thread / width == (thread - lanes) / width)
            differ |= (uint64_t)(distance / lanes);
        last = i;
    }
    return !(differ & 15) ? 16 : !(differ & 7) ? 8 : 0;
}

static int takes(const struct neighbor_group *g, const struct trace_request *r,
                 const struct trace_variable *v, const uint64_t *address, unsigned window) {
    if (g->variable->first != v->first || g->op != r->op || g->bytes != r->bytes ||
        g->lanes != r->lanes)
        return 0;
    unsigned slot = (unsigned)(address[r->first] % window / r->bytes);
    if (g->slots >> slot & 1)
        return 0;
    for (unsigned i = slot + 1; i < NEIGHBOR_SLOTS; i++) /* a loop downwards */
        if (g->slots >> i & 1 && g->pc[i] == r->pc)
            return 0;
    for (unsigned i = 0; i < WARP; i++)
        if (r->lanes >> i & 1 && g->window[i] != address[i] / window)
            return 0;
    return 1;
}

struct neighbor_group *trace_neighbors_find(struct neighbors *n, const struct trace_request *r,
                                            const struct trace_variable *v,
                                            const uint64_t *address, unsigned window) {
    for (unsigned i = 0; n->open >> i && i < NEIGHBOR_GROUPS; i++) {
        struct neighbor_group *g = &n->groups[i];
        if (n->open >> i & 1 && n->time - g->time > FAR_APART)
            n->open &= ~(1u << i);
        else if (n->open >> i & 1 && takes(g, r, v, address, window)) {
            g->time = n->time;
            return g;
        }
    }
    unsigned next = n->next++ % NEIGHBOR_GROUPS;
    struct neighbor_group *g = &n->groups[next];
    n->open |= 1u << next;
    g->variable = v;
    g->op = r->op;
    g->bytes = r->bytes;
    g->lanes = r->lanes;
    g->slots = 0;
    g->time = n->time;
    g->first = NULL;
    for (unsigned i = 0; i < WARP; i++)
        g->window[i] = r->lanes >> i & 1 ? address[i] / window : 0;
    return g;
}

void trace_neighbors_add(struct neighbor_group *g, const struct trace_request *r,
                         const uint64_t *address, unsigned window) {
    unsigned slot = (unsigned)(address[r->first] % window / r->bytes);
    g->slots |= 1u << slot;
    g->pc[slot] = r->pc;
}

/* Three or four are one load, even when one of them is not wanted; stores are one only when all
 * are. Else by pairs. */
unsigned trace_neighbors_access(const struct neighbor_group *g, unsigned window, unsigned *slot,
                                uint64_t *address) {
    unsigned all = window / g->bytes, at = *slot, count = 1;
    int wanted = __builtin_popcount(g->slots);
    while (at < all && !(g->slots >> at & 1))
        at++;
    if (at >= all)
        return 0;
    if (g->op == TRACE_LOAD ? wanted >= 3 : wanted == 4)
        at = 0, count = 4;
    else if (!(at & 1) && g->slots >> (at + 1) & 1)
        count = 2;
    for (unsigned i = 0; i < WARP; i++)
        address[i] = g->window[i] * window + at * g->bytes;
    *slot = at + count;
    return count * g->bytes;
}
