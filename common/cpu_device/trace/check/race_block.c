/*
 * race_block.c: who used a line within a block. Each worker has a table of the lines that its block
 * has touched. A line keeps a few runs: neighboring lanes that touched neighboring bytes, with
 * the instruction and the time. Time within a block is the number of barriers so far, and within a
 * warp that of warp synchronizations. Two accesses race if they touch the same byte from two
 * threads, one at least writes, and neither time distinguishes them. Where runs become many, the
 * line gets a cell per word (per byte where accesses are narrower) that holds the last accesses of
 * each class.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race_block.h"
#include "trace/check/race_grid.h"
#include "trace/check/streams.h"
#include "trace/check/race_order.h"
#include "trace/check/unwritten.h"
#include <stdlib.h>
#include <string.h>

/* ---- Races found so far ------------------------------------------------------------------ */

/* Of one pair of sites; reported at the end of the block, when its order by fences is known. */
enum { PENDING = 64, EXAMPLES = 4 };
struct pending {
    struct turn turn;
    uint16_t count;
    struct {
        union access a, b;
        uintptr_t address;
    } example[EXAMPLES];
};

/* Both threads have come from a barrier. Has one of them jumped back over it since, and not the
 * other one, then its access is one of a later turn. Within one turn lines may say so. */
static struct turn turn_of(const struct checker *c, union access a, union access b) {
    struct turn t = {.since = c->since};
    if (a.turned == b.turned && !a.turned)
        return t;
    if (a.site == b.site || a.turned == TURNED_UNKNOWN || b.turned == TURNED_UNKNOWN ||
        !a.turned == !b.turned)
        return (struct turn){.since = NULL};
    t.first = a.turned ? b.site : a.site;
    t.often = a.turned == TURNED_OFTEN || b.turned == TURNED_OFTEN;
    return t;
}

static void race(struct checker *c, uintptr_t address, union access a, union access b) {
    if (!c->pending && !(c->pending = calloc(PENDING, sizeof *c->pending)))
        abort();
    struct pending *p = NULL;
    for (unsigned i = 0; i < c->pending_count && !p; i++)
        if (c->pending[i].example[0].a.site == a.site && c->pending[i].example[0].b.site == b.site)
            p = &c->pending[i];
    if (!p && c->pending_count < PENDING) {
        p = &c->pending[c->pending_count++];
        p->count = 0;
        p->turn = turn_of(c, a, b);
    }
    if (p)
        p->turn = trace_turn_of_both(p->turn, turn_of(c, a, b));
    if (!p || p->count == EXAMPLES)
        return;
    p->example[p->count].a = a;
    p->example[p->count].b = b;
    p->example[p->count].address = address;
    p->count++;
}

/* Thread's compare-and-swap confirms the value that it has read before: that was no race. */
static void confirm(struct checker *c, uintptr_t from, uintptr_t to, unsigned thread) {
    for (unsigned i = 0; i < c->pending_count; i++) {
        struct pending *p = &c->pending[i];
        unsigned kept = 0;
        for (unsigned k = 0; k < p->count; k++) {
            union access a = p->example[k].a, b = p->example[k].b;
            int reader = (a.class == READ && a.thread == thread && in_block(b.class) == SYNC) ||
                         (b.class == READ && b.thread == thread && in_block(a.class) == SYNC);
            if (!reader || p->example[k].address < from || p->example[k].address >= to)
                p->example[kept++] = p->example[k];
        }
        p->count = (uint16_t)kept;
        if (!kept)
            *p = c->pending[--c->pending_count], i--;
    }
}

static void tell(const struct checker *c, uintptr_t address, union access a, union access b,
                 struct turn turn) {
    struct finding f = {.kind = RACE,
                        .launch = c->record,
                        .space = trace_shared_near((void *)address) ? TRACE_SHARED : TRACE_GLOBAL,
                        .position = c->position,
                        .block = c->block,
                        .other_block = c->block,
                        .thread = a.thread,
                        .other_thread = b.thread,
                        .site = a.site,
                        .other_site = b.site,
                        .turn = turn,
                        .address = address};
    if (f.space == TRACE_SHARED)
        trace_shared_where(c, address, &f);
    trace_found(&f);
}

void trace_block_tell(struct checker *c) {
    for (unsigned i = 0; i < c->pending_count; i++) {
        const struct pending *p = &c->pending[i];
        unsigned k = 0;
        while (k < p->count && trace_order_in_block(c, p->example[k].a, p->example[k].b))
            k++;
        if (k < p->count)
            tell(c, p->example[k].address, p->example[k].a, p->example[k].b, p->turn);
    }
    c->pending_count = 0;
}

/* ---- Cells ------------------------------------------------------------------------------- */

static void keep_two(struct cell *cell, unsigned first, union access n) {
    union access *use = &cell->use[first];
    uint32_t one = 1u << first, two = 2u << first;
    if (!(cell->live & one) || use[0].thread == n.thread) {
        if (!(cell->live & one))
            cell->live &= ~two;
    } else {
        if (!(cell->live & two) || use[0].thread / WARP != n.thread / WARP ||
            use[1].thread / WARP == n.thread / WARP) {
            use[1] = use[0];
            cell->live |= two;
        }
    }
    use[0] = n;
    cell->live |= one;
}

