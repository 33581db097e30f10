/*
 * request.c: each request of a warp is checked: does it lie in one piece of memory that a kernel
 * may use, is it aligned; then who else used those bytes (race_block.c).
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"
#include "trace/check/race.h"
#include "trace/check/streams.h"
#include "trace/names/heap.h"
#include <string.h>
#include <time.h>

/* The launch whose turn it is, as long as the lock is held. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const struct trace_launch *_Atomic current;
static int several_blocks;
static _Atomic uint32_t turns; /* so far; read by launches that did not get theirs, too */
static atomic_ulong blocks_begun;

/* Those that no worker has now. */
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct checker *pool;

void trace_check_worker_begin(struct trace_worker *w) {
    WITH_LOCK(pool_lock);
    struct checker *c = LIST_TAKE(pool) ?: trace_must(calloc(1, sizeof *c));
    c->global.bytes = c->shared.bytes = sizeof(struct touched);
    c->global.most = c->shared.most = MOST_LINES;
    memset(c->allocation, 0, sizeof c->allocation);
    c->worker = w;
    c->alone = w->record == current;
    w->checker = c;
}

void trace_check_worker_end(struct trace_worker *w) {
    WITH_LOCK(pool_lock);
    LIST_ADD(pool, w->checker);
    w->checker = NULL;
}

/* ---- Launches and blocks ----------------------------------------------------------------- */

/* Waits as long as the current launch continues. */
static int take_turn(void) {
    enum { LOOKS = 20, LOOK_MS = 50 };
    unsigned long before = atomic_load(&blocks_begun);
    for (int idle = 0; idle < LOOKS; idle++) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += LOOK_MS * 1000000L;
        t.tv_sec += t.tv_nsec / 1000000000L;
        t.tv_nsec %= 1000000000L;
        if (!pthread_mutex_timedlock(&turn, &t))
            return 1;
        if (atomic_load(&blocks_begun) != before)
            idle = 0;
        before = atomic_load(&blocks_begun);
    }
    return 0;
}

void trace_check_launch_begin(struct trace_launch *launch) {
    int is_whole = launch->traced_blocks == launch->blocks;
    if (!is_whole)
        trace_written_unknown();
    launch->operation = trace_streams_now(launch->kernel);
    if (take_turn()) {
        turns++;
        several_blocks = launch->blocks > 1 && launch->blocks < 1ull << ACCESS_BLOCK_BITS;
        trace_unwritten_launch_begin();
        trace_order_launch_begin();
        current = launch;
    }
    trace_shadow_launch(1);
    trace_unseen_launch_begin(launch == current, launch->traced_blocks && !is_whole);
}

void trace_check_launch_end(struct trace_launch *launch, struct cpu_device_launch *l) {
    trace_unseen_launch_end(launch == current, l->stop != 0);
    if (launch == current) {
        trace_unwritten_launch_end();
        trace_conflicts_tell(launch, l->stop);
        trace_order_launch_end();
    }
    trace_reporter->launch_ended(launch);
    trace_shadow_launch(-1);
    if (launch == current) {
        current = NULL;
        pthread_mutex_unlock(&turn);
    }
}

/* What a block that was abandoned has left behind is forgotten. */
void trace_check_block_begin(struct trace_worker *w) {
    struct checker *c = w->checker;
    atomic_fetch_add_explicit(&blocks_begun, 1, memory_order_relaxed);
    memset(&c->barrier, 0, sizeof c->barrier);
    trace_barrier_passed(w, NULL);
    if (c->launch != turns) {
        trace_arena_reuse(&c->of_launch);
        memset(c->kept, 0, sizeof c->kept);
        c->launch = turns;
    }
    c->epoch = 0;
    c->any_volatile = 0;
    c->cross_block = c->alone && several_blocks && !atomic_load(&trace_races_off);
    trace_block_forget(c);
    trace_unwritten_forget(c);
    trace_order_block_begin(c);
}

void trace_check_block_end(struct trace_worker *w) {
    struct checker *c = w->checker;
    trace_order_block_end(c);
    trace_block_tell(c);
    trace_unwritten_tell(c);
    trace_block_publish(c);
    if (c->cross_block)
        trace_order_publish(c);
}

