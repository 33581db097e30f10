/*
 * poll.c: a thread reads volatile memory or calls what a loop that polls calls: the other threads
 * of its block get their turn, and those of its warp take such accesses together.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"
#include <sched.h>
#include <string.h>

/* The same place, or the same few since a thread has last returned, again and again: perhaps it
 * waits for another thread. */
static void look_again(int place) {
    enum { FEW = 8 };
    static __thread int last, places[FEW];
    static __thread unsigned times, rounds, next;
    static __thread unsigned long long seen;
    struct worker *w = self;
    unsigned long long now =
        cpu_device_one_by_one ? w->progress : w->blocks * MAX_THREADS + linear_thread();
    int i = 0;
    while (i < FEW && places[i] != place)
        i++;
    if (i == FEW)
        places[next++ % FEW] = place;
    rounds = i < FEW && now == seen ? rounds + 1 : 0;
    seen = now;
    times = place == last ? times + 1 : 0;
    last = place;
    if (times > 1 << 18 || rounds > 1 << 18)
        cpu_device_polled();
}

/* A fiber runs one thread after another: their loops are not this one's. */
static void know_rounds(struct fiber *me) {
    unsigned long long thread = self->blocks * MAX_THREADS + linear_thread();
    if (me->round_thread != thread)
        memset(me->round, 0, sizeof me->round);
    me->round_thread = thread;
}

static void step(struct fiber *me, int place) {
    struct worker *w = self;
    if (__atomic_load_n(&w->launch->stop, __ATOMIC_RELAXED))
        cpu_device_abandon(cudaErrorLaunchFailure);
    leave_fast_path(w);
    know_rounds(me);
    me->thread = linear_thread();
    me->line = place;
    OBSERVE(suspended, me->thread, STEPS_ASIDE);
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
        poll_watchdog(w);
    else
        w->patience_from = 0;
    step(me, place);
}

void cpu_device_round(int depth, int begin, int end) {
    struct worker *w = self;
    if (!cpu_device_in_kernel())
        return;
    struct fiber *me = w->running;
    know_rounds(me);
    struct round *r = &me->round[depth];
    *r = (struct round){begin, end, r->begin == begin || depth == 7 ? r->count + 1 : 1};
    for (int i = depth + 1; i < 7; i++)
        me->round[i].begin = 0;
}

void cpu_device_step_to_print(int place) {
    if (cpu_device_in_kernel() && self->threads > 1)
        step(self->running, place);
}

void cpu_device_yield(void) {
    struct worker *w = self;
    if (cpu_device_in_kernel())
        poll_watchdog(w);
    OBSERVE(polled);
    if (cpu_device_in_kernel() && __atomic_load_n(&w->launch->extra_workers, __ATOMIC_RELAXED))
        sched_yield(); /* to what is waited for */
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
    if (cpu_device_one_by_one == CPU_DEVICE_IN_PARTS)
        return;
    struct fiber *me = leave_fast_path(w);
    struct fiber *next =
        w->started < w->threads && w->started < fresh ? fiber_get(w) : next_fiber(w);
    if (!next)
        return;
    list_push(&w->ready, me);
    me->index = threadIdx;
    OBSERVE(suspended, linear_thread(), STEPS_ASIDE);
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

void cpu_device_unchanged(const volatile void *address) {
    static __thread const volatile void *last;
    static __thread unsigned last_thread, times;
    unsigned thread = linear_thread();
    times = address == last && thread == last_thread ? times + 1 : 0;
    last = address;
    last_thread = thread;
    if (times > 1 << 10)
        cpu_device_polled();
}
