/*
 * trace_check.c: each request of a warp is checked: does it lie in one piece of memory that a
 * kernel may use, is it aligned; then who else used those bytes (trace_race.c).  Also pointers
 * that belong to neither, and barriers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"
#include <malloc.h>
#include <sys/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The launch whose turn it is, as long as the lock is held. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const struct trace_launch *_Atomic current;
static atomic_ulong blocks_begun;

/* Those that no worker has now. */
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct checker *pool;

void trace_check_worker_begin(struct trace_worker *w) {
    pthread_mutex_lock(&pool_lock);
    struct checker *c = pool;
    if (c)
        pool = c->next;
    else if (!(c = calloc(1, sizeof *c)))
        abort();
    pthread_mutex_unlock(&pool_lock);
    memset(c->allocation, 0, sizeof c->allocation);
    c->launch_of = w->launch;
    c->alone = w->record == current;
    c->record = w->record;
    w->checker = c;
}

void trace_check_worker_end(struct trace_worker *w) {
    pthread_mutex_lock(&pool_lock);
    w->checker->next = pool;
    pool = w->checker;
    pthread_mutex_unlock(&pool_lock);
    w->checker = NULL;
}

static unsigned site_of(struct checker *c, const void *pc, enum trace_op op, unsigned bytes) {
    unsigned h = ((uintptr_t)pc ^ (uintptr_t)pc >> 8) % 256;
    if (c->site_pc[h] != pc || c->site_op[h] != op) {
        c->site_pc[h] = pc;
        c->site_op[h] = (uint8_t)op;
        c->site_number[h] = (uint16_t)trace_site(pc, op, bytes);
    }
    return c->site_number[h];
}

/* ---- Launches and blocks ----------------------------------------------------------------- */

/* Waits as long as the current launch goes on. */
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

void trace_check_launch_begin(struct trace_launch *launch, struct cpu_device_launch *l) {
    (void)l;
    if (launch->traced_blocks < launch->blocks)
        trace_written_unknown();
    if (take_turn()) {
        trace_race_launch_begin(launch);
        current = launch;
    }
    trace_shadow_launch(1);
}

void trace_check_launch_end(struct trace_launch *launch, struct cpu_device_launch *l) {
    if (launch == current)
        trace_race_launch_end(l->stop);
    trace_reporter->launch_ended(launch);
    trace_shadow_launch(-1);
    if (launch == current) {
        current = NULL;
        pthread_mutex_unlock(&turn);
    }
}

void trace_check_block_begin(struct trace_worker *w) {
    struct checker *c = w->checker;
    atomic_fetch_add_explicit(&blocks_begun, 1, memory_order_relaxed);
    c->block = w->block;
    c->position = w->position;
    memset(&c->barrier, 0, sizeof c->barrier);
    trace_race_block_begin(c);
}

void trace_check_block_end(struct trace_worker *w) { trace_race_block_end(w->checker); }

/* ---- Errors that end a kernel ------------------------------------------------------------ */

static struct finding finding_at(struct trace_worker *w, const struct trace_request *r,
                                 unsigned lane) {
    return (struct finding){.space = r->space,
                            .launch = w->record,
                            .position = w->position,
                            .block = w->block,
                            .thread = r->warp * WARP + lane,
                            .site = site_of(w->checker, r->pc, r->op, r->bytes),
                            .address = r->address[lane]};
}

static int misaligned(struct trace_worker *w, const struct trace_request *r) {
    struct finding f = {.kind = MISALIGNED};
    trace_request_addresses(r);
    for (unsigned i = WARP; i-- > 0;)
        if (r->lanes >> i & 1 && r->address[i] % r->bytes) {
            unsigned count = f.count;
            f = finding_at(w, r, i);
            f.kind = MISALIGNED;
            f.error = cudaErrorMisalignedAddress;
            f.count = count + 1;
        }
    if (r->space == TRACE_SHARED)
        trace_shared_where(w->checker, f.address, &f);
    trace_found(&f);
    return f.error;
}

