/*
 * values.c: do all threads store one value to one place? What a thread stores is seen when another
 * one is about to store there, by the same instruction: that is what lies there then.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race_block.h"
#include <string.h>

static uint64_t value_at(uintptr_t address, unsigned bytes) {
    uint64_t value = 0;
    memcpy(&value, (void *)address, bytes);
    return value;
}

/* Of two sites with one place nothing is known: of more than 256. */
static struct stored *stored_by(struct checker *c, unsigned site) {
    return &c->stored[site % (sizeof c->stored / sizeof *c->stored)];
}

static int is_of(const struct checker *c, const struct stored *v, unsigned site,
                 uintptr_t address) {
    return v->interval == c->interval && v->site == site && v->address == address && !v->differ;
}

void trace_values_storing(struct checker *c, unsigned site, uintptr_t address, unsigned bytes) {
    struct stored *v = stored_by(c, site);
    if (v->interval != c->interval)
        *v = (struct stored){address, 0, c->interval, (uint16_t)site, bytes > sizeof v->value, 0};
    else if (!is_of(c, v, site, address))
        *v = (struct stored){.interval = c->interval, .site = (uint16_t)site, .differ = 1};
    else if (!v->times++)
        v->value = value_at(address, bytes);
    else
        v->differ = v->value != value_at(address, bytes);
}

void trace_values_stored(struct checker *c, uintptr_t line, const struct run *n, int is_shared) {
    uintptr_t address = line * LINE + n->offset;
    struct stored *v = stored_by(c, n->site);
    int known = is_of(c, v, n->site, address) &&
                n->mask == bytes_between(n->offset, n->offset + n->width) &&
                (!v->times || v->value == value_at(address, n->width));
    if (!known)
        *v = (struct stored){.interval = c->interval, .site = n->site, .differ = 1};
    if (c->cross_block && !is_shared)
        trace_site_stores(n->site, known ? address : 0, known ? value_at(address, n->width) : 0);
}

int trace_values_agree(struct checker *c, uintptr_t address, union access a, union access b) {
    const struct site *s = trace_site_of(a.site);
    const struct stored *v = stored_by(c, a.site);
    address &= -(uintptr_t)s->bytes;
    if (trace_same_constant(a.site, b.site) && memcmp((void *)address, &s->value, s->bytes) == 0)
        return 1;
    return a.site == b.site && is_of(c, v, a.site, address) && v->times &&
           v->value == value_at(address, s->bytes);
}
