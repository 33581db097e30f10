/*
 * race_grid.c: what the blocks of a launch did with each line. At its end a block adds what it did.
 * As long as one block alone has used a line, that is one run, or a copy of its runs; when a second
 * one comes, the line gets two keys per word: its users with the two smallest block numbers. Words
 * whose users do not agree go to a list of conflicts with the two smallest users of each class.
 * What is smallest does not depend on who came first, so the reports do not depend on which worker
 * was faster.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race_grid.h"
#include "trace/check/streams.h"
#include "trace/check/race_order.h"
#include "trace/check/race_series.h"
#include <sched.h>
#include <string.h>

enum { ONE_RUN = 1, ONE_BLOCK, MANY_BLOCKS };
struct line {
    uint32_t launch; /* all the rest is about this one */
    uint8_t lock, kind, warp, lane;
    union {
        struct { /* ONE_RUN: the same lanes at what it read and at what it wrote */
            uint32_t block;
            int16_t step;
            uint8_t offset, width;
            struct {
                uint32_t words; /* a bit for each; 0: none, then the rest means nothing */
                uint16_t site;
                uint8_t epoch, fences;
            } by[2];
        };
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
    bytes128 decided;    /* there with two that write: blocks that come later add nothing new */
    struct {
        union access a, b; /* keys: a < b, of different blocks */
    } of[];
};

/* The two smallest users of each class, by block. */
enum { CLASSES = 4, CONFLICTS = 1 << 16 };
static const unsigned class_of[CLASSES] = {WRITE, READ, SYNC, VOLATILE_READ};
struct conflict {
    uintptr_t address;
    union access user[CLASSES][2];
};
static struct address_table conflicts = {.bytes = sizeof(struct conflict), .most = CONFLICTS};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards them */

/* ---- Keys -------------------------------------------------------------------------------- */

_Static_assert(SITES <= 1 << 14 && MAX_THREADS <= 1 << 10, "as a union access holds them");

/* Of an access to the other blocks, for which a volatile store is as good as an atomic. */
static union access key_of(unsigned long long block, union access a) {
    a.block = block;
    if (a.class == VOLATILE_WRITE)
        a.class = SYNC;
    if (a.class == BLOCK_SYNC)
        a.class = WRITE;
    return a;
}

/* Both of one block. The one that disagrees with more of the others speaks for both. */
static union access merged(union access a, union access b) {
    unsigned classes = a.class | b.class;
    unsigned worst = classes & WRITE  ? WRITE
                     : classes & SYNC ? SYNC
                     : classes & READ ? READ
                                      : VOLATILE_READ;
    union access first = a.all < b.all ? a : b, second = a.all < b.all ? b : a;
    union access speaks = first.class & worst ? first : second;
    speaks.class = classes;
    return speaks;
}

/* May b, of the same word, be kept beside a, or in it? Blocks of one class, that agree, stand for
 * all of that class. Reads and atomics of one block each disagree with something else: neither can
 * speak for both. */
static int goes_with(union access a, union access b) {
    unsigned classes = a.class | b.class;
    if (!a.all || a.block != b.block)
        return !a.all || (a.class == b.class && agree(a.class, b.class));
    return classes & WRITE || !(classes & READ && classes & SYNC);
}

static void smallest_two(union access *a, union access *b, union access k) {
    if (a->all && a->block == k.block)
        *a = merged(*a, k);
    else if (b->all && b->block == k.block)
        *b = merged(*b, k);
    else if (!a->all || k.all < a->all)
        *b = *a, *a = k;
    else if (!b->all || k.all < b->all)
        *b = k;
}

/* ---- Conflicts --------------------------------------------------------------------------- */

#define UNDECIDED (~0ull)