static void cell_access(struct checker *c, uintptr_t address, struct cell *cell, uint32_t epoch,
                        union access n, int judge) {
    if (cell->epoch != epoch) {
        cell->epoch = epoch;
        cell->live = 0;
    }
    for (uint32_t live = judge ? cell->live : 0; live; live &= live - 1) {
        union access before = cell->use[__builtin_ctz(live)];
        if (conflict(before.class, n.class) && !in_order(c, before, n)) {
            race(c, address, before, n);
            break;
        }
    }
    static const uint8_t slot[] = {
        [READ] = WAS_READ,     [WRITE] = WRITTEN,         [SYNC] = SYNCED,
        [BLOCK_SYNC] = SYNCED, [VOLATILE_READ] = WATCHED, [VOLATILE_WRITE] = FLAGGED};
    unsigned i = slot[n.class];
    if (i == WRITTEN || i == FLAGGED)
        cell->use[i] = n, cell->live |= 1u << i;
    else
        keep_two(cell, i, n);
}

/* Lanes at one address differ only in what they have synchronized with: where that is nothing, the
 * first and the last are enough. Goes from one to the next that matters. */
static unsigned next_of_many(const struct checker *c, const struct run *r, unsigned k) {
    return !k && r->many > 1 && !c->warp[r->warp].count ? r->many - 1u : k + 1;
}

static void cells_access(struct checker *c, struct touched *t, const struct run *n, int judge) {
    union access a = access_at(n, 0);
    t->in_cells |= n->mask;
    for (bytes128 rest = n->mask; rest;) {
        unsigned byte = take(&rest, t->unit), thread = thread_at(n, byte);
        struct cell *cell = cell_at(t, byte);
        for (unsigned k = 0; k < n->many; k = next_of_many(c, n, k)) {
            a.thread = thread + k;
            cell_access(c, t->line * LINE + byte, cell, n->epoch, a, judge);
        }
    }
}

static int after(const struct run *a, const struct run *b) {
    return a->epoch > b->epoch || (a->epoch == b->epoch && a->seq > b->seq);
}

static void sort_by_time(struct run *run, unsigned count) {
    for (unsigned i = 1; i < count; i++)
        for (unsigned k = i; k && after(&run[k - 1], &run[k]); k--) {
            struct run r = run[k];
            run[k] = run[k - 1];
            run[k - 1] = r;
        }
}

/* From runs, or from cells per word, to cells of `unit` bytes, which hold what came last. */
static int make_cells(struct checker *c, struct touched *t, unsigned unit) {
    struct cell *cell = trace_arena_memory(&c->of_block, LINE / unit * sizeof *cell);
    if (!cell)
        return 0;
    struct cell *old = t->cell;
    for (unsigned i = 0; old && i < LINE / unit; i++)
        cell[i] = old[i * unit / t->unit];
    t->cell = cell;
    t->unit = (uint8_t)unit;
    sort_by_time(t->run, t->count);
    for (unsigned i = 0; !old && i < t->count; i++)
        cells_access(c, t, &t->run[i], 0);
    t->count = 0;
    return 1;
}

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
                race(c, line * LINE + byte, a, b);
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

static uint32_t slot_of(const struct table *t, uintptr_t line) {
    return (uint32_t)(hash64(line) >> (64 - t->bits));
}
static uint32_t next_slot(const struct table *t, uint32_t slot) {
    return (slot + 1) & ((1u << t->bits) - 1);
}

static int grow(struct table *t) {
    struct table more = {.count = t->count, .bits = t->bits ? t->bits + 1 : 8};
    more.room = 1u << (more.bits - 1);
    more.slot = trace_memory(sizeof *more.slot << more.bits);
    more.item = more.slot ? trace_memory(more.room * sizeof *more.item) : NULL;
    if (!more.item) {
        trace_memory_give(more.slot, sizeof *more.slot << more.bits);
        trace_memory_is_short();
        return 0;
    }
    if (t->bits) {
        memcpy(more.item, t->item, t->count * sizeof *t->item);
        trace_memory_give(t->item, t->room * sizeof *t->item);
        trace_memory_give(t->slot, sizeof *t->slot << t->bits);
    }
    *t = more;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t h = slot_of(t, t->item[i].line);
        while (t->slot[h])
            h = next_slot(t, h);
        t->slot[h] = i + 1;
        t->item[i].slot = h;
    }
    return 1;
}

static void clear(struct table *t) {
    for (uint32_t i = 0; i < t->count; i++)
        t->slot[t->item[i].slot] = 0;
    t->count = 0;
}

/* What a block did with more memory than this is not compared with what it does later. */
enum { MOST_LINES = 1 << 18 };

