/*
 * trace_race.c: who used which bytes, and whether that was in order.
 *
 * Stretches. Most requests of most kernels are 32 lanes side by side at whole lines, and the next
 * warp does the same a fixed distance further on. Such an instruction of a block is one stretch,
 * which grows by a warp each time (trace_race_goes_on: the stretch whose turn it is waits for that
 * very address). In one allocation stretches lie apart or are the same lanes', so nothing within
 * the block can race there. As soon as the block does anything else with that allocation, its
 * stretches are written out to the table below, as if each access had gone there at once.
 *
 * Within a block. Each worker has a table of the lines that its block has touched. A line keeps a
 * few runs: neighbouring lanes that touched neighbouring bytes, with the instruction and the time.
 * Time within a block is the number of barriers so far, and within a warp that of warp
 * synchronisations. Two accesses race if they touch the same byte from two threads, one at least
 * writes, and neither time tells them apart. Where runs become many, the line gets a cell per word
 * (per byte where accesses are narrower) that holds the last accesses of each class.
 *
 * Between blocks. At its end a block adds its table to the lines of the allocations. As long as
 * one block alone has used a line, that is one run, or a copy of its runs; when a second one
 * comes, the line gets two keys per word: its users with the two smallest block numbers. Words
 * whose users do not agree go to a list of conflicts with the two smallest users of each class.
 * What is smallest does not depend on who came first, so the reports do not depend on which worker
 * was faster.
 *
 * Order by fences. An atomic (or volatile store) by a thread that has executed a fence is a
 * release, stamped when it runs; an atomic or volatile load of the same address acquires the last
 * stamp there. Conflicts are judged at the end of the block, or of the launch, when all stamps are
 * known.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"
#include <stdlib.h>
#include <string.h>

#define UNDECIDED (~0ull)
enum { RUNS = 4, EARLY = 64, PENDING = 64, EXAMPLES = 4, UNWRITTEN = 256 };

/* One access, as a cell remembers it. site 0: none. */
struct access {
    uint32_t thread : 10, site : 14, class : 3, fences : 5;
    uint32_t seq : 26, epoch : 6; /* the epoch is held down to 63: for order by fences only */
};

/* Two readers (plain and volatile), and two atomics, of different warps if there are such: a
 * writer of the same warp as one of them still meets the other. */
struct cell {
    uint32_t epoch, live; /* which of the accesses belong to that epoch */
    struct access use[8];
};
enum { WRITTEN, FLAGGED, WAS_READ, SYNCED = 4, WATCHED = 6, USES = 8 };

struct touched {
    uintptr_t line; /* address / LINE */
    struct shadow *shadow;
    uint32_t slot;
    uint8_t count, unit; /* runs in use; bytes of a cell */
    struct cell *cell;   /* NULL as long as the runs suffice */
    bytes128 known;      /* written before, or in this block */
    bytes128 early;      /* read while not known */
    bytes128 in_cells;   /* used since there are cells */
    struct run run[RUNS];
};

/* A key: block 26 bits, thread 10, site 14, epoch 6, fences 4, classes 4. 0: none. */
typedef uint64_t key;
enum { K_READ = 1, K_WRITE = 2, K_SYNC = 4, K_VOLATILE = 8 };

struct line {
    uint32_t launch; /* all the rest is about this one */
    uint8_t lock, kind, warp, lane;
    union {
        struct {
            uint32_t block, read, written; /* a bit per word */
            uint16_t read_site, write_site;
            int16_t step;
            uint8_t offset, width, read_epoch, read_fences, write_epoch, write_fences;
        };
        struct runs *runs;
        struct pairs *pairs;
    };
};
enum { ONE_RUN = 1, ONE_BLOCK, MANY_BLOCKS };
const size_t trace_line_bytes = sizeof(struct line);

struct runs { /* ONE_BLOCK */
    uint32_t block, count;
    struct run run[];
};

struct pairs {           /* MANY_BLOCKS */
    unsigned unit, only; /* the one class that all its users have, or 0 */
    uint64_t highest;    /* block among those of `settled` and `decided` */
    bytes128 settled;    /* two keys known */
    bytes128 conflict;   /* in the list of conflicts */
    bytes128 decided;    /* there with two that write: blocks that come later tell nothing new */
    struct {
        key a, b; /* a < b, of different blocks */
    } of[];
};

/* The two smallest users of each class, by block. */
struct conflict {
    uintptr_t address;
    key user[4][2]; /* K_WRITE, K_READ, K_SYNC, K_VOLATILE */
};

struct early {
    uintptr_t address;
    uint32_t epoch;
    uint16_t site, thread;
    uint8_t shared, dropped, changed; /* changed: the block has written there since */
};

/* Kept until the launch ends: another block may have written there. */
struct unwritten {
    struct finding finding;
    int changed; /* by its own block, since */
};

struct pending {
    uint16_t count;
    struct {
        struct access a, b;
        uint32_t epoch;
        uintptr_t address;
    } example[EXAMPLES];
};

/* What a block did to order itself with others: releases and acquisitions. */
struct order {
    uint64_t time;
    uint32_t epoch;
    uint16_t thread;
    uint8_t release, fences, warp_synced; /* has the warp synchronised at all? */
};
struct order_log {
    unsigned long long block;
    unsigned count, room;
    struct order_log *next;
    struct order order[];
};
enum { ORDERS = 4096, NO_ORDER = 0xffff };

enum { CHUNK_BYTES = (1 << 20) - 64 };
struct chunk {
    struct chunk *next;
    char data[CHUNK_BYTES] __attribute__((aligned(16)));
};

/* The current launch. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t launch; /* its number; read by launches that did not get their turn, too */
static const struct trace_launch *current;
static int several_blocks, unwritten_off;
static _Atomic uint64_t sync_clock;
static struct {
    uintptr_t address;
    uint64_t time;
} * synced;
static size_t synced_room, synced_count;
static struct conflict *conflicts;
static size_t conflict_room, conflict_count;
enum { CONFLICTS = 1 << 16 };
static struct order_log *logs;
static struct unwritten unwritten[UNWRITTEN];
static unsigned unwritten_count;

/* ---- Memory for a block, and for a launch ------------------------------------------------ */

static void *arena_memory(struct arena *a, size_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (!a->chunks || a->used + bytes > CHUNK_BYTES) {
        struct chunk *k = a->spare;
        if (k)
            a->spare = k->next;
        else
            k = trace_memory(sizeof *k);
        if (!k) {
            trace_memory_is_short();
            return NULL;
        }
        k->next = a->chunks;
        a->chunks = k;
        a->used = 0;
    }
    void *p = a->chunks->data + a->used;
    a->used += bytes;
    return memset(p, 0, bytes);
}

/* Nothing of the launch before is needed any more. */
static void arena_reuse(struct arena *a) {
    while (a->chunks) {
        struct chunk *k = a->chunks;
        a->chunks = k->next;
        k->next = a->spare;
        a->spare = k;
    }
    a->used = 0;
}

/* ---- Runs -------------------------------------------------------------------------------- */

