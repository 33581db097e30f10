/*
 * race_order.c: what puts accesses in order. Within a block that is barriers, and within a warp its
 * synchronizations. Between blocks it is fences: an atomic (or volatile store) by a thread that has
 * executed a fence is a release, stamped when it runs; an atomic or volatile load of the same
 * address acquires the last stamp there. All stamps are known at the end of the block, or of the
 * launch: races are reported only after that.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/race.h"
#include <string.h>

/* What a block did to order itself with others: releases and acquisitions. */
struct order {
    uint64_t time;
    uint32_t epoch;
    uint16_t thread;
    uint8_t release, fences, fenced, wide; /* as in struct checker */
    uint8_t warp_synced;                   /* has the warp synchronized at all? */
    struct order *before;
};
struct order_log {
    unsigned long long block;
    unsigned count;
    struct order *last;
    struct order_log *next;
};
enum { ORDERS = 2048 };

struct stamp {
    uintptr_t address;
    uint64_t time;
};

/* Of the current launch. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards stamps and logs */
static struct address_table stamps = {.bytes = sizeof(struct stamp), .most = SIZE_MAX / 2};
static _Atomic uint64_t sync_clock;
static struct order_log *logs; /* of blocks that have ended */

uint64_t trace_order_clock(void) { return atomic_load_explicit(&sync_clock, memory_order_relaxed); }

/* ---- Within a warp ----------------------------------------------------------------------- */

void trace_race_warp_sync(struct trace_worker *w, unsigned warp, unsigned lanes) {
    struct warp_order *o = &w->checker->warp[warp];
    unsigned rest = w->threads - warp * WARP, room = sizeof o->part / sizeof o->part[0];
    if (rest < WARP)
        lanes |= ~0u << rest; /* lanes that do not exist have nothing to order */
    w->checker->any_sync = 1;
    o->seq++;
    if (lanes == ~0u) {
        o->all = o->seq;
        o->count = 0;
        return;
    }
    if (o->count == room) {
        o->forgotten = o->part[room / 2 - 1].seq;
        memmove(o->part, o->part + room / 2, room / 2 * sizeof o->part[0]);
        o->count = room / 2;
    }
    o->part[o->count].seq = o->seq;
    o->part[o->count++].lanes = lanes;
}

/* ---- Stamps ------------------------------------------------------------------------------ */

/* Before the operation runs: who finds its effect acquires a later or the same time. */
uint64_t trace_race_sync_op(const void *address) {
    WITH_LOCK(lock);
    uint64_t time = atomic_load(&sync_clock) + 1;
    struct stamp *s = trace_address_add(&stamps, (uintptr_t)address);
    if (s)
        s->time = time;
    else
        trace_memory_is_short();
    atomic_store(&sync_clock, time);
    return time;
}

static uint64_t last_release(uintptr_t address) {
    WITH_LOCK(lock);
    const struct stamp *s = trace_address_find(&stamps, address);
    return s ? s->time : 0;
}

/* ---- What a block did -------------------------------------------------------------------- */

static void log_order(struct checker *c, struct order o) {
    struct arena *a = c->cross_block ? &c->of_launch : &c->of_block;
    if (!c->log) {
        c->log = trace_arena_memory(a, sizeof *c->log);
        memset(c->last_order, 0, sizeof c->last_order);
    }
    struct order *n = c->log && c->log->count < ORDERS ? trace_arena_memory(a, sizeof *n) : NULL;
    if (!n)
        return;
    *n = o;
    n->before = c->log->last;
    c->log->last = c->last_order[o.release][o.thread] = n;
    c->log->count++;
}

static struct order *last_order(struct checker *c, unsigned thread, int release) {
    return c->log ? c->last_order[release][thread] : NULL;
}

/* Of those between which nothing happens that a later one would release, the first is enough. */
void trace_race_release(struct trace_worker *w, unsigned thread, uint64_t time) {
    struct checker *c = w->checker;
    const struct order *o = last_order(c, thread, 1);
    if (!o || o->epoch != c->epoch || o->fences != c->fences[thread])
        log_order(c, (struct order){time, c->epoch, (uint16_t)thread, 1, c->fences[thread],
                                    c->fenced[thread], c->wide[thread], 0, NULL});
}

void trace_race_acquire(struct checker *c, unsigned thread, uintptr_t address,
                        enum trace_space space) {
    if (!trace_order_clock())
        return;
    uint64_t time = last_release(address);
    /* the shared memory of an earlier block lay at the same address */
    if (!time || (space == TRACE_SHARED && time <= c->clock))
        return;
    struct order *o = last_order(c, thread, 0);
    if (o && o->epoch == c->epoch) {
        if (o->time < time) /* a loop that waits, or another flag, which may be an older one */
            o->time = time;
        return;
    }
    c->any_fence = 1;
    if (c->fences[thread] < MOST_FENCES / 2) /* what came before it, as at a fence */
        c->fences[thread]++;
    log_order(c, (struct order){.time = time,
                                .epoch = c->epoch,
                                .thread = (uint16_t)thread,
                                .fences = c->fences[thread]});
}

