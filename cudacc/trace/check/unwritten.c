/*
 * unwritten.c: reads of memory that was never written, by kernels and by copies. In shared memory
 * that is settled when the block ends, in global memory when the launch does: another block may
 * have written there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race.h"
#include <string.h>

enum { EARLY = 64, EXAMPLES = 4, UNWRITTEN = 256 };

/* In the current block. */
struct early {
    uintptr_t address;
    uint32_t epoch;
    uint16_t site, thread;
    uint16_t copy; /* the site of the asynchronous copy that has not been waited for; 0: none */
    uint8_t shared, dropped, changed; /* changed: the block has written there since */
};

/* In the current launch. */
struct unwritten {
    struct finding finding;
    int changed; /* by its own block, since */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct unwritten unwritten[UNWRITTEN];
static unsigned unwritten_count;

static atomic_int unknown; /* a kernel has written memory, and what is not known */

void trace_written_unknown(void) { atomic_store(&unknown, 1); }

/* ---- Copies to shared memory that are under way in a block ------------------------------- */

void trace_under_way_add(struct checker *c, struct under_way copy) {
    struct under_way *u =
        LIST_TAKE(c->under_way_spare) ?: trace_arena_memory(&c->of_block, sizeof *u);
    if (!u)
        return;
    *u = copy;
    *LIST_PLACE(c->under_way[copy.thread], i, 0) = u;
    c->any_under_way = 1;
}

int trace_under_way_take(struct checker *c, unsigned thread, uintptr_t to, struct under_way *copy) {
    struct under_way **at = LIST_PLACE(c->under_way[thread], i, i->address == to && !i->is_source);
    struct under_way *u = *at;
    if (!u)
        return 0;
    *copy = *u;
    do {
        *at = u->next;
        LIST_ADD(c->under_way_spare, u);
    } while ((u = *at) && u->is_source);
    return 1;
}

/* The one that will store this byte; NULL: none. */
static const struct under_way *under_way(const struct checker *c, uintptr_t address) {
    for (unsigned i = 0; c->any_under_way && i < MAX_THREADS; i++)
        for (const struct under_way *u = c->under_way[i]; u; u = u->next)
            if (address - u->address < u->bytes && !u->is_source)
                return u;
    return NULL;
}

/* Of another thread's copy since the last barrier that is a race like any other: the order in which
 * the two are replayed says nothing. */
void trace_under_way_stored(struct checker *c, const struct touched *t, const struct run *n,
                            bytes128 copying) {
    for (unsigned i = 0; i < MAX_THREADS; i++)
        for (const struct under_way *u = c->under_way[i]; u; u = u->next)
            for (bytes128 rest = copying; rest;) {
                unsigned byte = take(&rest, n->width), thread = thread_at(n, byte);
                uintptr_t address = t->line * LINE + byte;
                if (address >= u->address + u->bytes || u->address >= address + n->width ||
                    (thread != i && u->epoch == n->epoch))
                    continue;
                union access copy = {
                    .class = COPY,
                    .epoch = at_most(u->epoch, MOST_EPOCH),
                    .site = trace_site(u->pc, u->is_source ? TRACE_LOAD : TRACE_STORE, u->bytes),
                    .thread = i,
                    .seq = u->seq};
                trace_block_race(c, address, copy, access_at(n, thread));
                return;
            }
}

/* ---- In a block -------------------------------------------------------------------------- */

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

/* Of a struct that moves in pieces: where a parameter leads to it, its type says whether it has
 * padding; gcc may take one of 16 bytes at once. In shared memory a piece begins with a member. */
static int may_be_padding(const struct checker *c, const struct touched *t, bytes128 missing,
                          unsigned from, unsigned width) {
    if (!t->shadow)
        return width >= 4 && !(missing >> from & 1);
    const struct trace_allocation *a = trace_allocation_near((const void *)(t->line * LINE + from));
    const struct cpu_device_element *element = a ? trace_element(c->worker->launch, a) : NULL;
    return element && (element->is_padded || element->alignment < width) &&
           is_padding(missing, t->known, from, width, 1);
}

/* Nothing lies between the begin of the copy and this read by another thread: a race, which is
 * reported. */
static int races_with_begin(const struct under_way *u, const struct run *n, unsigned thread) {
    return u->thread != thread && u->epoch == n->epoch &&
           (u->thread / WARP != thread / WARP || u->seq == n->seq);
}

void trace_unwritten_read(struct checker *c, struct touched *t, const struct run *n,
                          bytes128 missing) {
    bytes128 wrong = 0;
    for (bytes128 rest = missing; rest;) {
        unsigned from = take(&rest, n->width);
        if (!is_padding(missing, t->known, from, n->width, n->range) &&
            !may_be_padding(c, t, missing, from, n->width))
            wrong |= missing & bytes_between(from, from + n->width);
    }
    if (!wrong || atomic_load_explicit(&unknown, memory_order_relaxed))
        return;
    t->early |= wrong;
    if (!c->early)
        c->early = trace_must(calloc(EARLY, sizeof *c->early));
    unsigned of_site = 0;
    for (unsigned i = 0; i < c->early_count; i++)
        of_site += c->early[i].site == n->site;
    if (of_site == EXAMPLES || c->early_count == EARLY)
        return;
    /* The lowest thread is reported, and the first byte that it lacks. */
    unsigned low = n->step < 0 ? last_byte(wrong) / n->width * n->width : 0;
    unsigned byte = low + first_byte(wrong >> low), copy = 0;
    if (!t->shadow) {
        const struct under_way *u = under_way(c, t->line * LINE + byte);
        if (u && races_with_begin(u, n, thread_at(n, byte)))
            return;
        copy = u ? trace_site(u->pc, TRACE_STORE, u->bytes) : 0;
    }
    c->early[c->early_count++] = (struct early){.address = t->line * LINE + byte,
                                                .epoch = n->epoch,
                                                .site = n->site,
                                                .thread = (uint16_t)thread_at(n, byte),
                                                .copy = (uint16_t)copy,
                                                .shared = !t->shadow};
}

/* If another thread stores there before the next barrier, then it is a race that is reported. */
void trace_unwritten_changed(struct checker *c, const struct touched *t, const struct run *n) {
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

void trace_unwritten_forget(struct checker *c) {
    c->early_count = 0;
    if (c->any_under_way)
        memset(c->under_way, 0, sizeof c->under_way);
    c->under_way_spare = NULL;
    c->any_under_way = 0;
}

static int before(const struct finding *a, const struct finding *b) {
    int order = trace_compare(a->position, b->position) ?: trace_compare(a->thread, b->thread);
    return (order ?: trace_compare(a->address, b->address)) < 0;
}

/* At most EXAMPLES of a site, the first ones in the schedule; those that their block has changed
 * count by themselves, since less can excuse them. */
static void keep(const struct unwritten *n) {
    struct unwritten *last = NULL;
    unsigned of_site = 0;
    WITH_LOCK(lock);
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
}

void trace_unwritten_tell(struct checker *c) {
    for (unsigned i = 0; i < c->early_count; i++) {
        const struct early *e = &c->early[i];
        if (e->dropped)
            continue;
        struct unwritten u = {trace_finding_in(c->worker, NOT_WRITTEN), e->changed};
        struct finding *f = &u.finding;
        f->space = e->shared ? TRACE_SHARED : TRACE_GLOBAL;
        f->thread = e->thread;
        f->site = e->site, f->other_site = e->copy;
        f->address = e->address;
        if (e->shared)
            trace_shared_where(c->worker, e->address, f);
        if (e->shared || !c->alone)
            trace_found(f);
        else
            keep(&u);
    }
}

/* ---- In a launch ------------------------------------------------------------------------- */

void trace_unwritten_launch_begin(void) { unwritten_count = 0; }

/* Has another block written the byte, so that it may have come first? Two that have both read it
 * and then changed it do not excuse each other: one of them was the first. What has been freed
 * meanwhile is another mistake. */
static int written_elsewhere(const struct unwritten *u) {
    uintptr_t address = u->finding.address;
    struct trace_allocation *a = (struct trace_allocation *)trace_allocation_near((void *)address);
    if (a && a->freed)
        return 1;
    struct shadow *s = a ? trace_shadow_of(a) : NULL;
    size_t line = s ? address / LINE - s->first : 0;
    if (!s || line >= s->lines)
        return 0;
    bytes128 written = trace_shadow_written(s, line);
    if (!u->changed)
        written |= trace_shadow_changed_in(s, line);
    return written >> address % LINE & 1;
}

void trace_unwritten_launch_end(void) {
    for (unsigned i = 0; i < unwritten_count; i++)
        if (!written_elsewhere(&unwritten[i]))
            trace_found(&unwritten[i].finding);
    trace_shadow_settle();
}

/* ---- By a copy --------------------------------------------------------------------------- */

/* Of the bytes from `from` to `end` of an allocation, those that are no padding, neither of the
 * rows of cudaMallocPitch nor of structs, are added: how many, and the first. */
static void no_padding(const struct trace_allocation *a, const char *from, const char *end,
                       size_t *count, const char **first) {
    enum { LIKELY_PADDING = 16 };
    size_t least = a->element < 0 ? (size_t)-a->element : a->element ? 1 : LIKELY_PADDING;
    while (from < end) {
        const char *stop = end;
        if (a->pitch) {
            const char *row = from - (size_t)(from - a->base) % a->pitch;
            if (from < row + a->width && row + a->width < stop)
                stop = row + a->width;
            else if (from >= row + a->width) {
                from = row + a->pitch;
                continue;
            }
        }
        if ((size_t)(stop - from) >= least) {
            *first = *first ? *first : from;
            *count += (size_t)(stop - from);
        }
        from = stop;
    }
}

const char *trace_unwritten(const void *from, size_t bytes, size_t *count) {
    *count = 0;
    if (!bytes || !cpu_device_memory_ours(from) || atomic_load(&unknown))
        return NULL;
    struct trace_allocation *a = (struct trace_allocation *)trace_allocation_near(from);
    struct shadow *s = a && !a->freed && !trace_distance(a, from) ? trace_shadow_of(a) : NULL;
    if (!s || !s->written)
        return NULL;
    const char *p = from, *end = p + bytes, *run = NULL, *first = NULL;
    size_t n;
    for (; p < end;
         p += n) { /* bytes of a line that are alike; `run` began where none is written */
        unsigned off = (uintptr_t)p % LINE;
        bytes128 written = trace_shadow_written(s, (uintptr_t)p / LINE - s->first) >> off;
        bytes128 others = written & 1 ? ~written : written;
        n = others ? first_byte(others) : LINE - off;
        n = n < (size_t)(end - p) ? n : (size_t)(end - p);
        if (!(written & 1) && !run)
            run = p;
        if (written & 1 && run)
            no_padding(a, run, p, count, &first), run = NULL;
    }
    if (run)
        no_padding(a, run, end, count, &first);
    return first;
}
