/*
 * wait.c: a thread waits for others of its block: at a barrier, in a warp function, in a loop that
 * polls.  Its fiber stays with it, and another one carries the loop over the block's threads on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void list_push(struct fiber_list *q, struct fiber *f) {
    f->next = NULL;
    if (q->head)
        q->tail->next = f;
    else
        q->head = f;
    q->tail = f;
}
static struct fiber *list_pop(struct fiber_list *q) {
    struct fiber *f = q->head;
    if (f)
        q->head = f->next;
    return f;
}

/* Moves all of b to the end of a. */
static void list_append(struct fiber_list *a, struct fiber_list *b) {
    if (!b->head)
        return;
    if (a->head)
        a->tail->next = b->head;
    else
        a->head = b->head;
    a->tail = b->tail;
    b->head = NULL;
}

/* Up to here the block was a plain loop: all threads before this one have returned. */
static void leave_plain_loop(struct worker *w) {
    unsigned t = linear_thread();
    cpu_device_one_by_one = 1;
    w->started = t + 1;
    w->finished = t;
    memset(w->exited, 0, sizeof w->exited);
    memset(w->exited, 0xff, t / WARP * sizeof w->exited[0]);
    w->exited[t / WARP] |= (1u << t % WARP) - 1;
    OBSERVE(plain_loop_left, t);
}
void cpu_device_leave_plain_loop(void) { leave_plain_loop(self); }

/* Lanes that wait in __activemask learn who of their warp has come to the same line. */
static void release_parked(struct worker *w) {
    unsigned parked[MAX_WARPS] = {0};
    for (struct fiber *f = w->parked.head; f; f = f->next) {
        parked[f->thread / WARP] |= 1u << f->thread % WARP;
        w->lanes[f->thread / WARP][f->thread % WARP] = f;
    }
    for (struct fiber *f = w->parked.head; f; f = f->next) {
        f->lanes = 0;
        OBSERVE(released, f->thread);
        for (unsigned i = 0, warp = f->thread / WARP; i < WARP; i++)
            if (parked[warp] >> i & 1 && w->lanes[warp][i]->line == f->line)
                f->lanes |= 1u << i;
    }
    list_append(&w->ready, &w->parked);
}

/* Of each warp those go on that are furthest back, lane by lane, as on a GPU; now and then all,
 * since one may wait for another that is ahead of it. */
static void release_stepping(struct worker *w) {
    unsigned stepping[MAX_WARPS] = {0};
    int earliest[MAX_WARPS], all = ++w->steps % 1024 == 0;
    for (struct fiber *f; (f = list_pop(&w->stepping));) {
        unsigned warp = f->thread / WARP, lane = f->thread % WARP;
        if (!stepping[warp] || f->line < earliest[warp])
            earliest[warp] = f->line;
        stepping[warp] |= 1u << lane;
        w->lanes[warp][lane] = f;
    }
    for (unsigned warp = 0; warp < MAX_WARPS; warp++)
        for (unsigned rest = stepping[warp]; rest; rest &= rest - 1) {
            struct fiber *f = w->lanes[warp][__builtin_ctz(rest)];
            list_push(all || f->line == earliest[warp] ? &w->ready : &w->stepping, f);
        }
}

static void release_unnamed(struct worker *w);

/* None is ready: a new thread, or those that have waited for there being none. */
static __attribute__((noinline)) struct fiber *other_fiber(struct worker *w) {
    if (w->started < w->threads)
        return fiber_get(w);
    if (w->parked.head)
        release_parked(w);
    if (w->stepping.head)
        release_stepping(w);
    if (!w->ready.head)
        release_unnamed(w);
    return list_pop(&w->ready);
}

static inline struct fiber *ready_fiber(struct worker *w) {
    struct fiber *next = list_pop(&w->ready);
    return next ? next : other_fiber(w);
}
struct fiber *next_fiber(struct worker *w) {
    return ready_fiber(w);
}

