/*
 * race_cells.c: a line that a block uses in many ways has a cell for each word (for each byte where
 * accesses are narrower), which holds the last accesses of each class.
 *
 * Most of such lines are only read between two barriers, or written once and then read: nothing
 * can race there. So a run waits, as it is, until one comes that may race with it, or until the
 * cells are asked for. In shared memory most often nobody does: what came before a barrier does not
 * matter behind it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race.h"

enum { MOST_WAIT = 40 };
struct waiting {
    unsigned count;
    struct run run[MOST_WAIT];
};

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
            trace_block_race(c, address, before, n);
            if (!trace_same_constant(before.site, n.site))
                break;
        }
    }
    static const uint8_t slot[] = {
        [READ] = WAS_READ,     [WRITE] = WRITTEN,         [SYNC] = SYNCED,
        [BLOCK_SYNC] = SYNCED, [VOLATILE_READ] = WATCHED, [VOLATILE_WRITE] = FLAGGED};
    unsigned i = slot[n.class];
    if (i == FLAGGED)
        cell->use[i] = n, cell->live |= 1u << i;
    else
        keep_two(cell, i, n);
}

/* `many` threads of a warp, from `thread` on, are about to read there. */
static void keep_lanes(struct cell *cell, unsigned site, unsigned thread, unsigned many) {
    const union access *last = &cell->use[WAS_READ];
    if (last->site != site || last->thread / WARP != thread / WARP)
        cell->lanes = 0;
    cell->lanes |= ~0u >> (WARP - many) << thread % WARP;
}

/* each: take every lane at an address, not only the first and the last. */
static void cells_access(struct checker *c, struct touched *t, const struct run *n, int judge,
                         int each) {
    union access a = access_at(n, 0);
    for (bytes128 rest = n->mask; rest;) {
        unsigned byte = take(&rest, t->unit), thread = thread_at(n, byte);
        struct cell *cell = cell_at(t, byte);
        if (n->class == READ)
            keep_lanes(cell, n->site, thread, n->many);
        for (unsigned k = 0; k < n->many; k = each || k ? k + 1 : n->many - 1u + (n->many == 1)) {
            a.thread = thread + k;
            cell_access(c, t->line * LINE + byte, cell, n->epoch, a, judge);
        }
    }
}

static int make_cells(struct checker *c, struct touched *t, unsigned unit) {
    struct cell *cell = trace_arena_memory(&c->of_block, LINE / unit * sizeof *cell);
    for (unsigned i = 0; cell && t->cell && i < LINE / unit; i++)
        cell[i] = t->cell[i * unit / t->unit];
    if (cell)
        t->cell = cell;
    return cell != NULL;
}

void trace_cells_settle(struct checker *c, struct touched *t) {
    struct waiting *w = t->waiting;
    if (!w || !w->count)
        return;
    if (t->cell || make_cells(c, t, t->unit))
        for (unsigned i = 0; i < w->count; i++)
            cells_access(c, t, &w->run[i], 0, 0);
    else
        t->in_cells = 0;
    w->count = 0;
}

int trace_cells_split(struct checker *c, struct touched *t, unsigned unit) {
    trace_cells_settle(c, t);
    if (t->cell && !make_cells(c, t, unit))
        return 0;
    t->unit = (uint8_t)unit;
    return 1;
}

/* ---- Runs that wait ---------------------------------------------------------------------- */

static struct waiting *with_room(struct checker *c, struct touched *t) {
    if (!t->waiting)
        t->waiting = trace_arena_memory(&c->of_block, sizeof *t->waiting);
    else if (t->waiting->count == MOST_WAIT)
        trace_cells_settle(c, t);
    return t->waiting;
}

void trace_cells_add(struct checker *c, struct touched *t, const struct run *n, int judge) {
    if (t->epoch != n->epoch) {
        if (!t->shadow && t->waiting) /* nobody will ask */
            t->waiting->count = 0;
        t->epoch = n->epoch;
        t->is_read = t->is_written = 0;
    }
    int meets = judge && n->mask & (writes(n->class) ? t->is_read | t->is_written : t->is_written);
    t->in_cells |= n->mask;
    *(writes(n->class) ? &t->is_written : &t->is_read) |= n->mask;
    int each = n->many > 1 && c->warp[n->warp].count;
    struct waiting *w = meets || each ? NULL : with_room(c, t);
    if (w) {
        w->run[w->count++] = *n;
        return;
    }
    trace_cells_settle(c, t);
    if (t->cell || make_cells(c, t, t->unit))
        cells_access(c, t, n, meets, each);
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

void trace_cells_begin(struct checker *c, struct touched *t, unsigned unit) {
    t->unit = (uint8_t)unit;
    t->epoch = 0;
    t->is_read = t->is_written = 0;
    sort_by_time(t->run, t->count);
    for (unsigned i = 0; i < t->count; i++)
        trace_cells_add(c, t, &t->run[i], 0);
    t->count = 0;
}