/* The first piece of `unit` bytes that has a bit in *rest; from there it is gone. */
static unsigned take(bytes128 *rest, unsigned unit) {
    unsigned byte = first_byte(*rest) & ~(unit - 1), end = byte + unit;
    *rest = end < LINE ? *rest >> end << end : 0;
    return byte;
}

static unsigned lane_at(const struct run *r, unsigned byte) {
    int steps = r->step ? ((int)(byte & ~(r->width - 1u)) - r->offset) / r->step : 0;
    return (unsigned)(r->lane + steps);
}
static unsigned thread_at(const struct run *r, unsigned byte) {
    return r->warp * LANES + lane_at(r, byte);
}

/* Lanes at one address differ only in what they have synchronised with: where that is nothing, the
 * first and the last are enough. Goes from one to the next that matters. */
static unsigned next_of_many(const struct checker *c, const struct run *r, unsigned k) {
    return !k && r->many > 1 && !c->warp[r->warp].count ? r->many - 1u : k + 1;
}

static unsigned at_most(unsigned v, unsigned most) { return v < most ? v : most; }

static struct access access_at(const struct run *r, unsigned thread) {
    struct access a = {
        thread, r->site, r->class, at_most(r->fences, 31), r->seq, at_most(r->epoch, 63)};
    return a;
}

static int writes(unsigned class) {
    return class == WRITE || class == SYNC || class == VOLATILE_WRITE;
}

/* An atomic reads what it changes; atomicExch, too, returns it. Other releases are stores. */
static int reads(const struct run *r) {
    return r->class == READ || r->class == VOLATILE_READ ||
           (r->class == SYNC && trace_site_of(r->site)->op == TRACE_ATOMIC);
}

/* Volatile accesses are what flags are made of: between blocks they agree with each other and with
 * atomics. Within a block a volatile store is a plain one, unless a fence of its thread came before
 * (then it is SYNC): code for a warp in lock-step uses `volatile` where it needs __syncwarp. */
static int conflict(unsigned a, unsigned b, int same_block) {
    if (!writes(a) && !writes(b))
        return 0;
    if (a == WRITE || b == WRITE || a == READ || b == READ)
        return 1;
    return same_block && a != SYNC && b != SYNC;
}

/* Has lane a's access at its warp's time seq been followed by a synchronisation that lane b has
 * taken part in, be it through others? */
static int warp_ordered(const struct warp_order *w, uint32_t seq, unsigned a, unsigned b) {
    if (w->all > seq || w->forgotten > seq)
        return 1;
    uint32_t reached = 1u << a;
    for (unsigned i = 0; i < w->count; i++)
        if (w->part[i].seq > seq && w->part[i].lanes & reached)
            reached |= w->part[i].lanes;
    return reached >> b & 1;
}

/* a is the earlier one in replay, both of the current barrier interval. */
static int in_order(const struct checker *c, struct access a, struct access b) {
    if (a.thread == b.thread)
        return 1;
    unsigned warp = a.thread / LANES;
    return warp == b.thread / LANES &&
           warp_ordered(&c->warp[warp], a.seq, a.thread % LANES, b.thread % LANES);
}

static void race(struct checker *c, uintptr_t address, uint32_t epoch, struct access a,
                 struct access b) {
    struct pending *p = NULL;
    for (unsigned i = 0; i < c->pending_count && !p; i++)
        if (c->pending[i].example[0].a.site == a.site && c->pending[i].example[0].b.site == b.site)
            p = &c->pending[i];
    if (!p && c->pending_count < PENDING) {
        p = &c->pending[c->pending_count++];
        p->count = 0;
    }
    if (!p || p->count == EXAMPLES)
        return;
    p->example[p->count].a = a;
    p->example[p->count].b = b;
    p->example[p->count].epoch = epoch;
    p->example[p->count].address = address;
    p->count++;
}

/* Thread's compare-and-swap confirms the value that it has read before: that was no race. */
static void confirm(struct checker *c, uintptr_t from, uintptr_t to, unsigned thread) {
    for (unsigned i = 0; i < c->pending_count; i++) {
        struct pending *p = &c->pending[i];
        unsigned kept = 0;
        for (unsigned k = 0; k < p->count; k++) {
            struct access a = p->example[k].a, b = p->example[k].b;
            int reader = (a.class == READ && a.thread == thread && b.class == SYNC) ||
                         (b.class == READ && b.thread == thread && a.class == SYNC);
            if (!reader || p->example[k].address < from || p->example[k].address >= to)
                p->example[kept++] = p->example[k];
        }
        p->count = (uint16_t)kept;
        if (!kept)
            *p = c->pending[--c->pending_count], i--;
    }
}

/* ---- Cells ------------------------------------------------------------------------------- */

static struct cell *cell_at(struct touched *t, unsigned byte) { return &t->cell[byte / t->unit]; }

static void keep_two(struct cell *cell, unsigned first, struct access n) {
    struct access *use = &cell->use[first];
    uint32_t one = 1u << first, two = 2u << first;
    if (!(cell->live & one) || use[0].thread == n.thread) {
        if (!(cell->live & one))
            cell->live &= ~two;
    } else {
        if (!(cell->live & two) || use[0].thread / LANES != n.thread / LANES ||
            use[1].thread / LANES == n.thread / LANES) {
            use[1] = use[0];
            cell->live |= two;
        }
    }
    use[0] = n;
    cell->live |= one;
}

static void cell_access(struct checker *c, uintptr_t address, struct cell *cell, uint32_t epoch,
                        struct access n, int judge) {
    if (cell->epoch != epoch) {
        cell->epoch = epoch;
        cell->live = 0;
    }
    for (uint32_t live = judge ? cell->live : 0; live; live &= live - 1) {
        struct access before = cell->use[__builtin_ctz(live)];
        if (conflict(before.class, n.class, 1) && !in_order(c, before, n)) {
            race(c, address, epoch, before, n);
            break;
        }
    }
    static const uint8_t slot[] = {0, WAS_READ, WRITTEN, SYNCED, WATCHED, FLAGGED};
    unsigned i = slot[n.class];
    if (i == WRITTEN || i == FLAGGED)
        cell->use[i] = n, cell->live |= 1u << i;
    else
        keep_two(cell, i, n);
}

