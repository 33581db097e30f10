/*
 * threads.c: once a block has left its fast path its threads begin, wait, continue and end one by
 * one, as the runtime reports.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"

void trace_left_plain_loop(unsigned thread) {
    if (recorder_state != RECORDING)
        return;
    unsigned lane = thread % WARP;
    struct trace_warp *warp = record_leave_plain(lane);
    warp->begun = 1u << lane;
    warp->exist &= ~(warp->begun - 1); /* the others have returned */
    warp->runs = warp->exist;
}

void trace_thread_begin(unsigned thread) {
    if (recorder_state != RECORDING)
        return;
    struct trace_warp *warp = record_warp_of(thread);
    warp->begun |= 1u << thread % WARP;
    record_go_on(warp, thread % WARP);
    record_outside();
}

void trace_suspend(unsigned thread, enum suspension why) {
    if (recorder_state != RECORDING)
        return;
    struct trace_warp *warp = record_warp_of(thread);
    record_save(warp, thread % WARP, why == AT_BARRIER);
    if (why != STEPS_ASIDE)
        warp->runs &= ~(1u << thread % WARP);
}

void trace_released(unsigned thread) {
    if (recorder_state == RECORDING)
        record_warp_of(thread)->runs |= 1u << thread % WARP;
}

void trace_resume(unsigned thread) {
    if (recorder_state != RECORDING)
        return;
    struct trace_warp *warp = record_warp_of(thread);
    unsigned lane = thread % WARP;
    warp->runs |= 1u << lane;
    record_go_on(warp, lane);
    if (warp->count[lane] >= TRACE_ROWS && !(warp->full >> lane & 1))
        record_full();
}

void trace_polled(void) {
    if (recorder_state == RECORDING)
        record_warp()->polls++;
}

/* The warp's last thread to return replays the rest, so that its buffer can serve another. */
void trace_thread_end(unsigned thread) {
    if (recorder_state != RECORDING)
        return;
    trace_suspend(thread, AT_BARRIER);
    struct trace_warp *warp = record_warp_of(thread);
    warp->exist &= ~(1u << thread % WARP);
    if (warp->exist)
        return;
    record_replay(warp, TRACE_IN_ORDER);
    recorder->warps[thread / WARP] = NULL;
    recorder->running = NULL;
    warp->free = recorder->free;
    recorder->free = warp;
}

void trace_warp_together(unsigned number, unsigned lanes, int orders_memory) {
    if (recorder_state != RECORDING)
        return;
    struct trace_warp *warp = recorder->warps[number];
    uint64_t call = (uint64_t)(warp->sync_number++ & 0x7fffffff) << 32 | lanes;
    if (orders_memory)
        call |= EVENT_ORDERS;
    EACH_LANE (i, lanes) {
        unsigned row = warp->count[i]++;
        record_passed(&warp->last_block[i], row ? warp->rows[row - 1].place[i] : 0);
        warp->rows[row].address[i] = call;
        warp->rows[row].place[i] = trace_event_place(warp->last_block[i], EVENT_SYNC);
        warp->runs |= 1u << i;
        warp->warp_calls.met[i] = warp->sync_number;
    }
}

/* Everything recorded in the block, as far as it has come; 0, or an error that was found. */
static int replay_rest(void) {
    if (recorder_state != RECORDING)
        return 0;
    for (unsigned i = 0; i < MAX_WARPS; i++) {
        if (!recorder->warps[i])
            continue;
        unsigned runs = recorder->warps[i]->runs;
        recorder->warps[i]->runs = 0;
        int error = trace_replay(&recorder->worker, recorder->warps[i], TRACE_IN_ORDER);
        recorder->warps[i]->runs = runs;
        if (error)
            return error;
    }
    return 0;
}

void trace_barrier_wait(unsigned thread, const void *pc) {
    if (recorder_state == RECORDING)
        trace_check_barrier_wait(&recorder->worker, thread, pc);
}

void trace_grid_barrier(const void *place, int continues) {
    struct trace_worker *w = &recorder->worker;
    if (recorder_state != RECORDING)
        return;
    trace_race_grid_barrier(w, linear_thread(), place, continues);
    trace_count_order(w, linear_thread() / WARP);
}

int trace_barrier(unsigned finished) {
    if (recorder_state != RECORDING)
        return 0;
    int error = replay_rest();
    if (error)
        return error;
    for (unsigned i = 0; i < MAX_WARPS; i++)
        if (recorder->warps[i])
            record_behind_barrier(recorder->warps[i]);
    trace_check_barrier(&recorder->worker, finished);
    trace_count_barrier(&recorder->worker);
    return 0;
}

void trace_warp_misused(const char *why, unsigned thread, struct cpu_device_warp_call call,
                        unsigned other_thread, struct cpu_device_warp_call other) {
    if (recorder_state == RECORDING)
        trace_check_warp_misused(&recorder->worker, why, thread, call, other_thread, other);
}

/* The place that the running thread has passed last. */
static const void *passed_last(void) {
    int recorded = recorder_state == RECORDING && (recorder->running || recorder->plain);
    return (const void *)(uintptr_t)(recorded ? record_here(0) >> 16
                                              : cpu_device_trace_lane.last_block);
}

void trace_dies(int error, const char *what, const void *pc, const void *address) {
    struct trace_death *d = &recorder->worker.death;
    *d = (struct trace_death){.error = error, .pc = pc, .thread = linear_thread()};
    if (what)
        snprintf(d->what, sizeof d->what, "%s", what);
    else
        d->address = address;
}

/* What threads of the block have recorded before may hold an error that came first. */
void trace_died(void) {
    struct trace_worker *w = &recorder->worker;
    if (!w->death.error)
        return;
    const char *kernel = w->launch->function;
    w->death.near = passed_last();
    if (!w->death.near && kernel)
        w->death.near = kernel + 1;
    if (recorder_state == RECORDING && (recorder->running || recorder->plain)) {
        unsigned lane = w->death.thread % WARP;
        struct trace_warp *warp = recorder->running ? recorder->running : record_leave_plain(lane);
        record_save(warp, lane, 0);
        if (replay_rest())
            w->death.error = 0;
    }
    if (w->death.error && recorder_state == RECORDING)
        trace_check_block_end(w);
    if (w->death.error)
        trace_check_died(w);
    w->death.error = 0;
}

int trace_deadlock(const char *what, unsigned thread) {
    struct trace_worker *w = &recorder->worker;
    int error = replay_rest();
    if (error)
        return error;
    if (recorder_state != RECORDING || !trace_check_deadlock(w)) {
        const struct trace_warp *warp = recorder->warps[thread / WARP];
        trace_dies(cudaErrorLaunchTimeout, what, NULL, NULL);
        w->death.thread = thread;
        w->death.near = warp ? (const void *)warp->last_block[thread % WARP] : NULL;
        trace_check_died(w);
        w->death.error = 0;
    }
    return cudaErrorLaunchTimeout;
}

const struct trace_launch *trace_exits(void) {
    trace_dies(cudaErrorLaunchFailure, "exit() in a kernel", NULL, NULL);
    trace_died();
    return recorder->worker.record;
}

void trace_stack(const char *low, size_t bytes) {
    recorder_stack = (uintptr_t)low;
    recorder_stack_bytes = bytes;
}
