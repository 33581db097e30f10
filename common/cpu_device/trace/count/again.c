/*
 * again.c: see again.h. The rules are those of nvcc 13, seen in its machine code.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/again.h"
#include <string.h>

static uint64_t address_of(const uint64_t *address, int consecutive, unsigned bytes,
                           unsigned lane) {
    return consecutive ? address[0] + (uint64_t)lane * bytes : address[lane];
}

/* Did the earlier load bring what all lanes of this one want? */
static int same(const struct again_load *l, const struct trace_request *r) {
    if (l->bytes != r->bytes || r->lanes & ~l->lanes)
        return 0;
    if (l->consecutive && r->consecutive)
        return l->address[0] == r->address[0];
    for (unsigned lanes = r->lanes; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctz(lanes);
        if (address_of(l->address, l->consecutive, l->bytes, i) !=
            address_of(r->address, r->consecutive, r->bytes, i))
            return 0;
    }
    return 1;
}

/* An earlier load at the same place decides; else one at another place of the same array. */
static enum trace_again find(const struct again_loads *a, const struct trace_request *r,
                             struct trace_row *row) {
    unsigned own = 0, own_equal = 0, others = 0, others_equal = 0;
    for (unsigned rest = a->valid; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest), bit = rest & -rest & a->passed;
        const struct again_load *l = &a->loads[i];
        if (l->row == row) {
            own |= bit;
            own_equal |= same(l, r) ? bit : 0;
        } else if (l->row->allocation == row->allocation && l->row->variable == row->variable) {
            others |= bit;
            others_equal |= same(l, r) ? bit : 0;
        }
    }
    if (own_equal)
        return AGAIN_OWN;
    if (own)
        row->varies |= AGAIN_OWN;
    else if (others_equal)
        return AGAIN_OTHER;
    else if (others)
        row->varies |= AGAIN_OTHER;
    return AGAIN_NOT;
}

static void keep(struct again_loads *a, const struct trace_request *r, struct trace_row *row) {
    unsigned slot = a->next++ % AGAIN_LOADS;
    struct again_load *l = &a->loads[slot];
    l->row = row;
    l->bytes = r->bytes;
    l->lanes = r->lanes;
    l->consecutive = r->consecutive;
    l->address[0] = r->address[0];
    if (!r->consecutive)
        memcpy(l->address, r->address, sizeof l->address);
    a->valid |= 1u << slot;
    a->passed &= ~(1u << slot);
}

enum trace_again trace_again(struct again *a, const struct trace_request *r,
                             struct trace_row *row) {
    struct again_loads *own = &a->of[r->space], *other = &a->of[!r->space];
    if (a->warp != r->warp)
        trace_again_end(a);
    a->warp = r->warp;
    if (r->op != TRACE_LOAD) {
        own->valid = own->passed = 0;
        other->passed = other->valid;
        return AGAIN_NOT;
    }
    if (r->is_volatile)
        return AGAIN_NOT;
    if (!own->passed)
        row->varies |= AGAIN_NONE;
    enum trace_again again = own->passed ? find(own, r, row) : AGAIN_NOT;
    if (again != AGAIN_OWN) /* the next round of a loop is compared with this one */
        keep(own, r, row);
    return again;
}