static void cells_access(struct checker *c, struct touched *t, const struct run *n, int judge) {
    t->in_cells |= n->mask;
    for (bytes128 rest = n->mask; rest;) {
        unsigned byte = take(&rest, t->unit);
        struct cell *cell = cell_at(t, byte);
        for (unsigned k = 0; k < n->many; k = next_of_many(c, n, k))
            cell_access(c, t->line * LINE + byte, cell, n->epoch,
                        access_at(n, thread_at(n, byte) + k), judge);
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
    struct cell *cell = arena_memory(&c->of_block, LINE / unit * sizeof *cell);
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

/* ---- One run in the block's table -------------------------------------------------------- */

static int grow(struct table *t) {
    uint32_t bits = t->bits ? t->bits + 1 : 8, room = 1u << (bits - 1);
    uint32_t *slot = trace_memory(sizeof *slot << bits);
    struct touched *item = slot ? trace_memory(room * sizeof *item) : NULL;
    if (!item) {
        trace_memory_give(slot, sizeof *slot << bits);
        trace_memory_is_short();
        return 0;
    }
    if (t->bits) {
        memcpy(item, t->item, t->count * sizeof *item);
        trace_memory_give(t->item, t->room * sizeof *item);
        trace_memory_give(t->slot, sizeof *slot << t->bits);
    }
    t->item = item, t->room = room;
    t->slot = slot, t->bits = bits;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t h = (uint32_t)((item[i].line * 0x9E3779B97F4A7C15ull) >> (64 - bits));
        while (slot[h])
            h = (h + 1) & ((1u << bits) - 1);
        slot[h] = i + 1;
        item[i].slot = h;
    }
    return 1;
}

/* What a block did with more memory than this is not compared with what it does later. */
enum { MOST_LINES = 1 << 18 };

static void publish_all(struct checker *c);

static struct touched *touched_get(struct checker *c, struct shadow *s, uintptr_t line) {
    struct table *table = s ? &c->global : &c->shared;
    if (!table->bits && !grow(table))
        return NULL;
    uint32_t h = (uint32_t)((line * 0x9E3779B97F4A7C15ull) >> (64 - table->bits));
    for (; table->slot[h]; h = (h + 1) & ((1u << table->bits) - 1)) {
        struct touched *t = &table->item[table->slot[h] - 1];
        if (t->line == line && t->shadow == s)
            return t;
    }
    if (table->count == table->room) {
        if (table->count >= MOST_LINES)
            publish_all(c);
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

static void clear(struct table *table) {
    for (uint32_t i = 0; i < table->count; i++)
        table->slot[table->item[i].slot] = 0;
    table->count = 0;
}

/* Padding is never written, but read with the struct around it; and the compiler may read two
 * members of a struct at once, with what lies between. The access is `width` bytes at byte
 * `from`. */
static int is_padding(bytes128 missing, bytes128 known, unsigned from, unsigned width, int range) {
    if (range) /* padding does not fill 16 bytes */
        return (uint16_t)(known >> from / 16 * 16) != 0;
    uint32_t bytes = (uint32_t)(missing >> from) & (uint32_t)((1ull << width) - 1);
    int inside = !(bytes & 1) && !(bytes >> (width - 1) & 1);
    return inside || (width >= 8 && __builtin_popcount(bytes) < 4);
}

/* Bytes that nobody has written are read. Whether that was an error is settled later. */
static void read_early(struct checker *c, struct touched *t, const struct run *n,
                       bytes128 missing) {
    bytes128 wrong = 0;
    for (bytes128 rest = missing; rest;) {
        unsigned from = take(&rest, n->width);
        if (!is_padding(missing, t->known, from, n->width, n->range))
            wrong |= missing & bytes_between(from, from + n->width);
    }
    missing = wrong;
    if (!missing || unwritten_off)
        return;
    t->early |= missing;
    unsigned of_site = 0;
    for (unsigned i = 0; i < c->early_count; i++)
        of_site += c->early[i].site == n->site;
    if (of_site == EXAMPLES || c->early_count == EARLY)
        return;
    /* The lowest thread is told, and the first byte that it lacks. */
    unsigned low = n->step < 0 ? last_byte(missing) / n->width * n->width : 0;
    unsigned byte = low + first_byte(missing >> low);
    c->early[c->early_count++] = (struct early){.address = t->line * LINE + byte,
                                                .epoch = n->epoch,
                                                .site = n->site,
                                                .thread = (uint16_t)thread_at(n, byte),
                                                .shared = !t->shadow};
}

/* They are written now. If another thread stores there before the next barrier, then it is a race
 * that is told. */
static void written_late(struct checker *c, struct touched *t, const struct run *n) {
    for (unsigned i = 0; i < c->early_count; i++) {
        struct early *e = &c->early[i];
        uintptr_t byte = e->address - t->line * LINE;
        if (byte >= LINE || e->shared != !t->shadow || !(n->mask >> byte & 1))
            continue;
        e->changed = 1;
        if (e->epoch == n->epoch && thread_at(n, (unsigned)byte) != e->thread && !reads(n))
            e->dropped = 1;
    }
}

static int same_lanes(const struct run *r, const struct run *n) {
    return r->warp == n->warp && r->lane == n->lane && r->offset == n->offset &&
           r->step == n->step && r->width == n->width && r->many == 1 && n->many == 1;
}

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
                struct access a = access_at(r, thread_at(r, byte) + i);
                struct access b = access_at(n, thread_at(n, byte) + k);
                if (in_order(c, a, b))
                    continue;
                race(c, line * LINE + byte, n->epoch, a, b);
                return;
            }
    }
}

static void to_table(struct checker *c, struct shadow *s);

void trace_race_access(struct checker *c, struct shadow *s, uintptr_t line, struct run *n) {
    if (s && s != c->in_table)
        to_table(c, s);
    struct touched *t = touched_get(c, s, line);
    if (!t)
        return;
    if (n->mask & ~t->known && reads(n))
        read_early(c, t, n, n->mask & ~t->known);
    if (writes(n->class)) {
        if (t->early & n->mask)
            written_late(c, t, n);
        t->known |= n->mask;
    }
    if (n->many > 1 && conflict(n->class, n->class, 1)) { /* lanes write one address */
        struct access a = access_at(n, n->warp * (unsigned)LANES + n->lane), b = a;
        b.thread++;
        race(c, line * LINE + first_byte(n->mask), n->epoch, a, b);
    }
    if (atomic_load_explicit(&trace_races_off, memory_order_relaxed))
        return;
    if (t->cell || n->width < 4) {
        unsigned unit = n->width < 4 ? 1 : 4;
        if (t->cell ? t->unit > unit && !make_cells(c, t, unit) : 0)
            return;
        if (t->cell) {
            cells_access(c, t, n, 1);
            return;
        }
    }
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
        } else if (r->mask & n->mask && r->epoch == n->epoch && conflict(r->class, n->class, 1)) {
            judge_runs(c, line, r, n, r->mask & n->mask);
        }
    }
    if (kept)
        return;
    /* A run of an earlier interval no longer matters: in global memory only if n stands for it to
     * other blocks. */
    for (unsigned i = 0; i < t->count && !kept; i++)
        if (t->run[i].epoch < n->epoch &&
            (!s || (t->run[i].class == n->class && !(t->run[i].mask & ~n->mask))))
            t->run[i] = *n, kept = 1;
    if (kept)
        return;
    if (t->count < RUNS) {
        t->run[t->count++] = *n;
        return;
    }
    unsigned unit = n->width < 4 ? 1 : 4;
    for (unsigned i = 0; i < t->count; i++)
        if (t->run[i].width < 4)
            unit = 1;
    if (make_cells(c, t, unit))
        cells_access(c, t, n, 0);
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
            (thread_at(r, byte) == thread || (r->many > 1 && r->warp == thread / LANES))) {
            r->mask &= ~bytes_between(byte, byte + bytes);
            if (!r->mask)
                t->run[i--] = t->run[--t->count];
        }
    }
}

void trace_race_barrier(struct checker *c) {
    c->epoch++;
    memset(c->stretch_next, c->any_fence ? STRETCHES : (int)c->stretch_count,
           sizeof c->stretch_next);
}

