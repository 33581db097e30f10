/*
 * race_block.c: who used a line within a block. Each worker has a table of the lines that its block
 * has touched. A line keeps a few runs: neighboring lanes that touched neighboring bytes, with
 * the instruction and the time. Time within a block is the number of barriers so far, and within a
 * warp that of warp synchronizations. Two accesses race if they touch the same byte from two
 * threads, one at least writes, and neither time distinguishes them. Where runs become many, the
 * line gets cells (race_cells.c).
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race.h"
#include "trace/check/streams.h"
#include <string.h>

/* ---- Runs -------------------------------------------------------------------------------- */

/* r is in the table, n comes: of the same lanes and class. Can one run stand for both? The new time
 * is right for bytes that n touches: who comes after that has come after r. It is wrong for those
 * that only r has touched, unless nothing lies between the two. */
static int covers(const struct run *n, const struct run *r) {
    if (!(r->mask & ~n->mask))
        return r->mask == n->mask || r->site == n->site;
    return r->site == n->site && r->epoch == n->epoch && r->seq == n->seq && r->fences == n->fences;
}

/* r is in the table, n comes; both touch the bytes in `both`. */
static void judge_runs(struct checker *c, uintptr_t line, const struct run *r, const struct run *n,
                       bytes128 both) {
    unsigned unit = r->width < n->width ? r->width : n->width;
    while (both) {
        unsigned byte = take(&both, unit);
        for (unsigned i = 0; i < r->many; i = next_of_many(c, r, i))
            for (unsigned k = 0; k < n->many; k = next_of_many(c, n, k)) {
                union access a = access_at(r, thread_at(r, byte) + i);
                union access b = access_at(n, thread_at(n, byte) + k);
                if (in_order(c, a, b))
                    continue;
                trace_block_race(c, line * LINE + byte, a, b);
                return;
            }
    }
}

/* Judges n against the runs; 1 if one of them now stands for it, too. */
static int meet_runs(struct checker *c, struct touched *t, const struct run *n) {
    int kept = 0;
    for (unsigned i = 0; i < t->count; i++) {
        struct run *r = &t->run[i];
        if (same_lanes(r, n)) {
            if (r->class == n->class && covers(n, r)) {
                bytes128 mask = r->mask | n->mask;
                *r = *n;
                r->mask = mask;
                kept = 1;
            }
        } else if (r->mask & n->mask && r->epoch == n->epoch && conflict(r->class, n->class)) {
            judge_runs(c, t->line, r, n, r->mask & n->mask);
        }
    }
    return kept;
}

/* A run of an earlier interval no longer matters: in global memory only if n stands for it to other
 * blocks. */
static int take_place(struct touched *t, const struct run *n) {
    for (unsigned i = 0; i < t->count; i++) {
        const struct run *r = &t->run[i];
        if (r->epoch < n->epoch &&
            (!t->shadow || (r->class == n->class && !(r->mask & ~n->mask)))) {
            t->run[i] = *n;
            return 1;
        }
    }
    return 0;
}

/* ---- The table --------------------------------------------------------------------------- */

static struct touched *touched_get(struct checker *c, struct shadow *s, uintptr_t line) {
    struct address_table *table = s ? &c->global : &c->shared;
    uintptr_t address = s && s->base > line * LINE ? s->base : line * LINE; /* in s alone */
    uint32_t before = table->count;
    struct touched *t = trace_address_add(table, address);
    if (!t && before == MOST_LINES) {
        trace_block_publish(c);
        t = trace_address_add(table, address);
    }
    if (!t)
        trace_memory_is_short();
    if (!t || table->count == before)
        return t;
    t->line = line;
    t->shadow = s;
    t->count = t->unit = t->classes = 0;
    t->stored = 0;
    t->cell = NULL;
    t->waiting = NULL;
    t->known = s ? trace_shadow_written(s, line - s->first) : 0;
    t->early = t->in_cells = t->copying = 0;
    return t;
}

/* ---- An access --------------------------------------------------------------------------- */

