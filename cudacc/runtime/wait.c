/*
 * wait.c: a thread waits for others of its block, at a barrier or in a warp function.  Its fiber
 * stays with it, and another one continues the loop over the block's threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"
#include <stdio.h>
#include <string.h>

/* Up to here the block was on the fast path: all threads before this one have returned. */
void cpu_device_leave_fast_path(void) {
    struct worker *w = self;
    unsigned t = linear_thread();
    cpu_device_one_by_one = 1;
    w->started = t + 1;
    w->finished = t;
    memset(w->exited, 0, sizeof w->exited);
    memset(w->exited, 0xff, t / WARP * sizeof w->exited[0]);
    w->exited[t / WARP] |= (1u << t % WARP) - 1;
    OBSERVE(fast_path_left, t);
}

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

static int both_in(const struct fiber *a, const struct fiber *b, int i) {
    int begin = a->round[i].begin, end = a->round[i].end;
    return begin && begin == b->round[i].begin && a->line >= begin && a->line < end &&
           b->line >= begin && b->line < end;
}
/* Is a further back than b (< 0), or further on? In one function by how often it has been called,
 * in one loop by its rounds. */
static int compare_steps(const struct fiber *a, const struct fiber *b) {
    int apart = both_in(a, b, 7) ? (int)(a->round[7].count - b->round[7].count) : 0;
    for (int i = 0; !apart && i < 7 && both_in(a, b, i); i++)
        apart = (int)(a->round[i].count - b->round[i].count);
    return apart ? apart : a->line - b->line;
}

void release_stepping(struct worker *w) {
    unsigned stepping[MAX_WARPS] = {0};
    const struct fiber *earliest[MAX_WARPS], *latest[MAX_WARPS];
    for (struct fiber *f; (f = list_pop(&w->stepping));) {
        unsigned warp = f->thread / WARP, lane = f->thread % WARP;
        if (!stepping[warp] || compare_steps(f, earliest[warp]) < 0)
            earliest[warp] = f;
        if (!stepping[warp] || compare_steps(f, latest[warp]) > 0)
            latest[warp] = f;
        stepping[warp] |= 1u << lane;
        w->lanes[warp][lane] = f;
    }
    for (unsigned warp = 0; warp < MAX_WARPS; warp++) {
        if (stepping[warp])
            w->held[warp] = compare_steps(earliest[warp], latest[warp]) ? w->held[warp] + 1 : 0;
        int all = w->held[warp] % 1024 == 1023; /* perhaps they wait for those further on */
        for (unsigned rest = stepping[warp]; rest; rest &= rest - 1) {
            struct fiber *f = w->lanes[warp][__builtin_ctz(rest)];
            list_push(all || !compare_steps(f, earliest[warp]) ? &w->ready : &w->stepping, f);
        }
    }
}

static void release_unnamed(struct worker *w);