/* ---- Stretches --------------------------------------------------------------------------- */

static int one_warp(const struct stretch *t) { return t->warp == t->first_warp + 1; }
static unsigned lines_of(const struct stretch *t) { return t->bytes / (LINE / LANES); }

/* In a step of 0 nothing is known yet, and nothing can follow before it is (set_step). */
static int same_lanes_as(const struct stretch *a, const struct stretch *b) {
    return a->start == b->start && a->bytes == b->bytes && a->first_warp == b->first_warp &&
           (a->step == b->step || !a->step || !b->step);
}

/* Everything between the first warp's and the last one's that there can be. */
static uintptr_t lowest(const struct stretch *t) {
    return t->start + (uintptr_t)(t->step < 0 ? t->step * (t->end - 1 - t->first_warp) : 0);
}
static uintptr_t highest(const struct stretch *t) {
    return t->start + (uintptr_t)(t->step > 0 ? t->step * (t->end - 1 - t->first_warp) : 0) +
           LANES * t->bytes;
}

/* In one allocation stretches lie apart, or are the same lanes' all along: so no two threads meet
 * there. */
static int keeps_apart(const struct checker *c, const struct stretch *t) {
    uintptr_t low = lowest(t), high = highest(t);
    for (const struct stretch *o = c->stretch; o < c->stretch + c->stretch_count; o++)
        if (o->shadow == t->shadow && o != t && lowest(o) < high && low < highest(o) &&
            !same_lanes_as(o, t))
            return 0;
    return 1;
}

/* Sets how far t goes from its second warp on, when that one is `step` bytes from the first. */
static int set_step(const struct checker *c, struct stretch *t, ptrdiff_t step,
                    const struct trace_allocation *a) {
    uintptr_t low = (uintptr_t)a->base, most = a->bytes - LANES * t->bytes;
    t->step = step;
    t->end = step ? WARPS : t->first_warp + 1;
    while (t->start + (uintptr_t)(step * (t->end - 1 - t->first_warp)) - low > most)
        t->end--;
    return keeps_apart(c, t);
}

/* In memory whose bytes have all been written, if it reads. What comes earlier in a warp is earlier
 * among the stretches: a warp never goes back. */
int trace_race_stretch(struct checker *c, const struct trace_request *r, struct trace_allocation *a,
                       struct shadow *s, unsigned site, unsigned class) {
    uintptr_t p = r->address[0];
    uint32_t seq = c->warp[r->warp].seq;
    unsigned known = class == READ && s->written ? r->bytes / (LINE / LANES) : 0;
    if (p % LINE || r->bytes < 4 || class > WRITE || !c->alone || c->any_fence ||
        __atomic_load_n(&s->mixed, __ATOMIC_RELAXED) == c->launch ||
        (known && !trace_lines_written(s, p, known)))
        return 0;
    struct stretch *t = &c->stretch[c->stretch_next[r->warp]];
    struct stretch *end = c->stretch + c->stretch_count;
    for (; t < end; t++)
        if (t->pc == r->pc && t->op == r->op && t->bytes == r->bytes && t->warp == r->warp &&
            t->seq == seq && t->shadow == s && (t->next == p || (one_warp(t) && t->start != p)))
            break;
    if (t == end) {
        if (t == c->stretch + STRETCHES)
            return 0;
        /* How far apart the warps are is not known yet: as in the block before, perhaps. */
        ptrdiff_t step = t->pc == r->pc ? t->step : 0;
        *t = (struct stretch){.pc = r->pc,
                              .next = p,
                              .start = p,
                              .shadow = s,
                              .epoch = c->epoch,
                              .seq = seq,
                              .site = (uint16_t)site,
                              .op = (uint8_t)r->op,
                              .class = (uint8_t) class,
                              .bytes = (uint8_t)r->bytes,
                              .known = (uint8_t)known,
                              .first_warp = (uint8_t)r->warp,
                              .warp = (uint8_t)r->warp};
        if (!set_step(c, t, step, a) && (!step || !set_step(c, t, 0, a))) {
            t->next = NOWHERE;
            return 0;
        }
        c->stretch_count++;
        t[1].next = NOWHERE;
    } else if (t->next != p) {
        ptrdiff_t step = t->step;
        if (!set_step(c, t, (ptrdiff_t)(p - t->start), a)) {
            set_step(c, t, step, a);
            return 0;
        }
        t->next = p;
    }
    trace_stretch_step(c, t);
    return 1;
}

static struct run run_of_stretch(const struct stretch *t, unsigned warp, unsigned k) {
    return (struct run){.mask = ~(bytes128)0,
                        .epoch = t->epoch,
                        .seq = t->seq,
                        .site = t->site,
                        .class = t->class,
                        .warp = (uint8_t)warp,
                        .lane = (uint8_t)(LANES / lines_of(t) * k),
                        .many = 1,
                        .width = t->bytes,
                        .step = t->bytes};
}

/* The first line that warp uses. */
static uintptr_t line_of(const struct stretch *t, unsigned warp) {
    return (t->start + (uintptr_t)(t->step * (ptrdiff_t)(warp - t->first_warp))) / LINE;
}

/* s is used in other ways, too. What the block has done there goes to its table, in the order in
 * which it was done to each line. */
static void to_table(struct checker *c, struct shadow *s) {
    c->in_table = s;
    if (c->alone && __atomic_load_n(&s->mixed, __ATOMIC_RELAXED) != c->launch)
        __atomic_store_n(&s->mixed, c->launch, __ATOMIC_RELAXED);
    for (struct stretch *t = c->stretch; t < c->stretch + c->stretch_count; t++) {
        if (t->shadow != s)
            continue;
        for (unsigned warp = t->first_warp; warp < t->warp; warp++)
            for (unsigned k = 0; k < lines_of(t); k++) {
                struct run run = run_of_stretch(t, warp, k);
                trace_race_access(c, s, line_of(t, warp) + k, &run);
            }
        t->shadow = NULL;
        t->next = NOWHERE;
    }
}

/* room is a power of two. */
static size_t hash(uintptr_t address, size_t room) {
    return (address * 0x9E3779B97F4A7C15ull >> 20) & (room - 1);
}

/* ---- Order by fences --------------------------------------------------------------------- */

/* Before the operation runs: who finds its effect acquires a later or the same time. */
uint64_t trace_race_sync_op(uintptr_t address) {
    pthread_mutex_lock(&lock);
    uint64_t time = atomic_load(&sync_clock) + 1;
    if (2 * synced_count >= synced_room) {
        size_t old = synced_room, room = old ? 2 * old : 256;
        void *before = synced;
        synced = calloc(room, sizeof *synced);
        if (!synced)
            abort();
        synced_room = room;
        for (size_t i = 0; i < old; i++) {
            uintptr_t a = ((typeof(synced))before)[i].address;
            size_t h = hash(a, room);
            while (a && synced[h].address)
                h = (h + 1) & (room - 1);
            if (a)
                synced[h] = ((typeof(synced))before)[i];
        }
        free(before);
    }
    size_t h = hash(address, synced_room);
    while (synced[h].address && synced[h].address != address)
        h = (h + 1) & (synced_room - 1);
    synced_count += !synced[h].address;
    synced[h].address = address;
    synced[h].time = time;
    atomic_store(&sync_clock, time);
    pthread_mutex_unlock(&lock);
    return time;
}