/* The calling thread stays behind; comes back when it has been made ready. */
static inline void stay_behind(struct worker *w) {
    struct fiber *me = w->running;
    me->index = threadIdx;
    struct fiber *next = ready_fiber(w);
    go_to(w, next ? next : &w->own, 0);
    threadIdx = me->index;
    OBSERVE(resumed, linear_thread());
}

/* For take_patience(). */
static void gets_on(struct worker *w) {
    if (++w->progress % 64 == 0) /* the other workers need not know of each */
        __atomic_fetch_add(&w->launch->progress, 1, __ATOMIC_RELAXED);
}

/* All who wait go on, in the order in which they came. Their results stay valid until each of
 * them has reached the next barrier, since before that it cannot be released. */
static void release_barrier(struct worker *w) {
    gets_on(w);
    int error = ASK_OBSERVER(0, barrier_complete, w->finished);
    if (error)
        cpu_device_abandon(error);
    w->barrier_result[CPU_BARRIER_PLAIN] = 0;
    w->barrier_result[CPU_BARRIER_COUNT] = w->trues;
    w->barrier_result[CPU_BARRIER_AND] = w->trues == w->at_barrier;
    w->barrier_result[CPU_BARRIER_OR] = w->trues != 0;
    list_append(&w->ready, &w->barrier);
    w->at_barrier = w->trues = 0;
}

int cpu_device_barrier(int kind, int value) {
    struct worker *w = self;
    if (w->threads == 1)
        return value != 0;
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    if (OBSERVED) {
        cpu_device_observer->suspended(linear_thread(), 1);
        cpu_device_observer->barrier_reached(linear_thread(), __builtin_return_address(0));
    }
    w->at_barrier++;
    w->trues += value != 0;
    list_push(&w->barrier, w->running);
    if (w->at_barrier + w->finished == w->threads)
        release_barrier(w);
    stay_behind(w);
    return (int)w->barrier_result[kind];
}

static unsigned lanes_present(struct worker *w, unsigned warp) {
    unsigned rest = w->threads - warp * WARP;
    unsigned exist = rest >= WARP ? ~0u : (1u << rest) - 1;
    return exist & ~w->exited[warp];
}

/* All threads that a mask names must call the same function; the first one that does not. */
static void tell_other_calls(struct worker *w, unsigned warp, unsigned lanes) {
    unsigned first = (unsigned)__builtin_ctz(lanes | 1u << 31);
    const struct cpu_device_warp_call *call = &w->lanes[warp][first]->call;
    for (unsigned i = first + 1; i < WARP; i++)
        if (lanes >> i & 1 && strcmp(w->lanes[warp][i]->call.function, call->function) != 0) {
            cpu_device_observer->warp_calls_differ(warp * WARP + first, call, warp * WARP + i,
                                                   &w->lanes[warp][i]->call);
            return;
        }
}

static void release_together(struct worker *w, unsigned warp, unsigned lanes) {
    if (OBSERVED)
        tell_other_calls(w, warp, lanes);
    warp_results(w->lanes[warp], lanes);
    int orders_memory = 0;
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        struct fiber *f = w->lanes[warp][__builtin_ctz(rest)];
        orders_memory |= f->operation == MEET_LANES;
        list_push(&w->ready, f);
    }
    w->waiting[warp] &= ~lanes;
    gets_on(w);
    OBSERVE(warp_together, warp, lanes, orders_memory);
}

/* If all lanes that `mask` names, as far as they still run, wait with that mask: lets them go. */
static int release_lanes(struct worker *w, unsigned warp, unsigned mask) {
    unsigned lanes = mask & lanes_present(w, warp);
    if (lanes & ~w->waiting[warp])
        return 0;
    for (unsigned i = 0; i < WARP; i++)
        if (lanes >> i & 1 && (w->lanes[warp][i]->mask != mask || w->lanes[warp][i]->unnamed))
            return 0;
    release_together(w, warp, lanes);
    return 1;
}

/* Nobody goes on, and in a warp function stand lanes that their own mask does not name: on a GPU it
 * is done with the lanes that have come there together. */