/* None is ready: a new thread, or those that have waited for there being none. */
static __attribute__((noinline)) struct fiber *other_fiber(struct worker *w) {
    if (cpu_device_one_by_one == CPU_DEVICE_IN_PARTS)
        cpu_device_trap(cudaErrorUnknown, "the kernel was split, and a thread of it waits");
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

void stay_behind(struct worker *w) {
    struct fiber *me = w->running;
    me->index = threadIdx;
    struct fiber *next = ready_fiber(w);
    go_to(w, next ? next : &w->own, 0);
    threadIdx = me->index;
    OBSERVE(resumed, linear_thread());
}

/* All who wait continue, in the order in which they came. Their results stay valid until each of
 * them has reached the next barrier, since before that it cannot be released. */
static void release_barrier(struct worker *w) {
    count_progress(w);
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

static inline void meet_block(struct worker *w) {
    w->at_barrier++;
    list_push(&w->barrier, w->running);
    if (w->at_barrier + w->finished == w->threads)
        release_barrier(w);
}

int cpu_device_barrier(int kind, int value) {
    struct worker *w = self;
    if (w->threads == 1)
        return value != 0;
    leave_fast_path(w);
    if (OBSERVED) {
        cpu_device_observer->suspended(linear_thread(), AT_BARRIER);
        cpu_device_observer->barrier_reached(linear_thread(), __builtin_return_address(0));
    }
    w->trues += value != 0;
    meet_block(w);
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
    if (!(lanes >> first & 1))
        return;
    const struct cpu_device_warp_call *call = &w->lanes[warp][first]->call;
    unsigned gone = w->lanes[warp][first]->mask & w->exited[warp];
    if (gone && !w->lanes[warp][first]->unnamed)
        cpu_device_observer->warp_without(warp, lanes, gone, call);
    for (unsigned i = first + 1; i < WARP; i++)
        if (lanes >> i & 1 && strcmp(w->lanes[warp][i]->call.function, call->function) != 0) {
            cpu_device_observer->warp_misused(
                "all threads that a mask names must call the same function", warp * WARP + first,
                *call, warp * WARP + i, w->lanes[warp][i]->call);
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
    count_progress(w);
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

/* No thread continues, and in a warp function stand lanes that their own mask does not name: on a
 * GPU it is done with the lanes that have come there together. */
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

/* On a GPU the lanes that took a branch together run it together. Here each waits until no
 * other thread of the block can continue: those that have come to the same line by then are
 * together. */
unsigned cpu_device_active_lanes(int line) {
    struct worker *w = self;
    if (w->threads == 1)
        return 1;
    struct fiber *me = leave_fast_path(w);
    me->thread = linear_thread();
    me->line = line;
    OBSERVE(suspended, me->thread, WAITS);
    list_push(&w->parked, me);
    stay_behind(w);
    return me->lanes;
}

static const struct cpu_device_warp_call no_call;

static inline void meet_lanes(struct worker *w, int operation, unsigned mask,
                              unsigned long long value, unsigned argument,
                              struct cpu_device_warp_call call) {
    unsigned t = linear_thread(), warp = t / WARP, lane = t % WARP;
    struct fiber *me = w->running;
    if (OBSERVED) {
        me->call = call;
        me->absent = -1;
    }
    me->unnamed = !(mask >> lane & 1);
    if (me->unnamed) {
        me->named = mask;
        OBSERVE(warp_misused, "its mask lacks the thread itself", t, call, 0, no_call);
    }
    mask |= 1u << lane; /* a caller that does not name itself: undefined in CUDA */
    me->operation = operation;
    me->mask = mask;
    me->value = value;
    me->argument = argument;
    w->lanes[warp][lane] = me;
    w->waiting[warp] |= 1u << lane;
    OBSERVE(suspended, t, WAITS);
    OBSERVE(warp_called, t, call.pc);
    release_lanes(w, warp, mask); /* now I am ready too, behind the others */
}

/* The same when others watch the switch, or where the machine has no shorter one. */
static unsigned long long meet_watched(int operation, unsigned mask, unsigned long long value,
                                       unsigned argument, const void *pc) {
    struct worker *w = self;
    if (operation == MEET_BARRIER)
        return (unsigned)cpu_device_barrier(CPU_BARRIER_PLAIN, 0);
    struct fiber *me = leave_fast_path(w);
    meet_lanes(w, operation, mask, value, argument,
               (struct cpu_device_warp_call){warp_function(operation), pc});
    stay_behind(w);
    if (OBSERVED && me->absent >= 0) {
        char why[100];
        snprintf(why, sizeof why,
                 "it reads from lane %d, which does not take part: it gets anything", me->absent);
        OBSERVE(warp_misused, why, linear_thread(), me->call, 0, no_call);
    }
    return me->result;
}

#ifdef CPU_DEVICE_SHORT_SWITCH
/* The thread that continues was called from another place than the one that waits, and a
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
    struct fiber *me = leave_fast_path(w);
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
    struct fiber *after = next->next;
    if (after) { /* a block's stacks do not all fit into the first cache */
        __builtin_prefetch(after->sp);
        __builtin_prefetch((char *)after->sp + 64);
        __builtin_prefetch(after->next);
    }
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
    struct fiber *me = leave_fast_path(w);
    me->values = values;
    meet_lanes(w, MEET_COLLECT, mask, value, 0,
               (struct cpu_device_warp_call){call->function,
                                             call->pc ? call->pc : __builtin_return_address(0)});
    stay_behind(w);
    return me->lanes;
}

void cpu_device_thread_done(void) {
    struct worker *w = self;
    unsigned t = linear_thread(), warp = t / WARP;
    OBSERVE(thread_ended, t);
    w->running->doubt.step = 0; /* the fiber begins another thread */
    count_progress(w);
    w->held[warp] = 0;
    w->finished++;
    w->exited[warp] |= 1u << t % WARP;
    if (w->at_barrier && w->at_barrier + w->finished == w->threads)
        release_barrier(w);
    /* Lanes that still wait for this one need wait no longer. */
    for (unsigned i = 0; w->waiting[warp] && i < WARP; i++)
        if (w->waiting[warp] >> i & 1)
            release_lanes(w, warp, w->lanes[warp][i]->mask);
}