static uint64_t last_release(uintptr_t address) {
    uint64_t time = 0;
    pthread_mutex_lock(&lock);
    for (size_t h = hash(address, synced_room); synced_room && synced[h].address;
         h = (h + 1) & (synced_room - 1))
        if (synced[h].address == address)
            time = synced[h].time;
    pthread_mutex_unlock(&lock);
    return time;
}

static void log_order(struct checker *c, struct order o) {
    struct order_log *l = c->log;
    if (!l || l->count == l->room) {
        unsigned room = l ? 4 * l->room : 8;
        if (room > ORDERS)
            return;
        l = realloc(l, sizeof *l + room * sizeof l->order[0]);
        if (!l)
            abort();
        if (!c->log) {
            l->count = 0;
            memset(c->last_order, 0xff, sizeof c->last_order);
        }
        l->room = room;
        c->log = l;
    }
    c->last_order[o.release][o.thread] = (uint16_t)l->count;
    l->order[l->count++] = o;
}

static struct order *last_order(struct checker *c, unsigned thread, int release) {
    unsigned i = c->log ? c->last_order[release][thread] : NO_ORDER;
    return i == NO_ORDER ? NULL : &c->log->order[i];
}

/* Of those between which nothing happens that a later one would release, the first is enough. */
void trace_race_release(struct checker *c, unsigned thread, uint64_t time) {
    const struct order *o = last_order(c, thread, 1);
    if (!o || o->epoch != c->epoch || o->fences != c->fences[thread])
        log_order(c, (struct order){time, c->epoch, (uint16_t)thread, 1, c->fences[thread], 0});
}

void trace_race_acquire(struct checker *c, unsigned thread, uintptr_t address,
                        enum trace_space space) {
    if (!atomic_load_explicit(&sync_clock, memory_order_relaxed))
        return;
    uint64_t time = last_release(address);
    /* the shared memory of an earlier block lay at the same address */
    if (!time || (space == TRACE_SHARED && time <= c->clock))
        return;
    struct order *o = last_order(c, thread, 0);
    if (o && o->epoch == c->epoch)
        o->time = time; /* a loop that waits: its last look counts */
    else
        log_order(c, (struct order){time, c->epoch, (uint16_t)thread, 0, 0, 0});
}

/* An access in the judgement about order: also what a key holds. */
struct use {
    unsigned long long block;
    unsigned thread, site, epoch, fences, classes;
};

/* Does o come after u in its block, for sure or as far as is known? */
static int later(const struct order *o, const struct use *u) {
    unsigned epoch = at_most(o->epoch, 63);
    if (o->thread == u->thread)
        return o->fences > u->fences || (u->classes & K_SYNC && o->fences == u->fences) ||
               u->fences == 15;
    if (o->thread / LANES == u->thread / LANES && o->warp_synced)
        return epoch >= u->epoch;
    return epoch > u->epoch || u->epoch == 63;
}
static int earlier(const struct order *o, const struct use *u) {
    unsigned epoch = at_most(o->epoch, 63);
    if (o->thread == u->thread || (o->thread / LANES == u->thread / LANES && o->warp_synced))
        return epoch <= u->epoch;
    return epoch < u->epoch || u->epoch == 63;
}

/* Has a been released, and that been acquired before b? */
static int released_to(const struct order_log *of_a, const struct use *a,
                       const struct order_log *of_b, const struct use *b) {
    uint64_t acquired = 0;
    for (unsigned i = 0; of_b && i < of_b->count; i++)
        if (!of_b->order[i].release && of_b->order[i].time > acquired &&
            earlier(&of_b->order[i], b))
            acquired = of_b->order[i].time;
    for (unsigned i = 0; of_a && acquired && i < of_a->count; i++)
        if (of_a->order[i].release && of_a->order[i].time <= acquired && later(&of_a->order[i], a))
            return 1;
    return of_a && of_a->count >= ORDERS / 2; /* too many to know */
}

static int ordered(const struct order_log *of_a, const struct use *a, const struct order_log *of_b,
                   const struct use *b) {
    return released_to(of_a, a, of_b, b) || released_to(of_b, b, of_a, a);
}

void trace_race_warp_sync(struct checker *c, unsigned warp, uint32_t lanes) {
    struct warp_order *w = &c->warp[warp];
    c->any_sync = 1;
    w->seq++;
    if (lanes == ~0u) {
        w->all = w->seq;
        w->count = 0;
        return;
    }
    unsigned room = sizeof w->part / sizeof w->part[0];
    if (w->count == room) {
        w->forgotten = w->part[room / 2 - 1].seq;
        memmove(w->part, w->part + room / 2, room / 2 * sizeof w->part[0]);
        w->count = room / 2;
    }
    w->part[w->count].seq = w->seq;
    w->part[w->count++].lanes = lanes;
}

/* ---- Between blocks ---------------------------------------------------------------------- */

static unsigned classes_of(unsigned class) {
    return class == READ            ? K_READ
           : class == WRITE         ? K_WRITE
           : class == VOLATILE_READ ? K_VOLATILE
                                    : K_SYNC;
}

static key key_of(unsigned long long block, struct access a) {
    return (key)block << 38 | (key)a.thread << 28 | (key)a.site << 14 | (key)a.epoch << 8 |
           (key)at_most(a.fences, 15) << 4 | classes_of(a.class);
}
static unsigned long long block_of(key k) { return k >> 38; }
static struct use use_of(key k) {
    return (struct use){block_of(k), k >> 28 & 1023, k >> 14 & (SITES - 1),
                        k >> 8 & 63, k >> 4 & 15,    k & 15};
}

static int agree(unsigned a, unsigned b) { /* classes of users in different blocks */
    return !((a | b) & K_WRITE) && !(a & K_READ && b & K_SYNC) && !(a & K_SYNC && b & K_READ);
}

/* Both of one block. The one that disagrees with more of the others speaks for both. */
static key merged(key a, key b) {
    static const unsigned class[] = {K_WRITE, K_SYNC, K_READ, K_VOLATILE};
    key first = a < b ? a : b, second = a < b ? b : a;
    for (unsigned i = 0; i < 4; i++)
        if ((first | second) & class[i])
            return ((first & class[i] ? first : second) & ~(key)15) | ((first | second) & 15);
    return first;
}

/* May b, of the same word, be kept beside a, or in it? Blocks of one class, that agree, stand for
 * all of that class. Reads and atomics of one block each disagree with something else: neither can
 * speak for both. */
static int goes_with(key a, key b) {
    unsigned classes = (a | b) & 15;
    if (!a || block_of(a) != block_of(b))
        return !a || ((a & 15) == (b & 15) && agree(a & 15, b & 15));
    return classes & K_WRITE || !(classes & K_READ && classes & K_SYNC);
}

