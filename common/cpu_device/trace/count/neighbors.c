/*
 * neighbors.c: see neighbors.h. The rules are those of nvcc 13, seen in its machine code.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/neighbors.h"

/* What lies further apart, in requests of the warp, is in loops that nvcc does not unroll. */
enum { FAR_APART = 48 };

void trace_neighbors_between(struct neighbors *n, const struct trace_request *r) {
    if (r->op == TRACE_ATOMIC || r->is_volatile)
        n->open = 0;
    n->time++;
    for (unsigned i = 0; n->open && i < NEIGHBOR_GROUPS; i++) /* it may be the same memory */
        if (n->groups[i].op != r->op)
            n->open &= ~(1u << i);
}

unsigned trace_neighbors_window(const struct trace_request *r, const uint64_t *address,
                                unsigned width, int is_fixed) {
    unsigned last = r->first;
    uint64_t differ = 0; /* in these bits, from lane to lane */
    for (unsigned i = r->first + 1; i < WARP; i++) {
        if (!(r->lanes >> i & 1))
            continue;
        int64_t distance = (int64_t)(address[i] - address[last]);
        unsigned thread = r->warp * WARP + i, lanes = i - last;
        differ |= (uint64_t)distance;
        if (lanes > 1 || is_fixed) {
            int is_same_row = thread / width == (thread - lanes) / width;
            if (is_fixed && !is_same_row && distance)
                return 0;
            /* That only every second lane takes part, say, nvcc does not know. */
            if (is_same_row && distance % lanes == 0)
                differ |= (uint64_t)(distance / lanes);
        }
        last = i;
    }
    return !(differ & 15) ? 16 : !(differ & 7) ? 8 : !(differ & 3) ? 4 : 0;
}

enum { SLOT = 2 }; /* bytes */
static unsigned slot_of(const struct trace_request *r, const uint64_t *address, unsigned window) {
    return (unsigned)(address[r->first] % window / SLOT);
}

static int takes(const struct neighbor_group *g, const struct trace_request *r,
                 const struct trace_variable *v, const uint64_t *address, unsigned window) {
    unsigned slot = slot_of(r, address, window);
    int is_again = 0, is_down = 0;
    if (g->window[r->first] != address[r->first] / window || g->variable->first != v->first ||
        g->op != r->op || g->lanes != r->lanes || (g->doubles != 0) != (r->bytes == 8))
        return 0;
    for (unsigned i = 0; i < NEIGHBOR_SLOTS; i++) {
        int is_there = g->halves >> i & 1 || g->words >> i / 2 & 1 || g->doubles >> i / 4 & 1,
            is_same = i - slot < r->bytes / SLOT;
        if (is_there && is_same) /* nvcc keeps what has been loaded */
            is_again = 1;
        else if (is_there && i > slot && g->pc[i] == r->pc)
            is_down = 1;
    }
    if (is_again ? r->op == TRACE_STORE : is_down) /* a loop downwards is not joined */
        return 0;
    for (unsigned i = 0; i < WARP; i++)
        if (r->lanes >> i & 1 && g->window[i] != address[i] / window)
            return 0;
    return 1;
}

struct neighbor_group *trace_neighbors_find(struct neighbors *n, const struct trace_request *r,
                                            const struct trace_variable *v, const uint64_t *address,
                                            unsigned window) {
    for (unsigned i = 0; n->open && i < NEIGHBOR_GROUPS; i++) {
        struct neighbor_group *g = &n->groups[i];
        if (n->open >> i & 1 && n->time - g->time > FAR_APART)
            n->open &= ~(1u << i);
        else if (n->open >> i & 1 && takes(g, r, v, address, window)) {
            g->time = n->time;
            return g;
        }
    }
    return NULL;
}

struct neighbor_group *trace_neighbors_begin(struct neighbors *n, const struct trace_request *r,
                                             const struct trace_variable *v,
                                             const uint64_t *address, unsigned window) {
    struct neighbor_group *g = &n->groups[n->next];
    n->open |= 1u << n->next;
    n->used |= 1u << n->next;
    n->next = (n->next + 1) % NEIGHBOR_GROUPS;
    g->variable = v;
    g->op = r->op;
    g->lanes = r->lanes;
    g->halves = g->words = g->doubles = 0;
    g->time = n->time;
    for (unsigned i = 0; i < WARP; i++)
        g->window[i] = (uint16_t)(r->lanes >> i & 1 ? address[i] / window : 0);
    return g;
}

void trace_neighbors_add(struct neighbor_group *g, const struct trace_request *r,
                         const uint64_t *address, unsigned window) {
    unsigned slot = slot_of(r, address, window), bit = 1u << slot * SLOT / r->bytes;
    unsigned *of_size = r->bytes == 8 ? &g->doubles : r->bytes == 4 ? &g->words : &g->halves;
    for (unsigned i = 0; !(*of_size & bit) && i < r->bytes / SLOT; i++)
        g->pc[slot + i] = r->pc;
    *of_size |= bit;
}

/* Two numbers of 2 bytes are one of 4: stores, and with others of 4; whether two loads alone are
 * depends on what becomes of them. Of 4 bytes, three or four are one load, even when one of them is
 * not wanted; stores are one only when all are. Else by pairs. */
unsigned trace_neighbors_access(const struct neighbor_group *g, unsigned window, unsigned *slot,
                                uint64_t *address) {
    unsigned at = *slot, bytes = 0, words = g->words;
    for (unsigned i = 0; i < NEIGHBOR_SLOTS / 2; i++)
        if ((g->op == TRACE_STORE || g->words) && (g->halves >> 2 * i & 3) == 3)
            words |= 1u << i;
    int wanted = __builtin_popcount(words);
    for (; at < window / SLOT && !bytes; at += !bytes) {
        unsigned next = words >> at / 2;
        if (g->doubles)
            bytes = at == 0 && g->doubles == 3                ? 16
                    : at % 4 == 0 && g->doubles >> at / 4 & 1 ? 8
                                                              : 0;
        else if (g->words && (wanted == 4 || (wanted == 3 && g->op == TRACE_LOAD)))
            at = 0, bytes = 16;
        else if (at % 4 == 0 && (next & 3) == 3)
            bytes = 8;
        else if (at % 2 == 0 && next & 1)
            bytes = 4;
        else if (g->halves >> at & 1 && !(next & 1))
            bytes = 2;
    }
    for (unsigned i = 0; i < WARP; i++)
        address[i] = (uint64_t)g->window[i] * window + at * SLOT;
    *slot = at + bytes / SLOT;
    return bytes;
}
