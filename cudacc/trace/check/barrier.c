/*
 * barrier.c: who comes to which barrier, and who does not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"
#include <string.h>

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

void trace_barrier_passed(struct trace_worker *w, const void *pc) {
    w->barrier = pc;
    memset(w->checker->turned, 0, sizeof w->checker->turned);
}

/* Lanes of a warp that jump without the others: which of them a request is of is not kept. */
void trace_check_back(struct trace_worker *w, unsigned warp, unsigned lanes) {
    struct checker *c = w->checker;
    unsigned rest = w->threads - warp * WARP, all = rest < WARP ? ~(~0u << rest) : ~0u;
    if (lanes != all)
        c->turned[warp] = TURNED_UNKNOWN;
    else if (c->turned[warp] < TURNED_OFTEN)
        c->turned[warp]++;
}

static struct finding barrier_finding(const struct trace_worker *w, const struct barrier *b) {
    struct finding f = trace_finding_in(w, BARRIER);
    f.other_block = w->block;
    f.pc = b->pc;
    f.thread = b->first;
    f.count = b->here;
    f.epoch = w->checker->epoch;
    f.turn.often = w->checker->turned[b->first / WARP];
    return f;
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
    trace_barrier_passed(w, b->other_pc ? NULL : b->pc);
    memset(b, 0, sizeof *b);
    c->epoch++;
}

void trace_check_warp_misused(struct trace_worker *w, const char *why, unsigned thread,
                              struct cpu_device_warp_call call, unsigned other_thread,
                              struct cpu_device_warp_call other) {
    struct finding f = trace_finding_in(w, WARP_MISUSED);
    f.other_block = w->block;
    f.pc = call.pc, f.other_pc = other.pc;
    f.thread = thread, f.other_thread = other_thread;
    f.function = call.function, f.other_function = other.function;
    trace_finding_text(&f, "%s", why);
    trace_found(&f);
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