static void smallest_two(key *a, key *b, key k) {
    if (*a && block_of(*a) == block_of(k))
        *a = merged(*a, k);
    else if (*b && block_of(*b) == block_of(k))
        *b = merged(*b, k);
    else if (!*a || k < *a)
        *b = *a, *a = k;
    else if (!*b || k < *b)
        *b = k;
}

/* NULL: not in the list, which has as many as it may have. */
static struct conflict *conflict_at(uintptr_t address) {
    if (2 * conflict_count >= conflict_room && conflict_count < CONFLICTS) {
        size_t room = conflict_room ? 2 * conflict_room : 1024;
        struct conflict *more = trace_memory(room * sizeof *conflicts);
        if (!more)
            return NULL;
        for (size_t i = 0; i < conflict_room; i++) {
            size_t h = hash(conflicts[i].address, room);
            while (conflicts[i].address && more[h].address)
                h = (h + 1) & (room - 1);
            if (conflicts[i].address)
                more[h] = conflicts[i];
        }
        trace_memory_give(conflicts, conflict_room * sizeof *conflicts);
        conflicts = more;
        conflict_room = room;
    }
    size_t h = hash(address, conflict_room);
    while (conflicts[h].address && conflicts[h].address != address)
        h = (h + 1) & (conflict_room - 1);
    if (!conflicts[h].address && conflict_count == CONFLICTS)
        return NULL;
    conflict_count += !conflicts[h].address;
    conflicts[h].address = address;
    return &conflicts[h];
}

/* Adds a user to the list. Comes back with the second block that writes there, if it is known. */
static uint64_t conflict_add(uintptr_t address, key k) {
    static const unsigned class[] = {K_WRITE, K_READ, K_SYNC, K_VOLATILE};
    struct conflict *c = k ? conflict_at(address) : NULL;
    for (unsigned i = 0; c && i < 4; i++)
        if (k & class[i])
            smallest_two(&c->user[i][0], &c->user[i][1], (k & ~(key)15) | class[i]);
    return !k || (c && !c->user[0][1]) ? UNDECIDED : c ? block_of(c->user[0][1]) : 0;
}

/* Users of a word that are in the list are users of each of its bytes. */
static void split_conflicts(const struct pairs *p, unsigned unit, uintptr_t start) {
    pthread_mutex_lock(&lock);
    for (unsigned byte = 0; byte < LINE; byte += unit) {
        uintptr_t word = start + byte / p->unit * p->unit;
        if (!(p->conflict >> byte & 1) || word == start + byte)
            continue;
        struct conflict *from = conflict_at(word), users;
        if (!from)
            continue;
        users = *from; /* the list may move */
        users.address = start + byte;
        struct conflict *to = conflict_at(start + byte);
        if (to)
            *to = users;
    }
    pthread_mutex_unlock(&lock);
}

static void add_key(struct pairs *p, uintptr_t line, unsigned byte, key k) {
    unsigned i = byte / p->unit;
    key a = p->of[i].a, b = p->of[i].b;
    bytes128 unit = bytes_between(i * p->unit, (i + 1) * p->unit);
    p->only |= k & 15;
    if (!(p->conflict & unit) && !(goes_with(a, k) && goes_with(b, k))) {
        p->conflict |= unit;
        pthread_mutex_lock(&lock);
        conflict_add(line * LINE + i * p->unit, a);
        conflict_add(line * LINE + i * p->unit, b);
        pthread_mutex_unlock(&lock);
    }
    if (p->conflict & unit) {
        pthread_mutex_lock(&lock);
        uint64_t second = conflict_add(line * LINE + i * p->unit, k);
        pthread_mutex_unlock(&lock);
        if (second != UNDECIDED) {
            p->decided |= unit;
            p->highest = second > p->highest ? second : p->highest;
        }
        return;
    }
    smallest_two(&p->of[i].a, &p->of[i].b, k);
    if (p->of[i].b) {
        p->settled |= unit;
        if (block_of(p->of[i].b) > p->highest)
            p->highest = block_of(p->of[i].b);
    }
}

static void add_run(struct pairs *p, uintptr_t line, unsigned long long block,
                    const struct run *r) {
    key lowest = key_of(block, access_at(r, 0));
    for (bytes128 rest = r->mask; rest;) {
        unsigned byte = take(&rest, p->unit), i = byte / p->unit;
        key k = lowest | (key)thread_at(r, byte) << 28;
        if (p->of[i].a || p->conflict >> byte & 1) {
            add_key(p, line, byte, k);
        } else {
            p->of[i].a = k;
            p->only |= k & 15;
        }
    }
}

static struct pairs *make_pairs(struct checker *c, unsigned unit) {
    struct pairs *p = arena_memory(&c->of_launch, sizeof *p + LINE / unit * sizeof p->of[0]);
    if (p)
        p->unit = unit;
    return p;
}

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
    const struct run *read = NULL, *write = NULL;
    for (unsigned i = 0; i < t->count; i++)
        if (t->run[i].class == READ && !read)
            read = &t->run[i];
        else if (t->run[i].class == WRITE && !write)
            write = &t->run[i];
        else
            return 0;
    const struct run *r = read ? read : write;
    if (!r || t->cell || r->width < 4 || (read && write && !same_lanes(read, write)))
        return 0;
    l->kind = ONE_RUN;
    l->block = (uint32_t)c->block;
    l->warp = r->warp, l->lane = r->lane, l->offset = r->offset, l->width = r->width;
    l->step = r->step;
    l->read = l->written = 0;
    if (read) {
        l->read = words_of(read->mask), l->read_site = read->site;
        l->read_epoch = (uint8_t)at_most(read->epoch, 63), l->read_fences = read->fences;
    }
    if (write) {
        l->written = words_of(write->mask), l->write_site = write->site;
        l->write_epoch = (uint8_t)at_most(write->epoch, 63), l->write_fences = write->fences;
    }
    return 1;
}

/* The same block comes back with the same lanes: its table was full in between. */
static int add_to_one_run(const struct checker *c, struct line *l, const struct touched *t) {
    struct line n = {.launch = l->launch};
    if (l->kind != ONE_RUN || l->block != c->block || !put_one_run(&n, c, t) || n.warp != l->warp ||
        n.lane != l->lane || n.offset != l->offset || n.width != l->width || n.step != l->step)
        return 0;
    n.lock = l->lock;
    if (!n.read)
        n.read_site = l->read_site, n.read_epoch = l->read_epoch, n.read_fences = l->read_fences;
    if (!n.written)
        n.write_site = l->write_site, n.write_epoch = l->write_epoch,
        n.write_fences = l->write_fences;
    n.read |= l->read;
    n.written |= l->written;
    *l = n;
    return 1;
}

static struct run run_of(const struct line *l, int write) {
    struct run r = {.mask = bytes_of(write ? l->written : l->read),
                    .epoch = (uint32_t)(write ? l->write_epoch : l->read_epoch),
                    .site = write ? l->write_site : l->read_site,
                    .step = l->step,
                    .class = write ? WRITE : READ,
                    .warp = l->warp,
                    .lane = l->lane,
                    .many = 1,
                    .offset = l->offset,
                    .width = l->width,
                    .fences = write ? l->write_fences : l->read_fences};
    return r;
}