/* Adds a user to the list. Comes back with the second block that writes there, if it is known. */
static uint64_t conflict_add(uintptr_t address, union access k) {
    if (!k.all)
        return UNDECIDED;
    struct conflict *c = trace_address_add(&conflicts, address);
    if (!c)
        return 0;
    for (unsigned i = 0; i < CLASSES; i++)
        if (k.class & class_of[i]) {
            union access user = k;
            user.class = class_of[i];
            smallest_two(&c->user[i][0], &c->user[i][1], user);
        }
    return c->user[0][1].all ? c->user[0][1].block : UNDECIDED;
}

/* Users of a word that are in the list are users of each of its bytes. */
static void split_conflicts(const struct pairs *p, unsigned unit, uintptr_t start) {
    pthread_mutex_lock(&lock);
    for (unsigned byte = 0; byte < LINE; byte += unit) {
        uintptr_t word = start + byte / p->unit * p->unit;
        if (!(p->conflict >> byte & 1) || word == start + byte)
            continue;
        const struct conflict *from = trace_address_add(&conflicts, word);
        if (!from)
            continue;
        struct conflict users = *from; /* the list may move */
        users.address = start + byte;
        struct conflict *to = trace_address_add(&conflicts, start + byte);
        if (to)
            *to = users;
    }
    pthread_mutex_unlock(&lock);
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
        pthread_mutex_lock(&lock);
        conflict_add(address, a);
        conflict_add(address, b);
        pthread_mutex_unlock(&lock);
    }
    if (p->conflict & unit) {
        pthread_mutex_lock(&lock);
        uint64_t second = conflict_add(address, k);
        pthread_mutex_unlock(&lock);
        if (second != UNDECIDED) {
            p->decided |= unit;
            p->highest = second > p->highest ? second : p->highest;
        }
        return;
    }
    smallest_two(&p->of[i].a, &p->of[i].b, k);
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
    if (l->kind != MANY_BLOCKS || t->cell || c->block <= p->highest ||
        (p->conflict && trace_order_clock()))
        return 0;
    bytes128 done = p->decided;
    if (p->only == READ && !p->conflict)
        done = p->settled;
    for (unsigned i = 0; i < t->count; i++)
        if (t->run[i].mask & ~done || (p->only == READ && t->run[i].class != READ))
            return 0;
    return 1;
}

/* ---- Lines that one block has used ------------------------------------------------------- */

/* The lowest of each four bits. */
static uint32_t words_of_half(uint64_t m) {
    m &= 0x1111111111111111;
    m = (m | m >> 3) & 0x0303030303030303;
    m = (m | m >> 6) & 0x000f000f000f000f;
    m = (m | m >> 12) & 0x000000ff000000ff;
    return (uint32_t)(m | m >> 24) & 0xffff;
}
static uint32_t words_of(bytes128 m) {
    return words_of_half((uint64_t)m) | words_of_half((uint64_t)(m >> 64)) << 16;
}
/* And back, to four bits each. */
static uint64_t bytes_of_half(uint32_t words) {
    uint64_t m = words & 0xffff;
    m = (m | m << 24) & 0x000000ff000000ff;
    m = (m | m << 12) & 0x000f000f000f000f;
    m = (m | m << 6) & 0x0303030303030303;
    m = (m | m << 3) & 0x1111111111111111;
    return m * 15;
}
static bytes128 bytes_of(uint32_t words) {
    return (bytes128)bytes_of_half(words >> 16) << 64 | bytes_of_half(words);
}

/* The first block to use a line in this launch, in the common case: one run that reads, one that
 * writes, the same lanes. */
static int put_one_run(struct line *l, const struct checker *c, const struct touched *t) {
    const struct run *r = &t->run[0];
    if (t->cell || !t->count || r->width < 4)
        return 0;
    l->by[0].words = l->by[1].words = 0;
    for (unsigned i = 0; i < t->count; i++) {
        const struct run *n = &t->run[i];
        unsigned k = n->class == WRITE;
        if (n->class > WRITE || l->by[k].words || (i && !same_lanes(r, n)))
            return 0;
        l->by[k].words = words_of(n->mask), l->by[k].site = n->site;
        l->by[k].epoch = (uint8_t)at_most(n->epoch, MOST_EPOCH), l->by[k].fences = n->fences;
    }
    l->kind = ONE_RUN;
    l->block = (uint32_t)c->block;
    l->warp = r->warp, l->lane = r->lane, l->offset = r->offset, l->width = r->width;
    l->step = r->step;
    return 1;
}