static struct touched *touched_get(struct checker *c, struct shadow *s, uintptr_t line) {
    struct table *table = s ? &c->global : &c->shared;
    if (!table->bits && !grow(table))
        return NULL;
    uint32_t h = slot_of(table, line);
    for (; table->slot[h]; h = next_slot(table, h)) {
        struct touched *t = &table->item[table->slot[h] - 1];
        if (t->line == line && t->shadow == s)
            return t;
    }
    if (table->count == table->room) {
        if (table->count >= MOST_LINES)
            trace_block_publish(c);
        else if (!grow(table))
            return NULL;
        return touched_get(c, s, line);
    }
    struct touched *t = &table->item[table->count++];
    table->slot[h] = table->count;
    t->line = line;
    t->shadow = s;
    t->slot = h;
    t->count = 0;
    t->cell = NULL;
    t->known = s ? trace_shadow_written(s, line - s->first) : 0;
    t->early = t->in_cells = 0;
    return t;
}

/* ---- An access --------------------------------------------------------------------------- */

void trace_block_access(struct checker *c, struct shadow *s, uintptr_t line, const struct run *n) {
    struct touched *t = touched_get(c, s, line);
    if (!t)
        return;
    if (n->mask & ~t->known && reads(n))
        trace_unwritten_read(c, t, n, n->mask & ~t->known);
    if (writes(n->class)) {
        if (t->early & n->mask)
            trace_unwritten_changed(c, t, n);
        t->known |= n->mask;
    }
    if (n->many > 1 && conflict(n->class, n->class)) { /* lanes write one address */
        union access a = access_at(n, thread_at(n, n->offset)), b = a;
        b.thread++;
        race(c, line * LINE + first_byte(n->mask), a, b);
    }
    if (atomic_load_explicit(&trace_races_off, memory_order_relaxed))
        return;
    unsigned unit = n->width < 4 ? 1 : 4;
    if (t->cell) {
        if (t->unit <= unit || make_cells(c, t, unit))
            cells_access(c, t, n, 1);
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
    if (make_cells(c, t, unit))
        cells_access(c, t, n, 0);
}

void trace_block_unknown(struct checker *c, uintptr_t address, unsigned bytes) {
    struct touched *t = touched_get(c, NULL, address / LINE);
    if (t)
        t->known &= ~bytes_between(address % LINE, address % LINE + bytes);
}

/* A run of several lanes at one address is dropped with the first of them. */
void trace_race_confirm(struct checker *c, struct shadow *s, uintptr_t address, unsigned bytes,
                        unsigned thread) {
    struct touched *t = touched_get(c, s, address / LINE);
    if (!t)
        return;
    unsigned byte = address % LINE;
    if (c->pending_count)
        confirm(c, address, address + bytes, thread);
    for (unsigned b = byte; t->cell && b < byte + bytes; b += t->unit) {
        struct cell *cell = cell_at(t, b);
        for (unsigned i = WAS_READ; i < SYNCED; i++)
            if (cell->use[i].class == READ && cell->use[i].thread == thread) {
                cell->live &= ~(1u << i);
                cell->use[i].site = 0;
            }
    }
    for (unsigned i = 0; !t->cell && i < t->count; i++) {
        struct run *r = &t->run[i];
        if (r->class == READ && r->mask >> byte & 1 &&
            (thread_at(r, byte) == thread || (r->many > 1 && r->warp == thread / WARP))) {
            r->mask &= ~bytes_between(byte, byte + bytes);
            if (!r->mask)
                t->run[i--] = t->run[--t->count];
        }
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
    for (unsigned i = 0; i < t->count; i++)
        trace_streams_used(t->shadow, t->line, t->run[i].mask, c->operation, t->run[i].class,
                           t->run[i].site, flags);
    for (bytes128 rest = t->in_cells; rest;) {
        unsigned byte = take(&rest, t->unit);
        const union access *use = cell_at(t, byte)->use;
        for (unsigned i = 0; i < USES; i++)
            if (use[i].site)
                trace_streams_used(t->shadow, t->line, bytes_between(byte, byte + t->unit),
                                   c->operation, use[i].class, use[i].site, flags);
    }
}

void trace_block_publish(struct checker *c) {
    for (uint32_t i = 0; i < c->global.count; i++) {
        const struct touched *t = &c->global.item[i];
        struct shadow *s = t->shadow;
        bytes128 written = written_in(t), changed = c->alone ? written & t->early : 0;
        if (written & ~changed)
            trace_shadow_mark(s, t->line - s->first, written & ~changed);
        if (changed)
            trace_shadow_changed(s, t->line - s->first, changed);
        if (s->page)
            trace_pages_touched(s, t->line, written != 0, c->launch);
        if (c->operation && trace_streams_watch(s, c->operation))
            tell_streams(c, t);
        trace_grid_add(c, t);
    }
    clear(&c->global);
}

void trace_block_forget(struct checker *c) {
    clear(&c->global);
    clear(&c->shared);
    c->pending_count = 0;
    trace_arena_reuse(&c->of_block);
}