static int narrow(const struct run *r, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (r[i].width < 4)
            return 1;
    return 0;
}

static unsigned unit_of(const struct touched *t) {
    return t->cell ? t->unit : narrow(t->run, t->count) ? 1 : 4;
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
        for (int write = 0; write < 2; write++) {
            struct run r = run_of(l, write);
            add_run(p, line, l->block, &r);
        }
    }
    l->kind = MANY_BLOCKS;
    l->pairs = p;
    return p;
}

/* Nothing to add where two smaller blocks are known: reading only, as all before; or two that
 * write, as long as no fences put blocks in order. */
static int adds_nothing(const struct checker *c, const struct line *l, const struct touched *t) {
    const struct pairs *p = l->pairs;
    if (l->kind != MANY_BLOCKS || t->cell || c->block <= p->highest ||
        (p->conflict && atomic_load(&sync_clock)))
        return 0;
    bytes128 done = p->decided;
    if (p->only == K_READ && !p->conflict)
        done = p->settled;
    for (unsigned i = 0; i < t->count; i++)
        if (t->run[i].mask & ~done || (p->only == K_READ && t->run[i].class != READ))
            return 0;
    return 1;
}

static void add_to_line(struct checker *c, struct line *l, struct touched *t) {
    if (l->launch != launch) {
        l->launch = launch;
        l->kind = 0;
        if (put_one_run(l, c, t))
            return;
        size_t bytes = t->count * sizeof t->run[0];
        struct runs *r = t->cell ? NULL : arena_memory(&c->of_launch, sizeof *r + bytes);
        if (r) {
            l->kind = ONE_BLOCK;
            l->runs = r;
            r->block = (uint32_t)c->block;
            r->count = t->count;
            memcpy(r->run, t->run, bytes);
            return;
        }
    } else if (adds_nothing(c, l, t) || add_to_one_run(c, l, t)) {
        return;
    }
    struct pairs *p = share_line(c, l, t->line, unit_of(t));
    for (unsigned i = 0; p && i < t->count; i++)
        add_run(p, t->line, c->block, &t->run[i]);
    for (bytes128 rest = t->in_cells; p && rest;) {
        unsigned byte = take(&rest, p->unit);
        const struct access *use = cell_at(t, byte)->use;
        for (unsigned i = 0; i < USES; i++)
            if (use[i].site)
                add_key(p, t->line, byte, key_of(c->block, use[i]));
    }
}

static void lock_line(struct line *l) {
    while (__atomic_exchange_n(&l->lock, 1, __ATOMIC_ACQUIRE))
        ;
}
static void unlock_line(struct line *l) { __atomic_store_n(&l->lock, 0, __ATOMIC_RELEASE); }

/* The block has ended: what it did with a line becomes known to the others. */
static void publish(struct checker *c, struct touched *t) {
    struct shadow *s = t->shadow;
    bytes128 written = 0;
    for (unsigned i = 0; i < t->count; i++)
        if (writes(t->run[i].class))
            written |= t->run[i].mask;
    for (bytes128 rest = t->in_cells; rest;) {
        unsigned byte = take(&rest, t->unit);
        const struct access *use = cell_at(t, byte)->use;
        if (use[WRITTEN].site || use[FLAGGED].site || use[SYNCED].site)
            written |= bytes_between(byte, byte + t->unit);
    }
    bytes128 changed = c->alone ? written & t->early : 0;
    if (written & ~changed)
        trace_shadow_mark(s, t->line - s->first, written & ~changed);
    if (changed)
        trace_shadow_changed(s, t->line - s->first, changed);
    if (s->page)
        trace_pages_touched(s, t->line, written != 0, launch);
    if (!c->cross_block || !s->line)
        return;
    struct line *l = &s->line[t->line - s->first];
    lock_line(l);
    add_to_line(c, l, t);
    unlock_line(l);
}

static void publish_all(struct checker *c) {
    for (uint32_t i = 0; i < c->global.count; i++)
        publish(c, &c->global.item[i]);
    clear(&c->global);
}

