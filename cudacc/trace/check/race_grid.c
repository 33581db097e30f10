/*
 * race_grid.c: what the blocks of a launch did with each line. At its end a block adds what it did.
 * As long as one block alone has used a line, that is a copy of its runs. When another one comes,
 * the line gets two keys per word: its users with the two smallest block numbers. Words whose users
 * do not agree go to a list of conflicts with the two smallest users of each class. What is
 * smallest does not depend on who came first, so the reports do not depend on which worker was
 * faster.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race.h"
#include <string.h>

enum { ONE_BLOCK = 1, MANY_BLOCKS };
struct line {
    uint32_t launch; /* all the rest is about this one */
    uint8_t lock, kind;
    union {
        struct runs *runs;
        struct pairs *pairs;
    };
};
_Static_assert(sizeof(struct line) == LINE_USERS_BYTES, "as shadow.c makes them");

struct runs { /* ONE_BLOCK */
    uint32_t block, count;
    struct run run[];
};

struct pairs {           /* MANY_BLOCKS */
    unsigned unit, only; /* bytes of a word; the one class that all its users have, or more */
    uint64_t highest;    /* block among those of `settled` and `decided` */
    bytes128 settled;    /* two keys known */
    bytes128 conflict;   /* in the list of conflicts */
    bytes128 decided;    /* two blocks that write are known: later ones add nothing */
    struct {
        union access a, b; /* keys: a < b, of different blocks */
    } of[];
};

/* ---- Keys -------------------------------------------------------------------------------- */

_Static_assert(SITES <= 1 << 14 && MAX_THREADS <= 1 << 10, "as a union access holds them");

/* Of an access to the other blocks, for which a volatile store is as good as an atomic, and a look
 * before a compare-and-swap as good as a volatile load. */
static union access key_of(unsigned long long block, union access a) {
    a.block = block;
    if (a.class == READ && trace_site_of(a.site)->is_compared)
        a.class = VOLATILE_READ;
    if (a.class == VOLATILE_WRITE)
        a.class = SYNC;
    if (a.class == BLOCK_SYNC)
        a.class = WRITE;
    return a;
}

/* Accesses a and b use one word: does one entry serve for both, and no race is lost? Where their
 * classes agree one block stands for all of its class. A read and an atomic each disagree with
 * something else: neither can stand for both. */
static int goes_with(union access a, union access b) {
    unsigned classes = a.class | b.class;
    if (!a.all || a.block != b.block)
        return !a.all || (a.class == b.class && agree(a.class, b.class));
    return classes & WRITE || !(classes & READ && classes & SYNC);
}

/* ---- Lines that several blocks have used ------------------------------------------------- */

static struct pairs *make_pairs(struct checker *c, unsigned unit) {
    struct pairs *p = trace_arena_memory(&c->of_launch, sizeof *p + LINE / unit * sizeof p->of[0]);
    if (p)
        p->unit = unit;
    return p;
}

static void add_key(struct pairs *p, uintptr_t line, unsigned byte, union access k) {
    unsigned i = byte / p->unit;
    union access a = p->of[i].a, b = p->of[i].b;
    uintptr_t address = line * LINE + i * p->unit;
    bytes128 unit = bytes_between(i * p->unit, (i + 1) * p->unit);
    p->only |= k.class;
    if (!(p->conflict & unit) && !(goes_with(a, k) && goes_with(b, k))) {
        p->conflict |= unit;
        trace_conflict_add(address, a);
        trace_conflict_add(address, b);
    }
    if (p->conflict & unit) {
        uint64_t second = trace_conflict_add(address, k);
        if (second != UNDECIDED) {
            p->decided |= unit;
            p->highest = second > p->highest ? second : p->highest;
        }
        return;
    }
    trace_two_smallest(&p->of[i].a, &p->of[i].b, k);
    if (p->of[i].b.all) {
        p->settled |= unit;
        if (p->of[i].b.block > p->highest)
            p->highest = p->of[i].b.block;
    }
}

static void add_run(struct pairs *p, uintptr_t line, uint32_t block, const struct run *r) {
    union access k = key_of(block, access_at(r, 0));
    for (bytes128 rest = r->mask; rest;) {
        unsigned byte = take(&rest, p->unit), i = byte / p->unit;
        k.thread = thread_at(r, byte);
        if (p->of[i].a.all || p->conflict >> byte & 1) {
            add_key(p, line, byte, k);
        } else {
            p->of[i].a = k;
            p->only |= k.class;
        }
    }
}