void trace_block_access(struct checker *c, struct shadow *s, uintptr_t line, const struct run *n) {
    struct touched *t = touched_get(c, s, line);
    if (!t)
        return;
    t->classes |= n->class;
    if (n->mask & ~t->known && reads(n))
        trace_unwritten_read(c, t, n, n->mask & ~t->known);
    if (writes(n->class)) {
        if (t->early & n->mask)
            trace_unwritten_changed(c, t, n);
        if (t->copying & n->mask)
            trace_under_way_stored(c, t, n, t->copying & n->mask);
        t->known |= n->mask;
    }
    if (s && n->class == WRITE) {
        if (t->stored && t->stored != n->site && !trace_same_constant(t->stored, n->site))
            trace_sites_mixed(t->stored, n->site);
        t->stored = n->site;
    }
    if (n->many > 1 && conflict(n->class, n->class)) { /* lanes write one address */
        union access a = access_at(n, thread_at(n, n->offset)), b = a;
        b.thread++;
        trace_block_race(c, line * LINE + first_byte(n->mask), a, b);
    }
    if (atomic_load_explicit(&trace_races_off, memory_order_relaxed))
        return;
    unsigned unit = n->width < 4 ? 1 : 4;
    if (t->unit) {
        if (t->unit <= unit || trace_cells_split(c, t, unit))
            trace_cells_add(c, t, n, 1);
        return;
    }
    if (meet_runs(c, t, n) || take_place(t, n))
        return;
    if (t->count < RUNS) {
        t->run[t->count++] = *n;
        return;
    }
    for (unsigned i = 0; i < t->count; i++)
        if (t->run[i].width < 4)
            unit = 1;
    trace_cells_begin(c, t, unit);
    trace_cells_add(c, t, n, 0);
}

void trace_block_copying(struct checker *c, struct shadow *s, uintptr_t address, unsigned bytes,
                         int is_source) {
    struct touched *t = touched_get(c, s, address / LINE);
    bytes128 mask = bytes_between(address % LINE, address % LINE + bytes);
    if (t && !is_source)
        t->known &= ~mask;
    if (t)
        t->copying |= mask;
}

void trace_race_confirm(struct checker *c, struct shadow *s, uintptr_t address, unsigned thread) {
    struct touched *t = touched_get(c, s, address / LINE);
    if (!t)
        return;
    unsigned byte = address % LINE;
    trace_cells_settle(c, t);
    const struct cell *cell = t->cell ? cell_at(t, byte) : NULL;
    const union access *read = cell ? &cell->use[WAS_READ] : NULL;
    if (read && read->thread / WARP == thread / WARP && cell->lanes >> thread % WARP & 1)
        trace_site_compared(read->site);
    if (read && read[1].site && read[1].thread == thread)
        trace_site_compared(read[1].site);
    for (unsigned i = 0; !read && i < t->count; i++) {
        const struct run *r = &t->run[i];
        if (r->class == READ && r->mask >> byte & 1 &&
            (thread_at(r, byte) == thread || (r->many > 1 && r->warp == thread / WARP)))
            trace_site_compared(r->site);
    }
}

/* ---- The end of the block ---------------------------------------------------------------- */

static bytes128 written_in(const struct touched *t) {
    bytes128 written = 0;
    for (unsigned i = 0; i < t->count; i++)
        if (writes(t->run[i].class))
            written |= t->run[i].mask;
    for (bytes128 rest = t->in_cells; rest;) {
        unsigned byte = take(&rest, t->unit);
        const union access *use = cell_at(t, byte)->use;
        if (use[WRITTEN].site || use[FLAGGED].site || use[SYNCED].site)
            written |= bytes_between(byte, byte + t->unit);
    }
    return written;
}

/* What the block has done with the line, for operations in other streams. */
static void tell_streams(const struct checker *c, const struct touched *t) {
    int flags = c->any_fence || c->any_volatile;
    uint32_t operation = c->worker->record->operation;
    for (unsigned i = 0; i < t->count; i++)
        trace_streams_used(t->shadow, t->line, t->run[i].mask, operation, t->run[i].class,
                           t->run[i].site, flags);
    for (bytes128 rest = t->in_cells; rest;) {
        unsigned byte = take(&rest, t->unit);
        const union access *use = cell_at(t, byte)->use;
        for (unsigned i = 0; i < USES; i++)
            if (use[i].site)
                trace_streams_used(t->shadow, t->line, bytes_between(byte, byte + t->unit),
                                   operation, use[i].class, use[i].site, flags);
    }
}

void trace_block_publish(struct checker *c) {
    for (uint32_t i = 0; i < c->global.count; i++) {
        struct touched *t = (struct touched *)c->global.entry + i;
        struct shadow *s = t->shadow;
        int watched = trace_streams_watch(s, c->worker->record->operation);
        if (t->classes != READ || watched)
            trace_cells_settle(c, t);
        bytes128 written = t->classes == READ ? 0 : written_in(t);
        bytes128 changed = c->alone ? written & t->early : 0;
        if (written & ~changed)
            trace_shadow_mark(s, t->line - s->first, written & ~changed);
        if (changed)
            trace_shadow_changed(s, t->line - s->first, changed);
        if (s->page)
            trace_pages_touched(s, t->line, written != 0, c->launch);
        if (watched)
            tell_streams(c, t);
        trace_grid_add(c, t);
    }
    trace_address_forget(&c->global);
}

void trace_block_forget(struct checker *c) {
    trace_address_forget(&c->global);
    trace_address_forget(&c->shared);
    c->pending_count = 0;
    trace_arena_reuse(&c->of_block);
}