/* The same block comes back with the same lanes: its table was full in between. */
static int add_to_one_run(const struct checker *c, struct line *l, const struct touched *t) {
    struct line n = *l;
    if (l->kind != ONE_RUN || l->block != c->block || !put_one_run(&n, c, t) || n.warp != l->warp ||
        n.lane != l->lane || n.offset != l->offset || n.width != l->width || n.step != l->step)
        return 0;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t before = l->by[k].words;
        if (n.by[k].words)
            l->by[k] = n.by[k];
        l->by[k].words |= before;
    }
    return 1;
}

static struct run run_of(const struct line *l, unsigned k) {
    return (struct run){.mask = bytes_of(l->by[k].words),
                        .epoch = l->by[k].epoch,
                        .site = l->by[k].site,
                        .step = l->step,
                        .class = k ? WRITE : READ,
                        .warp = l->warp,
                        .lane = l->lane,
                        .many = 1,
                        .offset = l->offset,
                        .width = l->width,
                        .fences = l->by[k].fences};
}

/* ---- Adding to a line -------------------------------------------------------------------- */

static int narrow(const struct run *r, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (r[i].width < 4)
            return 1;
    return 0;
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
        split_conflicts(old, unit, line * LINE);
    } else if (l->kind == ONE_BLOCK) {
        for (unsigned i = 0; i < l->runs->count; i++)
            add_run(p, line, l->runs->block, &l->runs->run[i]);
    } else if (l->kind == ONE_RUN) {
        for (unsigned k = 0; k < 2; k++) {
            struct run r = run_of(l, k);
            add_run(p, line, l->block, &r);
        }
    }
    l->kind = MANY_BLOCKS;
    l->pairs = p;
    return p;
}

/* The first block in this launch: 1 if one run, or a copy of its runs, says it all. */
static int put_first(struct checker *c, struct line *l, const struct touched *t) {
    l->launch = c->launch;
    l->kind = 0;
    if (put_one_run(l, c, t))
        return 1;
    size_t bytes = t->count * sizeof t->run[0];
    struct runs *r = t->cell ? NULL : trace_arena_memory(&c->of_launch, sizeof *r + bytes);
    if (!r)
        return 0;
    l->kind = ONE_BLOCK;
    l->runs = r;
    r->block = (uint32_t)c->block;
    r->count = t->count;
    memcpy(r->run, t->run, bytes);
    return 1;
}

static void add_to_line(struct checker *c, struct line *l, const struct touched *t) {
    if (l->launch != c->launch ? put_first(c, l, t)
                               : adds_nothing(c, l, t) || add_to_one_run(c, l, t))
        return;
    unsigned unit = t->cell ? t->unit : narrow(t->run, t->count) ? 1 : 4;
    struct pairs *p = share_line(c, l, t->line, unit);
    for (unsigned i = 0; p && i < t->count; i++)
        add_run(p, t->line, (uint32_t)c->block, &t->run[i]);
    for (bytes128 rest = t->in_cells; p && rest;) {
        unsigned byte = take(&rest, p->unit);
        const union access *use = cell_at(t, byte)->use;
        for (unsigned i = 0; i < USES; i++)
            if (use[i].site)
                add_key(p, t->line, byte, key_of(c->block, use[i]));
    }
}