/* Lanes in `bad` touch what they must not. */
static int out_of_bounds(struct trace_worker *w, const struct trace_request *r, unsigned bad) {
    unsigned lane = (unsigned)__builtin_ctz(bad);
    struct finding f = finding_at(w, r, lane);
    f.kind = OUT_OF_BOUNDS;
    f.error = cudaErrorIllegalAddress;
    f.count = (unsigned)__builtin_popcount(bad);
    if (r->space == TRACE_SHARED) {
        trace_shared_where(w->checker, f.address, &f);
    } else {
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
static void consecutive(struct checker *c, const struct trace_request *r,
                        struct trace_allocation *a, struct shadow *s, unsigned site,
                        unsigned class) {
    if (a && trace_race_stretch(c, r, a, s, site, class))
        return;
    uintptr_t p = r->address[0], end = p + WARP * r->bytes;
    for (unsigned lane = 0; p < end;) {
        uintptr_t line = p / LINE, to = (line + 1) * LINE < end ? (line + 1) * LINE : end;
        struct run run = run_at(c, r, site, class, lane, p);
        run.mask = bytes_between(p % LINE, (unsigned)(to - line * LINE));
        trace_race_access(c, s, line, &run);
        lane += (unsigned)(to - p) / r->bytes;
        p = to;
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
        trace_race_access(c, s, line, &run);
    }
}

/* The bytes of `lanes` all lie in a (shared memory: NULL). */
static void in_one_place(struct trace_worker *w, const struct trace_request *r, unsigned lanes,
                         struct trace_allocation *a) {
    struct shadow *s = a ? trace_shadow_of(a) : NULL;
    if (a && !s)
        return;
    struct checker *c = w->checker;
    unsigned site = site_of(c, r->pc, r->op, r->bytes);
    unsigned class = r->op == TRACE_LOAD ? READ : r->op == TRACE_STORE ? WRITE : SYNC;
    if (r->is_volatile && class == READ)
        class = VOLATILE_READ;
    if (r->is_volatile && class == WRITE) {
        class = SYNC;
        for (unsigned i = 0; i < WARP; i++)
            if (lanes >> i & 1 && !c->fences[r->warp * WARP + i])
                class = VOLATILE_WRITE;
    }
    if (r->consecutive && !c->any_fence)
        consecutive(c, r, a, s, site, class);
    else
        scattered(c, r, lanes, s, site, class);
    if (class != SYNC && class != VOLATILE_READ)
        return;
    trace_request_addresses(r);
    for (unsigned i = 0; i < WARP; i++) {
        if (!(lanes >> i & 1))
            continue;
        if (r->is_compare)
            trace_race_confirm(c, s, r->address[i], r->bytes, r->warp * WARP + i);
        trace_race_acquire(c, r->warp * WARP + i, r->address[i], r->space);
    }
}

static int shared_request(struct trace_worker *w, const struct trace_request *r, uintptr_t low,
                          uintptr_t high) {
    size_t dynamic = w->launch->shared_bytes;
    uintptr_t start = (uintptr_t)cpu_device_dynamic_shared;
    if (low < start || high > start + dynamic) {
        const struct trace_variable *v = trace_shared_find((void *)low);
        if (!v || !v->bytes || trace_shared_find((void *)(high - 1)) != v) {
            unsigned bad = 0;
            trace_request_addresses(r);
            for (unsigned i = 0; i < WARP; i++) {
                if (!(r->lanes >> i & 1))
                    continue;
                uintptr_t p = r->address[i], last = p + r->bytes - 1;
                v = trace_shared_find((void *)p);
                if (v && !v->bytes ? last - start >= dynamic
                                   : !v || trace_shared_find((void *)last) != v)
                    bad |= 1u << i;
            }
            if (bad && trace_shared_near((void *)r->address[__builtin_ctz(bad)]) &&
                !trace_is_guard(r->pc))
                return out_of_bounds(w, r, bad);
            if (bad)
                return 0; /* a thread-local variable of something else */
        }
    }
    in_one_place(w, r, r->lanes, NULL);
    return 0;
}

static __attribute__((noinline)) int request(struct trace_worker *w,
                                             const struct trace_request *r) {
    struct checker *c = w->checker;
    uintptr_t low, high, bits;
    if (r->consecutive) {
        low = bits = r->address[0];
        high = low + WARP * r->bytes;
    } else {
        low = ~(uintptr_t)0, high = bits = 0;
        for (unsigned rest = r->lanes; rest; rest &= rest - 1) {
            uint64_t address = r->address[__builtin_ctz(rest)];
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
        in_one_place(w, r, r->lanes, a);
        return 0;
    }
    /* In several allocations, or outside. */
    unsigned bad = 0;
    trace_request_addresses(r);
    for (unsigned i = 0; i < WARP; i++) {
        if (!(r->lanes >> i & 1))
            continue;
        a = trace_map_find(w->map, (void *)r->address[i]);
        if (!a || r->address[i] + r->bytes > (uintptr_t)a->base + a->bytes)
            bad |= 1u << i;
    }
    if (bad)
        return out_of_bounds(w, r, bad);
    for (unsigned rest = r->lanes; rest;) {
        unsigned lanes = 0;
        a = trace_map_find(w->map, (void *)r->address[__builtin_ctz(rest)]);
        for (unsigned i = 0; i < WARP; i++)
            if (rest >> i & 1 && r->address[i] - (uintptr_t)a->base < a->bytes)
                lanes |= 1u << i;
        rest &= ~lanes;
        in_one_place(w, r, lanes, a);
    }
    return 0;
}

int trace_check_request(struct trace_worker *w, const struct trace_request *r) {
    struct checker *c = w->checker;
    if (r->consecutive && trace_race_goes_on(&c->stretches, c->warp, r))
        return 0;
    return request(w, r);
}

/* ---- Order ------------------------------------------------------------------------------- */

void trace_check_fence(struct trace_worker *w, unsigned thread) {
    trace_race_fence(w->checker, thread);
}

void trace_check_release(struct trace_worker *w, unsigned thread, uint64_t time) {
    trace_race_release(w->checker, thread, time);
}

uint64_t trace_check_atomic(const void *address) { return trace_race_sync_op((uintptr_t)address); }

void trace_check_warp_sync(struct trace_worker *w, unsigned warp, unsigned lanes) {
    unsigned rest = w->threads - warp * WARP;
    if (rest < WARP)
        lanes |= ~0u << rest; /* lanes that do not exist have nothing to order */
    trace_race_warp_sync(w->checker, warp, lanes);
}

/* ---- Barriers ---------------------------------------------------------------------------- */

void trace_check_barrier_wait(struct trace_worker *w, unsigned thread, const void *pc) {
    struct barrier *b = &w->checker->barrier;
    if (!b->pc) {
        b->pc = pc;
        b->first = thread;
    } else if (pc != b->pc && !b->other_pc) {
        b->other_pc = pc;
        b->other_first = thread;
    }
    b->here += pc == b->pc;
    b->there += pc == b->other_pc;
    if (pc == b->pc && thread < b->first)
        b->first = thread;
    if (pc == b->other_pc && thread < b->other_first)
        b->other_first = thread;
    b->arrived[thread / 32] |= 1u << thread % 32;
}

static struct finding barrier_finding(const struct trace_worker *w, const struct barrier *b) {
    return (struct finding){.kind = BARRIER,
                            .launch = w->record,
                            .position = w->position,
                            .block = w->block,
                            .other_block = w->block,
                            .pc = b->pc,
                            .thread = b->first,
                            .count = b->here};
}

void trace_check_barrier(struct trace_worker *w, unsigned exited) {
    struct checker *c = w->checker;
    struct barrier *b = &c->barrier;
    struct finding f = barrier_finding(w, b);
    if (exited) {
        f.count += b->there;
        f.count_2 = exited;
        while (f.other_thread < w->threads &&
               b->arrived[f.other_thread / 32] >> f.other_thread % 32 & 1)
            f.other_thread++;
        trace_found(&f);
    }
    if (b->other_pc) {
        f.count = b->here;
        f.other_pc = b->other_pc;
        f.other_thread = b->other_first;
        f.count_2 = b->there;
        trace_found(&f);
    }
    memset(b, 0, sizeof *b);
    trace_race_barrier(c);
}

int trace_check_deadlock(struct trace_worker *w) {
    struct barrier *b = &w->checker->barrier;
    struct finding f = barrier_finding(w, b);
    if (!b->pc)
        return 0;
    trace_finding_text(&f, "the others wait in a warp function for threads that do not come");
    f.error = cudaErrorLaunchTimeout;
    trace_found(&f);
    return 1;
}

/* ---- Pointers into memory that is not the device's --------------------------------------- */

extern char __start_cpu_constant_data[] __attribute__((weak));
extern char __stop_cpu_constant_data[] __attribute__((weak));
extern char __start_cpu_device_const[] __attribute__((weak));
extern char __stop_cpu_device_const[] __attribute__((weak));

static int between(uintptr_t p, const char *from, const char *to) {
    return from && p >= (uintptr_t)from && p < (uintptr_t)to;
}

/* Constants of the program itself, such as tables and texts: what the compiler puts into memory
 * that cannot be written. */
static int read_only(uintptr_t p) {
    static __thread uintptr_t from, to; /* found last */
    if (p >= from && p < to)
        return 1;
    char line[512], access[8];
    unsigned long low, high;
    int yes = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && !yes && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %7s", &low, &high, access) == 3 && p >= low && p < high) {
            yes = access[0] == 'r' && access[1] != 'w' && strchr(line, '/');
            if (yes)
                from = low, to = high;
            break;
        }
    if (f)
        fclose(f);
    return yes;
}

static int is_mapped(uintptr_t p) {
    unsigned char in_core;
    return !mincore((void *)(p / cpu_device.page * cpu_device.page), 1, &in_core);
}

static const char *ordinal_ending(unsigned n) {
    static const char *const ending[] = {"th", "st", "nd", "rd"};
    return n / 10 % 10 == 1 || n % 10 > 3 ? "th" : ending[n % 10];
}

/* The argument, counted from 1, that led from the host's memory to this address; 0: none. */
static unsigned host_argument(const struct trace_worker *w, uintptr_t address) {
    for (unsigned i = w->launch->host_pointer_count; i-- > 0;) {
        const struct cpu_device_host_pointer *h = &w->launch->host_pointers[i];
        int64_t off = (int64_t)(address - (uintptr_t)h->replacement);
        if (off > -(1ll << 32) && off < 1ll << 32)
            return h->argument + 1;
    }
    return 0;
}

/* What is at an address that a kernel must not use, and how that came about; `constant`: the
 * constant variable that is nearest. */
static void describe_outside(const struct trace_worker *w, struct finding *f,
                             const struct trace_allocation *constant) {
    uintptr_t p = f->address;
    unsigned argument = host_argument(w, p);
    const struct trace_allocation *near = trace_nearest(p);
    if (argument)
        trace_finding_text(f, "its %u%s argument is a pointer to host memory", argument,
                           ordinal_ending(argument));
    else
        trace_finding_text(f, "memory of the host, which the kernel must not use");
    if (constant) {
        f->kind = OUT_OF_BOUNDS;
        trace_finding_text(f, p - (uintptr_t)constant->base < constant->bytes
                                  ? "constant memory, which a kernel cannot write"
                                  : "");
    } else if (p < cpu_device.page) {
        f->kind = OUT_OF_BOUNDS;
        trace_finding_text(f, "a null pointer");
    } else if (near && p >= (uintptr_t)near->base &&
               p - (uintptr_t)near->base < near->bytes + cpu_device.page && near->freed) {
        f->kind = USE_AFTER_FREE;
    } else if (near && p + cpu_device.page > (uintptr_t)near->base &&
               p < (uintptr_t)near->base + near->bytes + cpu_device.page) {
        f->kind = OUT_OF_BOUNDS; /* of pinned memory, of a variable */
        f->text[0] = 0;
    } else if (!w->launch->host_pointer_count && !is_mapped(p)) {
        f->kind = OUT_OF_BOUNDS;
        trace_finding_text(f,
                           "an address where there is no memory; perhaps an index has overflowed");
    }
}

int trace_check_outside(struct trace_worker *w, const void *address, unsigned bytes,
                        enum trace_op op, const void *pc, int *error) {
    uintptr_t p = (uintptr_t)address;
    const struct trace_allocation *a = trace_map_find(w->map, address);
    if (a) /* pinned memory, a variable: its bounds are checked with the request */
        return 1;
    const char *arguments = w->launch->arguments; /* copied for each thread */
    if (between(p, arguments, arguments + malloc_usable_size((void *)arguments)))
        return 0;
    const struct trace_allocation *constant = trace_constant(address);
    int in_constant = constant && p - (uintptr_t)constant->base < constant->bytes;
    int in_section = between(p, __start_cpu_constant_data, __stop_cpu_constant_data) ||
                     between(p, __start_cpu_device_const, __stop_cpu_device_const);
    /* Some have no note: those of files without tracing. */
    if (op == TRACE_LOAD && (in_constant || (in_section ? !constant : read_only(p))))
        return 0;
    struct finding f = {.kind = HOST_POINTER,
                        .error = cudaErrorIllegalAddress,
                        .launch = w->record,
                        .position = w->position,
                        .block = w->block,
                        .thread = linear_thread(),
                        .site = site_of(w->checker, pc, op, bytes),
                        .address = p};
    describe_outside(w, &f, constant);
    trace_found(&f);
    *error = f.error;
    return -1;
}

/* ---- Kernels that die by something else --------------------------------------------------- */

void trace_check_died(struct trace_worker *w) {
    const struct trace_death *d = &w->death;
    struct finding f = {.kind = DIED,
                        .error = d->error,
                        .launch = w->record,
                        .position = w->position,
                        .block = w->block,
                        .thread = d->thread,
                        .pc = d->pc,
                        .other_pc = d->near,
                        .address = (uintptr_t)d->address};
    unsigned argument = host_argument(w, f.address);
    if (d->what[0])
        trace_finding_text(&f, "%s", d->what);
    else if (f.address < cpu_device.page)
        trace_finding_text(&f, "illegal address (a null pointer)");
    else if (argument)
        trace_finding_text(&f, "illegal address (its %u%s argument is a pointer to host memory)",
                           argument, ordinal_ending(argument));
    else if (!cpu_device_memory_ours(d->address))
        trace_finding_text(&f, "illegal address (not memory of the device)");
    else
        trace_finding_text(&f, "illegal address");
    trace_found(&f);
}

/* ---- Host code --------------------------------------------------------------------------- */

void trace_check_host(const void *address, unsigned bytes, enum trace_op op, const void *pc) {
    static __thread const struct trace_allocation *last;
    const char *p = address;
    if (!last || last->freed || (size_t)(p - last->base) >= last->bytes)
        last = trace_allocation_near(address);
    int within = last && (size_t)(p - last->base) < last->bytes;
    if (within && !last->freed && last->kind == MEMORY_MANAGED) {
        cpu_device_pages_touch(address, bytes, op != TRACE_LOAD, 0);
        return;
    }
    struct site s = {pc, op, bytes};
    const struct trace_allocation *constant = within ? NULL : trace_constant(address);
    int in_constant = constant && (size_t)(p - constant->base) < constant->bytes;
    if (!within && !in_constant && !cpu_device_memory_ours(address))
        return; /* a variable that has no note */
    if (in_constant || (within && last->kind == MEMORY_SYMBOL)) {
        trace_reporter->on_host(
            DEVICE_POINTER, &s, (uintptr_t)address,
            "on a GPU the host has a copy of its own, which kernels never see: use "
            "cudaMemcpyFromSymbol, cudaMemcpyToSymbol");
        return;
    }
    trace_reporter->on_host(within && last->freed ? USE_AFTER_FREE : DEVICE_POINTER, &s,
                            (uintptr_t)address,
                            within && last->kind == MEMORY_MANAGED
                                ? "by the host: on a GPU the program ends here"
                                : "on a GPU the program ends here; copy the data with cudaMemcpy");
    exit(4); /* the machine of a GPU stops with a segmentation fault */
}
