/*
 * bits.c: see bits.h. The rules are those of nvcc 13, seen in its machine code.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/bits.h"

int bits_are_whole(uint64_t mask, unsigned bytes, int apart) {
    unsigned first = mask ? (unsigned)__builtin_ctzll(mask) : 1;
    unsigned count = (unsigned)__builtin_popcountll(mask);
    uint64_t ones = count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
    return (count == 8 * bytes || !apart) && count >= 8 && !(count & (count - 1)) &&
           first % count == 0 && mask >> first == ones;
}

/* Is it the same unit, or one that the compiler sees to be another: in one array, at the same
 * distance for all lanes? */
static int is_at_distance(const struct bits_unit *u, const struct trace_request *r) {
    uint64_t distance = r->address[r->first] - u->address[r->first];
    if (u->lanes != r->lanes)
        return 0;
    for (unsigned i = 0; i < WARP; i++)
        if (r->lanes >> i & 1 && r->address[i] - u->address[i] != distance)
            return 0;
    return distance == 0 || distance - u->bytes <= (uint64_t)0 - u->bytes - r->bytes;
}

void bits_between(struct bits *b, const struct trace_request *r, const void *memory) {
    if (b->warp != r->warp || r->op == TRACE_ATOMIC || r->is_volatile)
        b->open = 0;
    b->warp = r->warp;
    for (unsigned i = 0; i < BITS_UNITS; i++) {
        struct bits_unit *u = &b->unit[i];
        if (!(b->open >> i & 1) || u->space != r->space)
            continue;
        if (u->memory == memory && is_at_distance(u, r)) {
            u->apart |= u->written && u->address[r->first] != r->address[r->first];
            continue;
        }
        if (r->op == TRACE_STORE)
            b->open &= ~(1u << i);
        u->written = 0;
        u->load = NULL;
    }
}

struct bits_unit *bits_find(struct bits *b, const struct trace_request *r) {
    for (unsigned i = 0; i < BITS_UNITS; i++) {
        struct bits_unit *u = &b->unit[i];
        unsigned others = r->op == TRACE_LOAD ? r->lanes & ~u->lanes : r->lanes ^ u->lanes;
        if (!(b->open >> i & 1) || u->bytes != r->bytes || others)
            continue;
        unsigned lane = 0;
        while (lane < WARP && (!(r->lanes >> lane & 1) || u->address[lane] == r->address[lane]))
            lane++;
        if (lane == WARP)
            return u;
    }
    return NULL;
}

struct bits_unit *bits_begin(struct bits *b, const struct trace_request *r, const void *memory) {
    unsigned next = b->next++ % BITS_UNITS;
    struct bits_unit *u = &b->unit[next];
    b->open |= 1u << next;
    *u = (struct bits_unit){
        .memory = memory, .space = r->space, .bytes = r->bytes, .lanes = r->lanes};
    for (unsigned i = 0; i < WARP; i++)
        u->address[i] = r->lanes >> i & 1 ? r->address[i] : 0;
    return u;
}