/* t and other are stretches of the same lanes, t the older one; other may be NULL. */
static void publish_lines(struct checker *c, const struct stretch *t, const struct stretch *other) {
    struct shadow *s = t->shadow;
    unsigned end = t->warp, lanes = LANES / lines_of(t);
    int write = t->class == WRITE || other;
    unsigned char *written = write ? s->written : NULL;
    struct line *lines = c->cross_block ? s->line : NULL, one = {.launch = launch, .lock = 1};
    struct touched both;
    both.shadow = s, both.cell = NULL, both.in_cells = 0;
    both.count = other ? 2 : 1;
    both.run[0] = run_of_stretch(t, t->first_warp, 0);
    if (other)
        both.run[1] = run_of_stretch(other, t->first_warp, 0);
    put_one_run(&one, c, &both);
    for (unsigned warp = t->first_warp; warp < end; warp++) {
        size_t i = line_of(t, warp) - s->first;
        for (unsigned lane = 0; lane < LANES; lane += lanes, i++) {
            if (written && __atomic_load_n(&written[i], __ATOMIC_RELAXED) != ALL)
                trace_shadow_mark(s, i, ~(bytes128)0);
            if (s->page)
                trace_pages_touched(s, s->first + i, write, launch);
            if (!lines)
                continue;
            struct line *l = &lines[i];
            lock_line(l);
            if (l->launch != launch) {
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

/* Those of the same lanes together: of each class the last one, as in the table. */
static void publish_stretches(struct checker *c) {
    for (unsigned i = 0; i < c->stretch_count; i++) {
        struct stretch *t = &c->stretch[i], *last[2] = {t, NULL};
        struct shadow *s = t->shadow;
        int even = 1;
        for (unsigned k = i + 1; s && k < c->stretch_count; k++) {
            struct stretch *o = &c->stretch[k];
            if (o->shadow == s && o->start == t->start) {
                even &= o->warp == t->warp && (o->step == t->step || one_warp(o));
                last[o->class != t->class] = o;
            }
        }
        if (s && even)
            publish_lines(c, last[0], last[1]);
        else if (s)
            to_table(c, s);
        for (unsigned k = c->stretch_count; s && k-- > i;)
            if (c->stretch[k].shadow == s && c->stretch[k].start == t->start)
                c->stretch[k].shadow = NULL;
    }
}

/* ---- Blocks ------------------------------------------------------------------------------ */

void trace_race_block_begin(struct checker *c) {
    if (c->launch != launch) {
        arena_reuse(&c->of_launch);
        c->launch = launch;
        if (!c->early)
            c->early = calloc(EARLY, sizeof *c->early);
        if (!c->pending)
            c->pending = calloc(PENDING, sizeof *c->pending);
        if (!c->early || !c->pending)
            abort();
    }
    clear(&c->global); /* of a block that was abandoned */
    clear(&c->shared);
    arena_reuse(&c->of_block);
    c->stretch_count = 0;
    memset(c->stretch_next, 0, sizeof c->stretch_next);
    c->stretch[0].next = NOWHERE;
    c->in_table = NULL;
    c->epoch = 0;
    c->early_count = c->pending_count = 0;
    c->cross_block = c->alone && several_blocks && !atomic_load(&trace_races_off);
    c->clock = atomic_load(&sync_clock);
    for (unsigned i = 0; c->any_sync && i < WARPS; i++)
        c->warp[i].seq = c->warp[i].all = c->warp[i].forgotten = c->warp[i].count = 0;
    c->any_sync = 0;
    if (c->any_fence)
        memset(c->fences, 0, sizeof c->fences);
    c->any_fence = 0;
    free(c->log);
    c->log = NULL;
}

static struct use in_block(const struct checker *c, struct access a) {
    return (struct use){c->block,           a.thread, a.site, a.epoch, at_most(a.fences, 15),
                        classes_of(a.class)};
}

static void tell_races(struct checker *c) {
    for (unsigned i = 0; i < c->pending_count; i++)
        for (unsigned k = 0; k < c->pending[i].count; k++) {
            struct access a = c->pending[i].example[k].a, b = c->pending[i].example[k].b;
            struct use x = in_block(c, a), y = in_block(c, b);
            uintptr_t address = c->pending[i].example[k].address;
            if (c->log && ordered(c->log, &x, c->log, &y))
                continue;
            struct finding f = {.kind = RACE,
                                .launch = c->record,
                                .space = trace_shared_near((void *)address) ? TRACE_SHARED
                                                                            : TRACE_GLOBAL,
                                .position = c->position,
                                .block = c->block,
                                .other_block = c->block,
                                .thread = a.thread,
                                .other_thread = b.thread,
                                .site = a.site,
                                .other_site = b.site,
                                .address = address};
            if (f.space == TRACE_SHARED)
                trace_shared_where(c, address, &f);
            trace_found(&f);
            break;
        }
}

static int before(const struct finding *a, const struct finding *b) {
    if (a->position != b->position)
        return a->position < b->position;
    return a->thread != b->thread ? a->thread < b->thread : a->address < b->address;
}

/* At most EXAMPLES of a site, the first ones in the schedule; those that their block has changed
 * count by themselves, since less can excuse them. */
static void keep_unwritten(const struct unwritten *n) {
    struct unwritten *last = NULL;
    unsigned of_site = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < unwritten_count; i++) {
        struct unwritten *u = &unwritten[i];
        if (u->finding.site == n->finding.site && u->changed == n->changed) {
            of_site++;
            if (!last || before(&last->finding, &u->finding))
                last = u;
        }
    }
    if (of_site == EXAMPLES) {
        if (before(&n->finding, &last->finding))
            *last = *n;
    } else if (unwritten_count < UNWRITTEN) {
        unwritten[unwritten_count++] = *n;
    }
    pthread_mutex_unlock(&lock);
}

static void tell_early(struct checker *c) {
    for (unsigned i = 0; i < c->early_count; i++) {
        const struct early *e = &c->early[i];
        if (e->dropped)
            continue;
        struct finding f = {.kind = NOT_WRITTEN,
                            .launch = c->record,
                            .space = e->shared ? TRACE_SHARED : TRACE_GLOBAL,
                            .position = c->position,
                            .block = c->block,
                            .thread = e->thread,
                            .site = e->site,
                            .address = e->address};
        if (e->shared) {
            trace_shared_where(c, e->address, &f);
            trace_found(&f);
        } else if (c->alone) {
            keep_unwritten(&(struct unwritten){f, e->changed});
        } else {
            trace_found(&f);
        }
    }
}

void trace_race_block_end(struct checker *c) {
    for (unsigned i = 0; c->log && i < c->log->count; i++)
        c->log->order[i].warp_synced = c->warp[c->log->order[i].thread / LANES].seq != 0;
    tell_races(c);
    tell_early(c);
    publish_stretches(c);
    publish_all(c);
    clear(&c->shared);
    if (c->log && c->cross_block) {
        c->log->block = c->block;
        pthread_mutex_lock(&lock);
        c->log->next = logs;
        logs = c->log;
        pthread_mutex_unlock(&lock);
        c->log = NULL;
    }
}

/* ---- Launches ---------------------------------------------------------------------------- */

void trace_race_launch_begin(const struct trace_launch *l, int sampled) {
    launch++;
    current = l;
    unwritten_off |= sampled; /* what the other blocks write is not known from then on */
    several_blocks = l->blocks > 1 && l->blocks < 1ull << 26;
    atomic_store(&sync_clock, 0);
    unwritten_count = 0;
}

uint32_t trace_race_launch(void) { return launch; }

static const struct order_log *log_of(unsigned long long block) {
    const struct order_log *l = logs;
    while (l && l->block != block)
        l = l->next;
    return l;
}

/* Is there a pair of users x, y that disagree and that nothing has ordered? Tells the first. */
static int judge_pair(uintptr_t address, key x, key y) {
    if (!x || !y || block_of(x) == block_of(y))
        return 0;
    struct use a = use_of(x), b = use_of(y);
    if (logs && ordered(log_of(a.block), &a, log_of(b.block), &b))
        return 0;
    struct finding f = {.kind = RACE,
                        .space = TRACE_GLOBAL,
                        .launch = current,
                        .position = a.block > b.block ? a.block : b.block,
                        .block = a.block,
                        .other_block = b.block,
                        .thread = a.thread,
                        .other_thread = b.thread,
                        .site = a.site,
                        .other_site = b.site,
                        .address = address};
    trace_found(&f);
    return 1;
}

static void judge(const struct conflict *c) {
    const key *written = c->user[0], *read = c->user[1], *sync = c->user[2], *flag = c->user[3];
    const key *first[] = {written, written, written, written, sync};
    const key *second[] = {written, read, sync, flag, read};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++)
            if (judge_pair(c->address, first[i][k / 2], second[i][k % 2]))
                return;
}

/* Has another block written the byte, so that it may have come first? Two that have both read it
 * and then changed it do not excuse each other: one of them was the first. */
static int written_elsewhere(const struct unwritten *u) {
    uintptr_t address = u->finding.address;
    struct trace_allocation *a = (struct trace_allocation *)trace_allocation_near((void *)address);
    struct shadow *s = a && !a->freed ? trace_shadow_of(a) : NULL;
    size_t line = s ? address / LINE - s->first : 0;
    if (!s || line >= s->lines)
        return 0;
    bytes128 written = trace_shadow_written(s, line);
    if (!u->changed)
        written |= trace_shadow_changed_in(s, line);
    return written >> address % LINE & 1;
}

void trace_race_launch_end(int abandoned) {
    for (unsigned i = 0; i < unwritten_count; i++)
        if (!written_elsewhere(&unwritten[i]))
            trace_found(&unwritten[i].finding);
    trace_shadow_settle();
    for (size_t i = 0; i < conflict_room && !abandoned; i++)
        if (conflicts[i].address)
            judge(&conflicts[i]);
    trace_memory_give(conflicts, conflict_room * sizeof *conflicts);
    conflicts = NULL;
    conflict_room = conflict_count = 0;
    while (logs) {
        struct order_log *next = logs->next;
        free(logs);
        logs = next;
    }
    free(synced);
    synced = NULL;
    synced_room = synced_count = 0;
}