/* ---- Errors that end a kernel ------------------------------------------------------------ */

/* `bad`: the lanes that do what they must not. */
static struct finding finding_at(struct trace_worker *w, enum error_kind kind,
                                 const struct trace_request *r, unsigned bad) {
    struct finding f = trace_finding_in(w, kind);
    unsigned lane = (unsigned)__builtin_ctz(bad);
    f.count = (unsigned)__builtin_popcount(bad);
    f.space = r->space;
    f.thread = r->warp * WARP + lane;
    f.site = trace_site(r->pc, r->op, r->bytes);
    f.address = r->address[lane];
    f.is_texel = r->is_texel;
    if (r->space == TRACE_SHARED)
        trace_shared_where(w, f.address, &f);
    return f;
}

static int misaligned(struct trace_worker *w, const struct trace_request *r) {
    trace_request_addresses(r);
    unsigned bad = LANES_WHERE(i, r->lanes, r->address[i] % r->bytes);
    struct finding f = finding_at(w, MISALIGNED, r, bad);
    f.error = cudaErrorMisalignedAddress;
    trace_found(&f);
    return f.error;
}

static int out_of_bounds(struct trace_worker *w, const struct trace_request *r, unsigned bad) {
    struct finding f = finding_at(w, OUT_OF_BOUNDS, r, bad);
    f.error = cudaErrorIllegalAddress;
    if (r->space == TRACE_GLOBAL && trace_heap_of((void *)f.address)) {
        if (trace_heap_holds((void *)f.address, 1, trace_warp_of_all(w, r->warp)) < 0)
            f.kind = USE_AFTER_FREE;
    } else if (r->space == TRACE_GLOBAL) {
        const struct trace_allocation *a = trace_nearest(f.address);
        if (a && a->freed && f.address - (uintptr_t)a->base < a->bytes)
            f.kind = USE_AFTER_FREE;
        if (f.address < 4096)
            trace_finding_text(&f, "a null pointer");
    }
    trace_found(&f);
    return f.error;
}

/* ---- Requests ---------------------------------------------------------------------------- */

static struct run run_at(const struct checker *c, const struct trace_request *r, unsigned site,
                         unsigned class, unsigned lane, uintptr_t address) {
    struct run run = {.epoch = c->epoch,
                      .seq = c->warp[r->warp].seq,
                      .site = (uint16_t)site,
                      .class = (uint8_t) class,
                      .turned = c->turned[r->warp],
                      .warp = (uint8_t)r->warp,
                      .lane = (uint8_t)lane,
                      .many = 1,
                      .offset = address % LINE,
                      .width = (uint8_t)r->bytes,
                      .step = (int16_t)r->bytes,
                      .range = (uint8_t)r->is_range,
                      .fences = c->fences[r->warp * WARP + lane]};
    return run;
}

/* All 32 lanes side by side: a run for each line. */
static void consecutive(struct checker *c, const struct trace_request *r, struct shadow *s,
                        unsigned site, unsigned class) {
    uintptr_t start = r->address[0], end = start + WARP * r->bytes;
    for (uintptr_t p = start, line = p / LINE; p < end; p = ++line * LINE) {
        struct run run = run_at(c, r, site, class, (unsigned)(p - start) / r->bytes, p);
        run.mask = bytes_of_line(line, start, end);
        trace_block_access(c, s, line, &run);
    }
}

