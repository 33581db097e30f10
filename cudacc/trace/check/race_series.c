/*
 * race_series.c: what most kernels do with most of their memory, in short. Most requests are 32
 * lanes side by side at whole lines, and the next warp does the same a fixed distance further on.
 * Such an instruction of a block is one series, which grows by a warp each time
 * (trace_race_continues: the series whose turn it is waits for that very address). In one
 * allocation series lie apart or are the same lanes', so nothing within the block can race there.
 * As soon as the block does anything else with that allocation, its series are written out to the
 * block's table, as if each access had gone there at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race_series.h"
#include "trace/check/race_grid.h"
#include <string.h>

static int one_warp(const struct series *t) { return t->warp == t->first_warp + 1; }

/* A step of 0 is not known yet: no warp can be added before set_step has found it. */
static int same_lanes_as(const struct series *a, const struct series *b) {
    return a->start == b->start && a->bytes == b->bytes && a->first_warp == b->first_warp &&
           (a->step == b->step || !a->step || !b->step);
}

/* The addresses that a series can reach, from the first possible warp to the last. */
static uintptr_t lowest(const struct series *t) {
    return t->start + (uintptr_t)(t->step < 0 ? t->step * (t->end - 1 - t->first_warp) : 0);
}
static uintptr_t highest(const struct series *t) {
    return t->start + (uintptr_t)(t->step > 0 ? t->step * (t->end - 1 - t->first_warp) : 0) +
           WARP * t->bytes;
}

/* Series of one allocation must not overlap, unless the same lanes make them: then no two threads
 * meet. Does t keep to that? */
static int keeps_apart(const struct all_series *all, const struct series *t) {
    uintptr_t low = lowest(t), high = highest(t);
    for (const struct series *o = all->of; o < all->of + all->count; o++)
        if (o->shadow == t->shadow && o != t && lowest(o) < high && low < highest(o) &&
            !same_lanes_as(o, t))
            return 0;
    return 1;
}

/* Sets how far t goes from its second warp on, when that one is `step` bytes from the first. */
static int set_step(const struct all_series *all, struct series *t, ptrdiff_t step,
                    const struct trace_allocation *a) {
    uintptr_t low = (uintptr_t)a->base, most = a->bytes - WARP * t->bytes;
    t->step = step;
    t->end = step ? MAX_WARPS : t->first_warp + 1;
    while (t->start + (uintptr_t)(step * (t->end - 1 - t->first_warp)) - low > most)
        t->end--;
    return keeps_apart(all, t);
}

/* Begins a series in the free slot t, which may hold one of the block before. */
static int begin(struct all_series *all, struct series *t, const struct trace_request *r,
                 const struct trace_allocation *a, struct series is) {
    /* How far apart the warps are is not known yet; a guess is what the block before had. */
    ptrdiff_t step = t->pc == r->pc ? t->step : 0;
    *t = is;
    t->pc = r->pc;
    t->next = t->start = r->address[0];
    t->op = (uint8_t)r->op;
    t->bytes = (uint8_t)r->bytes;
    t->first_warp = t->warp = (uint8_t)r->warp;
    if (!set_step(all, t, step, a) && (!step || !set_step(all, t, 0, a))) {
        t->next = NOWHERE;
        return 0;
    }
    all->count++;
    t[1].next = NOWHERE;
    return 1;
}

/* t has one warp so far, r is the next one's request. */
static int find_step(const struct all_series *all, struct series *t, const struct trace_request *r,
                     const struct trace_allocation *a) {
    ptrdiff_t step = t->step;
    if (!set_step(all, t, (ptrdiff_t)(r->address[0] - t->start), a)) {
        set_step(all, t, step, a);
        return 0;
    }
    t->next = r->address[0];
    return 1;
}

/* A read qualifies only where all its bytes are known to be written. The series are in each warp's
 * order of time: a warp never goes back. */
int trace_race_series(struct checker *c, const struct trace_request *r, struct trace_allocation *a,
                      struct shadow *s, unsigned site, unsigned class) {
    struct all_series *all = &c->all_series;
    uintptr_t p = r->address[0];
    uint32_t seq = c->warp[r->warp].seq;
    unsigned known = class == READ && s->written ? r->bytes / (LINE / WARP) : 0;
    if (p % LINE || r->bytes < 4 || class > WRITE || !c->alone || c->any_fence ||
        __atomic_load_n(&s->mixed, __ATOMIC_RELAXED) == c->launch ||
        (known && !trace_lines_written(s, p, known)))
        return 0;
    struct series *t = &all->of[all->next[r->warp]], *end = all->of + all->count;
    for (; t < end; t++)
        if (t->pc == r->pc && t->op == r->op && t->bytes == r->bytes && t->warp == r->warp &&
            t->seq == seq && t->shadow == s && (t->next == p || (one_warp(t) && t->start != p)))
            break;
    if (t == end) {
        struct series is = {.shadow = s,
                            .epoch = c->epoch,
                            .seq = seq,
                            .site = (uint16_t)site,
                            .class = (uint8_t) class,
                            .known = (uint8_t)known};
        if (t == all->of + MOST_SERIES || !begin(all, t, r, a, is))
            return 0;
    } else if (t->next != p && !find_step(all, t, r, a)) {
        return 0;
    }
    trace_series_step(all, t);
    return 1;
}

/* In the order in which it was done to each line. */
void trace_all_series_to_table(struct checker *c, struct shadow *s) {
    struct all_series *all = &c->all_series;
    all->in_the_table = s;
    if (c->alone && __atomic_load_n(&s->mixed, __ATOMIC_RELAXED) != c->launch)
        __atomic_store_n(&s->mixed, c->launch, __ATOMIC_RELAXED);
    for (struct series *t = all->of; t < all->of + all->count; t++) {
        if (t->shadow != s)
            continue;
        for (unsigned warp = t->first_warp; warp < t->warp; warp++)
            for (unsigned k = 0; k < lines_of(t); k++) {
                struct run run = run_of_series(t, warp, k);
                trace_block_access(c, s, line_of(t, warp) + k, &run);
            }
        t->shadow = NULL;
        t->next = NOWHERE;
    }
}

/* Those of the same lanes together: of each class the last one, as in the table. */
void trace_all_series_publish(struct checker *c) {
    struct all_series *all = &c->all_series;
    for (unsigned i = 0; i < all->count; i++) {
        struct series *t = &all->of[i], *last[2] = {t, NULL};
        struct shadow *s = t->shadow;
        int even = 1;
        for (unsigned k = i + 1; s && k < all->count; k++) {
            struct series *o = &all->of[k];
            if (o->shadow == s && o->start == t->start) {
                even &= o->warp == t->warp && (o->step == t->step || one_warp(o));
                last[o->class != t->class] = o;
            }
        }
        if (s && even)
            trace_grid_add_series(c, last[0], last[1]);
        else if (s)
            trace_all_series_to_table(c, s);
        for (unsigned k = all->count; s && k-- > i;)
            if (all->of[k].shadow == s && all->of[k].start == t->start)
                all->of[k].shadow = NULL;
    }
}

void trace_all_series_forget(struct checker *c) {
    c->all_series.count = 0;
    memset(c->all_series.next, 0, sizeof c->all_series.next);
    c->all_series.of[0].next = NOWHERE;
    c->all_series.in_the_table = NULL;
}