static void lock_line(struct line *l) {
    while (__atomic_exchange_n(&l->lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}
static void unlock_line(struct line *l) { __atomic_store_n(&l->lock, 0, __ATOMIC_RELEASE); }

void trace_grid_add(struct checker *c, const struct touched *t) {
    struct shadow *s = t->shadow;
    if (!c->cross_block || !s->line)
        return;
    struct line *l = &s->line[t->line - s->first];
    lock_line(l);
    add_to_line(c, l, t);
    unlock_line(l);
}

void trace_grid_add_series(struct checker *c, const struct series *t, const struct series *other) {
    struct shadow *s = t->shadow;
    unsigned lanes = WARP / lines_of(t);
    int write = t->class == WRITE || other;
    unsigned char *written = write ? s->written : NULL;
    struct line *lines = c->cross_block ? s->line : NULL, one = {.launch = c->launch, .lock = 1};
    struct touched both; /* much of it without a meaning here, so not set */
    both.shadow = s, both.cell = NULL, both.in_cells = 0;
    both.count = other ? 2 : 1;
    both.run[0] = run_of_series(t, t->first_warp, 0);
    if (other)
        both.run[1] = run_of_series(other, t->first_warp, 0);
    int watched = c->operation && trace_streams_watch(s, c->operation);
    put_one_run(&one, c, &both);
    for (unsigned warp = t->first_warp; warp < t->warp; warp++) {
        size_t i = line_of(t, warp) - s->first;
        for (unsigned lane = 0; lane < WARP; lane += lanes, i++) {
            if (written && __atomic_load_n(&written[i], __ATOMIC_RELAXED) != ALL)
                trace_shadow_mark(s, i, ~(bytes128)0);
            if (s->page)
                trace_pages_touched(s, s->first + i, write, c->launch);
            for (unsigned k = 0; watched && k < both.count; k++)
                trace_streams_used(s, s->first + i, ~(bytes128)0, c->operation, both.run[k].class,
                                   both.run[k].site, 0);
            if (!lines)
                continue;
            struct line *l = &lines[i];
            lock_line(l);
            if (l->launch != c->launch) {
                *l = one;
                l->warp = (uint8_t)warp, l->lane = (uint8_t)lane;
            } else {
                both.line = s->first + i;
                for (unsigned k = 0; k < both.count; k++)
                    both.run[k].warp = (uint8_t)warp, both.run[k].lane = (uint8_t)lane;
                add_to_line(c, l, &both);
            }
            unlock_line(l);
        }
    }
}

/* ---- At the end -------------------------------------------------------------------------- */

/* Are x and y of different blocks, and has nothing put them in order? Tells them. */
static int judge_pair(const struct trace_launch *launch, uintptr_t address, union access x,
                      union access y) {
    if (!x.all || !y.all || x.block == y.block || trace_order_between(x, y))
        return 0;
    struct finding f = {.kind = RACE,
                        .space = TRACE_GLOBAL,
                        .launch = launch,
                        .position = x.block > y.block ? x.block : y.block,
                        .block = x.block,
                        .other_block = y.block,
                        .thread = x.thread,
                        .other_thread = y.thread,
                        .site = x.site,
                        .other_site = y.site,
                        .address = address};
    trace_found(&f);
    return 1;
}

/* Tells the first pair of users that disagree and that nothing has put in order. */
static void judge(const struct trace_launch *launch, const struct conflict *c) {
    static const uint8_t disagree[][2] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {2, 1}}; /* class_of */
    for (unsigned i = 0; i < sizeof disagree / sizeof disagree[0]; i++) {
        const union access *x = c->user[disagree[i][0]], *y = c->user[disagree[i][1]];
        for (unsigned k = 0; k < 4; k++)
            if (judge_pair(launch, c->address, x[k / 2], y[k % 2]))
                return;
    }
}

void trace_grid_launch_end(const struct trace_launch *launch, int abandoned) {
    const struct conflict *c = NULL;
    while (!abandoned && (c = trace_address_next(&conflicts, c)))
        judge(launch, c);
    trace_address_clear(&conflicts);
}