/* Any pattern: as many runs as it takes. */
static void scattered(struct checker *c, const struct trace_request *r, unsigned lanes,
                      struct shadow *s, unsigned site, unsigned class) {
    const uint64_t *address = r->address;
    trace_request_addresses(r);
    const uint8_t *fences = &c->fences[r->warp * WARP];
    while (lanes) {
        unsigned first = (unsigned)__builtin_ctz(lanes), lane = first + 1;
        uintptr_t line = address[first] / LINE;
        struct run run = run_at(c, r, site, class, first, address[first]);
        int64_t step = 0;
        for (; lane < WARP && lanes >> lane & 1 && address[lane] / LINE == line &&
               fences[lane] == fences[first];
             lane++) {
            int64_t next = (int64_t)(address[lane] - address[lane - 1]);
            if (lane > first + 1 && next != step)
                break;
            step = next;
        }
        unsigned end = run.offset + r->bytes;
        if (lane > first + 1) {
            run.step = (int16_t)step;
            if (!step)
                run.many = (uint8_t)(lane - first);
        }
        if (step == r->bytes)
            end += (lane - first - 1) * r->bytes;
        run.mask = bytes_between(run.offset, end);
        for (unsigned i = first + 1; step && step != r->bytes && i < lane; i++)
            run.mask |= bytes_between(address[i] % LINE, address[i] % LINE + r->bytes);
        lanes &= lane < WARP ? ~0u << lane : 0;
        trace_block_access(c, s, line, &run);
    }
}

/* The bytes of `lanes` all lie in a (shared memory: NULL). */
static void in_one_place(struct trace_worker *w, const struct trace_request *r, unsigned lanes,
                         struct trace_allocation *a) {
    struct shadow *s = a ? trace_shadow_of(a) : NULL;
    if (a && !s)
        return;
    struct checker *c = w->checker;
    unsigned site = trace_site(r->pc, r->op, r->bytes);
    unsigned class = r->op == TRACE_LOAD    ? READ
                     : r->op == TRACE_STORE ? WRITE
                     : r->is_of_block       ? BLOCK_SYNC
                                            : SYNC;
    c->any_volatile |= r->is_volatile && a;
    if (r->is_volatile && class == READ)
        class = VOLATILE_READ;
    if (r->is_volatile && class == WRITE) {
        const uint8_t *fenced = &c->fenced[r->warp * WARP];
        class = LANES_WHERE(i, lanes, !fenced[i]) ? VOLATILE_WRITE : SYNC;
    }
    if (r->consecutive && !c->any_fence)
        consecutive(c, r, s, site, class);
    else
        scattered(c, r, lanes, s, site, class);
    if (in_block(class) != SYNC && class != VOLATILE_READ)
        return;
    trace_request_addresses(r);
    EACH_LANE (i, lanes) {
        if (r->is_compare)
            trace_race_confirm(c, s, r->address[i], r->warp * WARP + i);
        trace_race_acquire(c, r->warp * WARP + i, r->address[i], r->space);
        if (r->op == TRACE_ATOMIC)
            trace_race_atomic(c, r->warp * WARP + i, r->address[i], site);
    }
}

/* Are the bytes in one variable, or in what the launch has of dynamic memory? */
static int is_in_shared(const struct trace_worker *w, uintptr_t p, size_t bytes) {
    const struct trace_variable *v = trace_shared_find((void *)p);
    uintptr_t last = p + bytes - 1;
    if (v && !v->bytes)
        return last - (uintptr_t)cpu_device_dynamic_shared < w->launch->shared_bytes;
    return v && trace_shared_find((void *)last) == v;
}

static int shared_request(struct trace_worker *w, const struct trace_request *r, uintptr_t low,
                          uintptr_t high) {
    unsigned bad = 0;
    if (!is_in_shared(w, low, high - low)) {
        trace_request_addresses(r);
        bad = LANES_WHERE(i, r->lanes, !is_in_shared(w, r->address[i], r->bytes));
    }
    const void *first = bad ? (void *)r->address[__builtin_ctz(bad)] : NULL;
    if (bad && trace_shared_near(first) && !(r->bytes == 1 && trace_is_guard(first)))
        return out_of_bounds(w, r, bad);
    if (!bad) /* else a thread-local variable of something else */
        in_one_place(w, r, r->lanes, NULL);
    return 0;
}

/* Lanes that go past a block of malloc()'s, or to one that has been freed. */
static unsigned out_of_blocks(const struct trace_worker *w, const struct trace_request *r) {
    uint64_t warp = trace_warp_of_all(w, r->warp);
    trace_request_addresses(r);
    return LANES_WHERE(i, r->lanes, trace_heap_holds((void *)r->address[i], r->bytes, warp) <= 0);
}