static void release_unnamed(struct worker *w) {
    for (unsigned warp = 0; warp < (w->threads + WARP - 1) / WARP; warp++) {
        const struct fiber *first = NULL;
        unsigned lanes = 0;
        for (unsigned rest = w->waiting[warp]; rest; rest &= rest - 1) {
            const struct fiber *f = w->lanes[warp][__builtin_ctz(rest)];
            if (!f->unnamed)
                continue;
            first = first ? first : f;
            if (f->operation == first->operation && f->named == first->named)
                lanes |= rest & -rest;
        }
        if (lanes)
            release_together(w, warp, lanes);
    }
}

unsigned cpu_device_lane(void) { return linear_thread() % WARP; }

unsigned cpu_device_multiprocessors(void) { return (unsigned)cpu_device.workers; }

/* On a GPU the lanes that took a branch together run it together. Here each waits until nobody
 * else of the block can go on: those who have come to the same line by then are together. */
unsigned cpu_device_active_lanes(int line) {
    struct worker *w = self;
    if (w->threads == 1)
        return 1;
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    struct fiber *me = w->running;
    me->thread = linear_thread();
    me->line = line;
    OBSERVE(suspended, me->thread, 1);
    list_push(&w->parked, me);
    stay_behind(w);
    return me->lanes;
}

static inline void meet_block(struct worker *w) {
    w->at_barrier++;
    list_push(&w->barrier, w->running);
    if (w->at_barrier + w->finished == w->threads)
        release_barrier(w);
}

static inline void meet_lanes(struct worker *w, int operation, unsigned mask,
                              unsigned long long value, unsigned argument,
                              struct cpu_device_warp_call call) {
    unsigned t = linear_thread(), warp = t / WARP, lane = t % WARP;
    struct fiber *me = w->running;
    me->call = call;
    me->named = mask;
    me->unnamed = !(mask >> lane & 1);
    if (me->unnamed)
        OBSERVE(warp_mask_lacks_caller, &me->call);
    mask |= 1u << lane; /* a caller that does not name itself: undefined in CUDA */
    me->operation = operation;
    me->mask = mask;
    me->value = value;
    me->argument = argument;
    w->lanes[warp][lane] = me;
    w->waiting[warp] |= 1u << lane;
    OBSERVE(suspended, t, 1);
    release_lanes(w, warp, mask); /* now I am ready too, behind the others */
}

/* The same when others watch the switch, or where the machine has no shorter one. */
static unsigned long long meet_watched(int operation, unsigned mask, unsigned long long value,
                                       unsigned argument, const void *pc) {
    struct worker *w = self;
    if (operation == MEET_BARRIER)
        return (unsigned)cpu_device_barrier(CPU_BARRIER_PLAIN, 0);
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    struct fiber *me = w->running;
    meet_lanes(w, operation, mask, value, argument,
               (struct cpu_device_warp_call){warp_function(operation), pc});
    stay_behind(w);
    if (me->absent >= 0)
        OBSERVE(warp_source_absent, &me->call, (unsigned)me->absent);
    return me->result;
}

#ifdef CPU_DEVICE_SHORT_SWITCH
/* The thread that goes on was called from another place than the one that waits, and a
 * processor foresees that of a jump, but not of a return. */
__asm__(".text\n"
        ".globl cpu_device_meet\n"
        ".type cpu_device_meet, @function\n"
        "cpu_device_meet:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, %r8\n"
        "    subq $8, %rsp\n"
        "    call cpu_device_meet_from\n"
        "    movq %rax, %rsp\n"
        "    movq %rdx, %rax\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    popq %rcx\n"
        "    jmp *%rcx\n"
        ".size cpu_device_meet, .-cpu_device_meet\n");