/* Nothing to add where two smaller blocks are known: reading only, as all before; or two that
 * write, as long as no fences put blocks in order. */
static int adds_nothing(const struct checker *c, const struct line *l, const struct touched *t) {
    const struct pairs *p = l->pairs;
    if (l->kind != MANY_BLOCKS || c->worker->block <= p->highest ||
        (p->conflict && trace_order_clock()))
        return 0;
    int all_read = p->only == READ && !p->conflict;
    bytes128 done = all_read ? p->settled : p->decided;
    if (t->unit)
        return all_read && t->classes == READ && t->unit >= p->unit && !(t->in_cells & ~done);
    for (unsigned i = 0; i < t->count; i++)
        if (t->run[i].mask & ~done || (p->only == READ && t->run[i].class != READ))
            return 0;
    return 1;
}

/* ---- Adding to a line -------------------------------------------------------------------- */

static int narrow(const struct run *r, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (r[i].width < 4)
            return 1;
    return 0;
}

static void add_cells(struct pairs *p, uint32_t block, const struct touched *t) {
    for (bytes128 rest = t->in_cells; rest;) {
        unsigned byte = take(&rest, p->unit);
        const union access *use = cell_at(t, byte)->use;
        for (unsigned i = 0; i < USES; i++)
            if (use[i].site)
                add_key(p, t->line, byte, key_of(block, use[i]));
    }
}

/* From here on the line is used by several blocks, or by one in too many ways. */
static struct pairs *share_line(struct checker *c, struct line *l, uintptr_t line, unsigned unit) {
    struct pairs *old = l->kind == MANY_BLOCKS ? l->pairs : NULL;
    if (old && old->unit <= unit)
        return old;
    if (l->kind == ONE_BLOCK && narrow(l->runs->run, l->runs->count))
        unit = 1;
    struct pairs *p = make_pairs(c, unit);
    if (!p)
        return NULL;
    if (old) {
        p->only = old->only, p->highest = old->highest;
        p->settled = old->settled, p->conflict = old->conflict, p->decided = old->decided;
        for (unsigned i = 0; i < LINE / unit; i++)
            p->of[i] = old->of[i * unit / old->unit];
        for (unsigned byte = 0; byte < LINE; byte += unit)
            if (old->conflict >> byte & 1 && byte % old->unit)
                trace_conflict_copy(line * LINE + byte, line * LINE + byte / old->unit * old->unit);
    } else if (l->kind == ONE_BLOCK) {
        for (unsigned i = 0; i < l->runs->count; i++)
            add_run(p, line, l->runs->block, &l->runs->run[i]);
    }
    l->kind = MANY_BLOCKS;
    l->pairs = p;
    return p;
}

/* The first block in this launch: 1 if a copy of its runs says it all. */
static int put_first(struct checker *c, struct line *l, const struct touched *t) {
    l->launch = c->launch;
    l->kind = 0;
    if (t->unit || !t->count)
        return 0;
    struct runs *r = trace_arena_memory(&c->of_launch, sizeof *r + t->count * sizeof *r->run);
    if (!r)
        return 0;
    *r = (struct runs){.block = (uint32_t)c->worker->block, .count = t->count};
    memcpy(r->run, t->run, t->count * sizeof *r->run);
    l->kind = ONE_BLOCK;
    l->runs = r;
    return 1;
}

static void add_to_line(struct checker *c, struct line *l, struct touched *t) {
    if (l->launch != c->launch ? put_first(c, l, t) : adds_nothing(c, l, t))
        return;
    trace_cells_settle(c, t);
    unsigned unit = t->cell ? t->unit : narrow(t->run, t->count) ? 1 : 4;
    struct pairs *p = share_line(c, l, t->line, unit);
    for (unsigned i = 0; p && i < t->count; i++)
        add_run(p, t->line, (uint32_t)c->worker->block, &t->run[i]);
    if (p && t->cell)
        add_cells(p, (uint32_t)c->worker->block, t);
}

void trace_grid_add(struct checker *c, struct touched *t) {
    struct shadow *s = t->shadow;
    if (!c->cross_block || !s->line)
        return;
    struct line *l = &s->line[t->line - s->first];
    lock_line(&l->lock);
    add_to_line(c, l, t);
    unlock_line(&l->lock);
}
