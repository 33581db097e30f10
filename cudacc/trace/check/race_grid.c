/*
 * race_grid.c: what the blocks of a launch did with each line. At its end a block adds what it did.
 * As long as one block alone has used a line, that is a copy of its runs, one for all lines that
 * look the same. When another one comes, the words that it uses get two keys: their users with the
 * two smallest block numbers. Words whose users do not agree go to a list of conflicts with the two
 * smallest users of each class. What is smallest does not depend on who came first, so the reports
 * do not depend on which worker was faster.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race.h"
#include <string.h>

enum { ONE_BLOCK = 1, MANY_BLOCKS };
struct line {
    uint32_t launch, block; /* all the rest is about this launch; its first block here */
    uint8_t lock, kind;
    union {
        struct runs *runs;
        struct pairs *pairs;
    };
};
_Static_assert(sizeof(struct line) == LINE_USERS_BYTES, "as shadow.c makes them");

struct runs { /* ONE_BLOCK */
    unsigned count;
    struct run run[];
};

struct pairs { /* MANY_BLOCKS */
    const struct runs
        *first;         /* of the first block: all that the words without keys have; or NULL */
    uint8_t from, end;  /* bytes whose words have keys */
    uint8_t unit, only; /* bytes of a word; the one class of all users of the line, or more */
    uint64_t highest;   /* block among those of `settled` and `decided` */
    bytes128 settled;   /* two keys known */
    bytes128 conflict;  /* in the list of conflicts */
    bytes128 decided;   /* two blocks that write are known: later ones add nothing */
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

static void add_key(struct pairs *p, uintptr_t line, unsigned byte, union access k) {
    unsigned i = (byte - p->from) / p->unit;
    union access a = p->of[i].a, b = p->of[i].b;
    uintptr_t address = line * LINE + byte;
    bytes128 unit = bytes_between(byte, byte + p->unit);
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

/* Of a run only what lies in `bytes`. */
static void add_run(struct pairs *p, uintptr_t line, uint32_t block, const struct run *r,
                    bytes128 bytes) {
    union access k = key_of(block, access_at(r, 0));
    p->only |= k.class;
    for (bytes128 rest = r->mask & bytes; rest;) {
        unsigned byte = take(&rest, p->unit), i = (byte - p->from) / p->unit;
        k.thread = thread_at(r, byte);
        if (p->of[i].a.all || p->conflict >> byte & 1)
            add_key(p, line, byte, k);
        else
            p->of[i].a = k;
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

static bytes128 bytes_of(const struct run *r, unsigned count) {
    bytes128 bytes = 0;
    for (unsigned i = 0; i < count; i++)
        bytes |= r[i].mask;
    return bytes;
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

/* From here on the line is used by several blocks, or by one in too many ways: the bytes `used` get
 * keys, in words of at most `unit` bytes. */
static struct pairs *share_line(struct checker *c, struct line *l, uintptr_t line, unsigned unit,
                                bytes128 used) {
    struct pairs *old = l->kind == MANY_BLOCKS ? l->pairs : NULL;
    const struct runs *first = old ? old->first : l->kind == ONE_BLOCK ? l->runs : NULL;
    bytes128 had = old ? bytes_between(old->from, old->end) : 0;
    if (old && old->unit <= unit && !(used & ~had))
        return old;
    if (old ? old->unit == 1 : first && narrow(first->run, first->count))
        unit = 1;
    unsigned from = first_byte(used | had) & ~3u, end = (last_byte(used | had) | 3) + 1;
    struct pairs *p =
        trace_arena_memory(&c->of_launch, sizeof *p + (end - from) / unit * sizeof p->of[0]);
    if (!p)
        return NULL;
    if (old)
        *p = *old;
    p->first = first;
    p->from = (uint8_t)from, p->end = (uint8_t)end, p->unit = (uint8_t)unit;
    for (bytes128 rest = had; rest;) {
        unsigned byte = take(&rest, unit), word = byte & ~(old->unit - 1u);
        p->of[(byte - from) / unit] = old->of[(byte - old->from) / old->unit];
        if (old->conflict >> byte & 1 && byte != word)
            trace_conflict_copy(line * LINE + byte, line * LINE + word);
    }
    for (unsigned i = 0; first && i < first->count; i++)
        add_run(p, line, l->block, &first->run[i], bytes_between(from, end) & ~had);
    l->kind = MANY_BLOCKS;
    l->pairs = p;
    return p;
}

/* A copy of the runs. Other lines of the launch may have it, too; NULL: no memory. */
static struct runs *keep_runs(struct checker *c, const struct touched *t) {
    const struct run *f = t->run;
    size_t bytes = t->count * sizeof *f;
    uint64_t time = f->epoch ^ (uint64_t)f->seq << 16, place = (uint64_t)f->site << 5 ^ f->warp;
    uint64_t hash = hash64((uint64_t)f->mask ^ time ^ place << 48 ^ f->offset);
    struct runs **kept = &c->kept[(hash >> 48) % KEPT_RUNS], *r = *kept;
    if (r && r->count == t->count && memcmp(r->run, f, bytes) == 0)
        return r;
    if ((r = trace_arena_memory(&c->of_launch, sizeof *r + bytes))) {
        r->count = t->count;
        memcpy(r->run, f, bytes);
        *kept = r;
    }
    return r;
}

/* The first block in this launch: 1 if a copy of its runs says it all. */
static int put_first(struct checker *c, struct line *l, const struct touched *t) {
    l->launch = c->launch;
    l->block = (uint32_t)c->worker->block;
    l->runs = t->unit || !t->count ? NULL : keep_runs(c, t);
    return l->kind = l->runs ? ONE_BLOCK : 0;
}

static void add_to_line(struct checker *c, struct line *l, struct touched *t) {
    if (l->launch != c->launch ? put_first(c, l, t) : adds_nothing(c, l, t))
        return;
    trace_cells_settle(c, t);
    uint32_t block = (uint32_t)c->worker->block;
    const struct run *run = t->run;
    unsigned count = t->count;
    bytes128 used = bytes_of(run, count) | (t->cell ? t->in_cells : 0);
    bytes128 first = l->kind == ONE_BLOCK ? bytes_of(l->runs->run, l->runs->count) : 0;
    if (first && !t->unit && first != used && !(first & ~used)) { /* that takes fewer keys */
        block = l->block, run = l->runs->run, count = l->runs->count, used = first;
        put_first(c, l, t);
    }
    unsigned unit = t->cell ? t->unit : narrow(run, count) ? 1 : 4;
    struct pairs *p = used ? share_line(c, l, t->line, unit, used) : NULL;
    for (unsigned i = 0; p && i < count; i++)
        add_run(p, t->line, block, &run[i], used);
    if (p && t->cell)
        add_cells(p, block, t);
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