enum { SAVED_REGISTERS = 6 }; /* above them: where the call returns to */
struct resumption cpu_device_meet_from(int operation, unsigned mask, unsigned long long value,
                                       unsigned argument, void *sp) {
    struct worker *w = self;
    if (OBSERVED || sanitizer_linked || w->threads == 1)
        return (struct resumption){
            sp, meet_watched(operation, mask, value, argument, ((void **)sp)[SAVED_REGISTERS])};
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    struct fiber *me = w->running;
    me->sp = sp;
    me->index = threadIdx;
    if (operation == MEET_BARRIER)
        meet_block(w);
    else
        meet_lanes(w, operation, mask, value, argument, (struct cpu_device_warp_call){NULL, NULL});
    struct fiber *next = ready_fiber(w);
    if (!next)
        next = &w->own;
    w->running = next;
    threadIdx = next->index;
    return (struct resumption){next->sp, next->result};
}
#else
unsigned long long cpu_device_meet(int operation, unsigned mask, unsigned long long value,
                                   unsigned argument) {
    return meet_watched(operation, mask, value, argument, __builtin_return_address(0));
}
#endif

unsigned cpu_device_warp_collect(const struct cpu_device_warp_call *call, unsigned mask,
                                 unsigned long long value, unsigned long long values[32]) {
    struct worker *w = self;
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    struct fiber *me = w->running;
    me->values = values;
    meet_lanes(w, MEET_COLLECT, mask, value, 0,
               (struct cpu_device_warp_call){call->function,
                                             call->pc ? call->pc : __builtin_return_address(0)});
    stay_behind(w);
    return me->lanes;
}

/* ---- Waits that do not end --------------------------------------------------------------- */