static int is_in_memory(const struct trace_worker *w, uintptr_t p, size_t bytes) {
    const struct trace_allocation *a = trace_map_find(w->map, (void *)p);
    return a && p + bytes <= (uintptr_t)a->base + a->bytes;
}

/* A request in several allocations, or outside of all. */
static int in_several_places(struct trace_worker *w, const struct trace_request *r) {
    trace_request_addresses(r);
    unsigned bad = LANES_WHERE(i, r->lanes, !is_in_memory(w, r->address[i], r->bytes));
    if (bad)
        return out_of_bounds(w, r, bad);
    for (unsigned rest = r->lanes, lanes; rest; rest &= ~lanes) {
        struct trace_allocation *a =
            trace_map_find(w->map, (void *)r->address[__builtin_ctz(rest)]);
        lanes = LANES_WHERE(i, rest, r->address[i] - (uintptr_t)a->base < a->bytes);
        in_one_place(w, r, lanes, a);
    }
    return 0;
}

int trace_check_request(struct trace_worker *w, const struct trace_request *r) {
    struct checker *c = w->checker;
    uintptr_t low, high, bits;
    if (r->consecutive) {
        low = bits = r->address[0];
        high = low + WARP * r->bytes;
    } else {
        low = ~(uintptr_t)0, high = bits = 0;
        EACH_LANE (i, r->lanes) {
            uint64_t address = r->address[i];
            low = address < low ? address : low;
            high = address > high ? address : high;
            bits |= address;
        }
        high += r->bytes;
    }
    if (bits & (r->bytes - 1))
        return misaligned(w, r);
    if (r->space == TRACE_SHARED)
        return shared_request(w, r, low, high);

    struct trace_allocation **cached = &c->allocation[((uintptr_t)r->pc ^ (uintptr_t)r->pc >> 6) %
                                                      (sizeof c->allocation / sizeof *cached)];
    struct trace_allocation *a = *cached;
    if (!a || low < (uintptr_t)a->base || high > (uintptr_t)a->base + a->bytes) {
        a = trace_map_find(w->map, (void *)low);
        if (a)
            *cached = a;
    }
    if (a && high <= (uintptr_t)a->base + a->bytes) {
        unsigned bad = a == trace_heap_of(a->base) ? out_of_blocks(w, r) : 0;
        if (bad)
            return out_of_bounds(w, r, bad);
        in_one_place(w, r, r->lanes, a);
        return 0;
    }
    return in_several_places(w, r);
}

/* ---- Asynchronous copies ----------------------------------------------------------------- */

/* To shared memory. A copy may store at any time from its begin to its wait: it is a store at both,
 * and what lies between reads memory that is not written. The first store has been recorded. */
void trace_check_copy_begun(struct trace_worker *w, unsigned thread, uintptr_t address,
                            unsigned bytes, const void *pc, int is_source) {
    struct checker *c = w->checker;
    struct trace_allocation *a = trace_map_find(w->map, (void *)address);
    trace_under_way_add(c, (struct under_way){.address = address,
                                              .pc = pc,
                                              .epoch = c->epoch,
                                              .seq = c->warp[thread / WARP].seq,
                                              .thread = (uint16_t)thread,
                                              .bytes = (uint8_t)bytes,
                                              .is_source = is_source != 0});
    trace_block_copying(c, a ? trace_shadow_of(a) : NULL, address, bytes, is_source);
}

/* Where no barrier lies between begin and wait the two are one store to others. */
int trace_check_copy_arrived(struct trace_worker *w, unsigned thread, uintptr_t to,
                             const void *pc) {
    struct checker *c = w->checker;
    struct under_way u;
    if (!trace_under_way_take(c, thread, to, &u))
        return 0;
    uint64_t address[WARP];
    address[thread % WARP] = to;
    struct trace_request r = {.pc = u.epoch == c->epoch ? u.pc : pc,
                              .op = TRACE_STORE,
                              .space = TRACE_SHARED,
                              .bytes = u.bytes,
                              .lanes = 1u << thread % WARP,
                              .first = thread % WARP,
                              .warp = thread / WARP,
                              .address = address};
    return trace_check_request(w, &r);
}
