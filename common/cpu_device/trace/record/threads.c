/*
 * threads.c: once a block has left its plain loop its threads begin, wait, continue and end one by
 * one, as the runtime tells.
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
}

void trace_suspend(unsigned thread, int waits) {
    if (recorder_state != RECORDING)
        return;
    struct trace_warp *warp = record_warp_of(thread);
    record_save(warp, thread % WARP);
    if (waits)
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

/* The warp's last thread to return replays the rest, so that its buffer can serve another. */
void trace_thread_end(unsigned thread) {
    if (recorder_state != RECORDING)
        return;
    trace_suspend(thread, 1);
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

void trace_warp_together(unsigned number, unsigned lanes) {
    if (recorder_state != RECORDING)
        return;
    struct trace_warp *warp = recorder->warps[number];
    uint64_t call = (uint64_t)warp->sync_number++ << 32 | lanes;
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest), row = warp->count[i]++;
        uint64_t pc = warp->last_block[i], last = row ? warp->rows[row - 1].place[i] : 0;
        if (last >> 16 > pc && !(last & EVENT_KIND))
            pc = last >> 16;
        warp->last_block[i] = (uintptr_t)pc;
        warp->rows[row].address[i] = call;
        warp->rows[row].place[i] = trace_event_place((uintptr_t)pc, EVENT_SYNC);
        warp->runs |= 1u << i;
    }
}

int trace_rest(void) {
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
        trace_consumer->barrier_reached(&recorder->worker, thread, pc);
}

int trace_barrier(unsigned finished) {
    if (recorder_state != RECORDING)
        return 0;
    int error = trace_rest();
    if (error)
        return error;
    for (unsigned i = 0; i < MAX_WARPS; i++)
        if (recorder->warps[i])
            recorder->warps[i]->runs = recorder->warps[i]->exist;
    trace_consumer->barrier(&recorder->worker, finished);
    recorder->worker.epoch++;
    return 0;
}

int trace_deadlock(void) {
    if (recorder_state != RECORDING)
        return 0;
    int error = trace_rest();
    if (error)
        return error;
    trace_consumer->deadlock(&recorder->worker);
    return cudaErrorLaunchTimeout;
}

int trace_fault(void) {
    if (recorder_state != RECORDING || (!recorder->running && !recorder->plain))
        return 0;
    unsigned thread = linear_thread();
    struct trace_warp *warp =
        recorder->running ? recorder->running : record_leave_plain(thread % WARP);
    record_save(warp, thread % WARP);
    warp->runs = 0;
    return trace_replay(&recorder->worker, warp, TRACE_IN_ORDER);
}

void trace_stack(const char *low, size_t bytes) {
    recorder_stack = (uintptr_t)low;
    recorder_stack_bytes = bytes;
}