static void lose_patience(struct worker *w, const char *why) {
    char what[240];
    unsigned in_warp = 0;
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    for (unsigned i = 0; i < (w->threads + WARP - 1) / WARP; i++)
        in_warp += (unsigned)__builtin_popcount(w->waiting[i]);
    snprintf(what, sizeof what,
             "%s (of the block's %u threads %u have returned, %u wait at "
             "__syncthreads, %u in a warp function, %u in loops)",
             why, w->threads, w->finished, w->at_barrier, in_warp,
             w->started - w->finished - w->at_barrier - in_warp);
    cpu_device_die(cudaErrorLaunchTimeout, what, NULL);
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A right kernel that one thread runs alone may take minutes: in this time, ten minutes unless told
 * otherwise, a processor makes billions of traced accesses. */
void cpu_device_goes_on_and_on(void) {
    struct worker *w = self;
    double now = cpu_seconds();
    if (!w->work_from || w->progress != w->work_seen) {
        w->work_seen = w->progress;
        w->work_from = now;
    } else if (now - w->work_from > 60 * cpu_device.patience) {
        char why[80];
        snprintf(why, sizeof why, "a loop that does not end within %.0f s of processor time",
                 60 * cpu_device.patience);
        lose_patience(w, why);
    }
}

/* Seconds of polling after which a worker lets more blocks begin, for the first time and later. */
static const double ALONE = 0.02, STILL_ALONE = 0.001;

/* A thread polls. If that is all that this worker has done for so many seconds of its own CPU time,
 * and meanwhile no thread of the launch has returned or passed a barrier, none ever will. */
static void take_patience(struct worker *w) {
    double patience = cpu_device.patience;
    int crowd = __atomic_load_n(&w->launch->crowd, __ATOMIC_RELAXED);
    if (++w->polls % 64)
        return;
    double now = cpu_seconds();
    if (!w->helped_at || w->progress != w->own_seen) {
        w->own_seen = w->progress;
        w->helped_at = now;
    } else if (now - w->helped_at > (crowd ? STILL_ALONE : ALONE)) {
        w->call_helper(w);
        w->helped_at = now;
    }
    if (crowd > 3 * cpu_device.workers) /* they share patience, that of four for each worker */
        patience = patience * 4 * cpu_device.workers / (crowd + cpu_device.workers);
    unsigned long progress = w->progress + __atomic_load_n(&w->launch->progress, __ATOMIC_RELAXED);
    if (!w->patience_from || progress != w->progress_seen) {
        w->progress_seen = progress;
        w->patience_from = now;
    } else if (now - w->patience_from > patience) {
        lose_patience(w, "a wait that does not end");
    }
}

/* Shared variables are thread-local: they lie near each other; so may device memory. */
static int is_shared(const volatile void *p) {
    uintptr_t distance = (uintptr_t)p - (uintptr_t)cpu_device_dynamic_shared;
    return distance + (4u << 20) < (8u << 20) && !cpu_device_memory_find((const void *)p).base;
}

/* The same place, again and again: perhaps it waits for another thread. */
static void look_again(int place) {
    static __thread int last;
    static __thread unsigned times;
    times = place == last ? times + 1 : 0;
    last = place;
    if (times > 1 << 18)
        cpu_device_polled();
}

static void step(struct fiber *me, int place) {
    struct worker *w = self;
    if (__atomic_load_n(&w->launch->stop, __ATOMIC_RELAXED))
        cpu_device_abandon(cudaErrorLaunchFailure);
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    me->thread = linear_thread();
    me->line = place;
    OBSERVE(suspended, me->thread, 0);
    list_push(&w->stepping, me);
    stay_behind(w);
}

void cpu_device_step(const volatile void *p, int place, int only_shared) {
    struct worker *w = self;
    if (!cpu_device_in_kernel())
        return;
    struct fiber *me = w->running;
    int again = me->line == place && me->thread == linear_thread();
    if (w->threads == 1 || ((only_shared || again) && !is_shared(p))) {
        look_again(place);
        return;
    }
    if (again) /* perhaps it waits for another thread */
        take_patience(w);
    else
        w->patience_from = 0;
    step(me, place);
}

void cpu_device_step_to_print(int place) {
    if (cpu_device_in_kernel() && self->threads > 1)
        step(self->running, place);
}

void cpu_device_yield(void) {
    struct worker *w = self;
    if (cpu_device_in_kernel())
        take_patience(w);
    OBSERVE(polled);
    if (cpu_device_in_kernel() && __atomic_load_n(&w->launch->crowd, __ATOMIC_RELAXED))
        sched_yield(); /* to whoever is waited for */
    if (cpu_device_in_kernel() && __atomic_load_n(&w->launch->stop, __ATOMIC_RELAXED))
        cpu_device_abandon(cudaErrorLaunchFailure);
    if (cpu_device_in_kernel() && w->stepping.head)
        release_stepping(w);
    /* Threads that have not started go first: one of them may be the one that is waited for. */
    if (cpu_device_in_kernel() && w->threads > 1)
        cpu_device_step_aside(w->threads);
}

void cpu_device_step_aside(unsigned fresh) {
    struct worker *w = self;
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    struct fiber *me = w->running;
    struct fiber *next =
        w->started < w->threads && w->started < fresh ? fiber_get(w) : next_fiber(w);
    if (!next)
        return;
    list_push(&w->ready, me);
    me->index = threadIdx;
    OBSERVE(suspended, linear_thread(), 0);
    go_to(w, next, 0);
    threadIdx = me->index;
    OBSERVE(resumed, linear_thread());
}

void cpu_device_polled(void) {
    static __thread unsigned polls;
    OBSERVE(polled);
    if (++polls % 64 == 0 && cpu_device_in_kernel())
        cpu_device_yield();
}

void cpu_device_thread_done(void) {
    struct worker *w = self;
    unsigned t = linear_thread(), warp = t / WARP;
    OBSERVE(thread_ended, t);
    w->running->doubt.step = 0; /* the fiber begins another thread */
    gets_on(w);
    w->finished++;
    w->exited[warp] |= 1u << t % WARP;
    if (w->at_barrier && w->at_barrier + w->finished == w->threads)
        release_barrier(w);
    /* Lanes that still wait for this one need wait no longer. */
    for (unsigned i = 0; w->waiting[warp] && i < WARP; i++)
        if (w->waiting[warp] >> i & 1)
            release_lanes(w, warp, w->lanes[warp][i]->mask);
}
