/*
 * race_found.c: the races of a block, found so far; they are reported at its end, when its order by
 * fences is known.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race.h"
#include <string.h>

/* Of one pair of sites, within a warp or between two. */
enum { PENDING = 64, EXAMPLES = 4 };
struct pending {
    struct turn turn;
    uint32_t epoch;
    uint16_t count;
    uint8_t differ; /* or may: they are not known to store one constant */
    struct example {
        union access a, b;
        uintptr_t address;
    } example[EXAMPLES];
};

/* Both threads have come from a barrier. Has one of them jumped back over it since, and not the
 * other one, then its access is one of a later turn. Within one turn lines may say so. */
static struct turn turn_of(const struct checker *c, union access a, union access b) {
    struct turn t = {.since = c->worker->barrier};
    if (a.turned == b.turned && !a.turned)
        return t;
    if (a.site == b.site || a.turned == TURNED_UNKNOWN || b.turned == TURNED_UNKNOWN ||
        !a.turned == !b.turned)
        return (struct turn){.since = NULL};
    t.first = a.turned ? b.site : a.site;
    t.often = a.turned == TURNED_OFTEN || b.turned == TURNED_OFTEN;
    return t;
}

static int in_one_warp(union access a, union access b) {
    return a.thread / WARP == b.thread / WARP;
}

void trace_block_race(struct checker *c, uintptr_t address, union access a, union access b) {
    if (!c->pending)
        c->pending = trace_must(calloc(PENDING, sizeof *c->pending));
    struct pending *p = NULL;
    for (unsigned i = 0; i < c->pending_count && !p; i++) {
        union access x = c->pending[i].example[0].a, y = c->pending[i].example[0].b;
        if (x.site == a.site && y.site == b.site && in_one_warp(x, y) == in_one_warp(a, b))
            p = &c->pending[i];
    }
    if (!p && c->pending_count < PENDING) {
        p = &c->pending[c->pending_count++];
        p->count = p->differ = 0;
        p->turn = turn_of(c, a, b);
        p->epoch = c->epoch;
    }
    if (p)
        p->turn = trace_turn_of_both(p->turn, turn_of(c, a, b));
    if (p && !p->differ) {
        const struct site *s = trace_site_of(a.site);
        p->differ = !trace_same_constant(a.site, b.site) ||
                    memcmp((void *)(address & -(uintptr_t)s->bytes), &s->value, s->bytes) != 0;
    }
    if (p && p->count < EXAMPLES)
        p->example[p->count++] = (struct example){a, b, address};
}

static void tell(const struct checker *c, uintptr_t address, union access a, union access b,
                 const struct pending *p) {
    struct finding f = trace_finding_in(c->worker, RACE);
    f.is_note = !p->differ;
    f.space = trace_shared_near((void *)address) ? TRACE_SHARED : TRACE_GLOBAL;
    f.other_block = f.block;
    f.thread = a.thread, f.other_thread = b.thread;
    f.site = a.site, f.other_site = b.site;
    f.turn = p->turn;
    f.epoch = p->epoch;
    f.copy = a.class == COPY ? a.site : 0;
    f.has_lock = trace_order_one_lock(c, a.thread, b.thread);
    f.address = address;
    if (f.space == TRACE_SHARED)
        trace_shared_where(c->worker, address, &f);
    trace_found(&f);
}

void trace_block_tell(struct checker *c) {
    for (unsigned i = 0; i < c->pending_count; i++) {
        const struct pending *p = &c->pending[i];
        unsigned k = 0;
        while (k < p->count && p->example[k].a.thread != p->example[k].b.thread &&
               trace_order_in_block(c, p->example[k].a, p->example[k].b))
            k++;
        if (k < p->count)
            tell(c, p->example[k].address, p->example[k].a, p->example[k].b, p);
    }
    c->pending_count = 0;
}