void trace_race_fence(struct trace_worker *w, unsigned thread, int is_of_block) {
    struct checker *c = w->checker;
    c->any_fence = 1;
    if (c->fences[thread] < UINT8_MAX)
        c->fences[thread]++;
    c->fenced[thread] = c->fences[thread];
    if (!is_of_block)
        c->wide[thread] = c->fences[thread];
}

/* As a fence, an atomic operation that all blocks have done before one continues, and a fence. */
void trace_race_grid_barrier(struct trace_worker *w, unsigned thread, const void *place,
                             int continues) {
    if (continues) {
        trace_race_acquire(w->checker, thread, (uintptr_t)place, TRACE_GLOBAL);
    } else {
        trace_race_fence(w, thread, 0);
        trace_race_release(w, thread, trace_race_sync_op(place));
    }
}

void trace_race_atomic(struct checker *c, unsigned thread, uintptr_t address, unsigned site) {
    struct last_atomic *l = &c->last_atomic[thread];
    if (l->address == address && l->site != site)
        l->lock = address;
    l->address = address;
    l->site = site;
    c->any_atomic = 1;
}

int trace_order_one_lock(const struct checker *c, unsigned a, unsigned b) {
    return c->last_atomic[a].lock && c->last_atomic[a].lock == c->last_atomic[b].lock;
}

/* ---- By fences --------------------------------------------------------------------------- */

/* Does o come after a in its block, for sure or as far as is known? For another block: with a fence
 * that is not for the block alone. */
static int later(const struct order *o, union access a, int for_another) {
    unsigned epoch = at_most(o->epoch, MOST_EPOCH);
    if (for_another && !o->wide)
        return 0;
    if (o->thread == a.thread)
        return (for_another ? o->wide : o->fenced) > a.fences ||
               (a.class & SYNC && o->fenced <= a.fences && a.fences <= o->fences) ||
               a.fences == MOST_FENCES;
    if (o->thread / WARP == a.thread / WARP && o->warp_synced)
        return epoch >= a.epoch;
    return epoch > a.epoch || a.epoch == MOST_EPOCH;
}
static int earlier(const struct order *o, union access a) {
    unsigned epoch = at_most(o->epoch, MOST_EPOCH);
    if (o->thread == a.thread) { /* what acquires is after itself */
        unsigned fences = a.fences + !(a.class & (READ | WRITE));
        return epoch < a.epoch || (epoch == a.epoch && fences >= at_most(o->fences, MOST_FENCES));
    }
    if (o->thread / WARP == a.thread / WARP && o->warp_synced)
        return epoch <= a.epoch;
    return epoch < a.epoch || a.epoch == MOST_EPOCH;
}

/* Has a been released, and that been acquired before b? */
static int released_to(const struct order_log *of_a, union access a, const struct order_log *of_b,
                       union access b) {
    uint64_t acquired = 0;
    for (const struct order *o = of_b ? of_b->last : NULL; o; o = o->before)
        if (!o->release && o->time > acquired && earlier(o, b))
            acquired = o->time;
    for (const struct order *o = of_a && acquired ? of_a->last : NULL; o; o = o->before)
        if (o->release && o->time <= acquired && later(o, a, of_a != of_b))
            return 1;
    return of_a && of_a->count == ORDERS; /* too many to know */
}

static int ordered(const struct order_log *of_a, union access a, const struct order_log *of_b,
                   union access b) {
    return released_to(of_a, a, of_b, b) || released_to(of_b, b, of_a, a);
}

int trace_order_in_block(const struct checker *c, union access a, union access b) {
    return c->log && ordered(c->log, a, c->log, b);
}

static const struct order_log *log_of(unsigned long long block) {
    return LIST_FIND(logs, l, l->block == block);
}

int trace_order_between(union access a, union access b) {
    return logs && ordered(log_of(a.block), a, log_of(b.block), b);
}

/* ---- Blocks and launches ----------------------------------------------------------------- */

void trace_order_block_begin(struct checker *c) {
    c->clock = atomic_load(&sync_clock);
    for (unsigned i = 0; c->any_sync && i < MAX_WARPS; i++)
        c->warp[i].seq = c->warp[i].all = c->warp[i].forgotten = c->warp[i].count = 0;
    c->any_sync = 0;
    if (c->any_fence)
        memset(c->fences, 0, sizeof c->fences), memset(c->fenced, 0, sizeof c->fenced),
            memset(c->wide, 0, sizeof c->wide);
    c->any_fence = 0;
    if (c->any_atomic)
        memset(c->last_atomic, 0, sizeof c->last_atomic);
    c->any_atomic = 0;
    c->log = NULL;
}

void trace_order_block_end(struct checker *c) {
    for (struct order *o = c->log ? c->log->last : NULL; o; o = o->before)
        o->warp_synced = c->warp[o->thread / WARP].seq != 0;
}

void trace_order_publish(struct checker *c) {
    if (!c->log)
        return;
    c->log->block = c->worker->block;
    WITH_LOCK(lock);
    LIST_ADD(logs, c->log);
    c->log = NULL;
}

void trace_order_launch_begin(void) { atomic_store(&sync_clock, 0); }

void trace_order_launch_end(void) {
    logs = NULL;
    trace_address_clear(&stamps);
}
