/*
 * warp_calls.c: lanes of a warp that have returned, though a mask names them, and another lane
 * calls a warp function. That is right where they have left before. It is not where such a lane has
 * gone past the call, as memory that it has used since shows; nor where it has made this call, but
 * met another one of the lanes that make it now. (Two calls of one function in two branches may
 * meet: CUDA has allowed it since compute capability 7.0.)
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"

static unsigned *callers_of(struct trace_warp_calls *c, uintptr_t pc) {
    unsigned i = 0;
    while (i < c->places && c->place[i].pc != pc)
        i++;
    if (i == TRACE_CALL_PLACES)
        return NULL;
    if (i == c->places) {
        c->places++;
        c->place[i].pc = pc;
        c->place[i].lanes = 0;
    }
    return &c->place[i].lanes;
}

void trace_warp_called(unsigned thread, const void *pc) {
    if (recorder_state != RECORDING)
        return;
    struct trace_warp_calls *c = &record_warp_of(thread)->warp_calls;
    unsigned lane = thread % WARP, *lanes = callers_of(c, (uintptr_t)pc);
    c->before[lane] = c->at[lane];
    c->at[lane] = (uintptr_t)pc;
    if (lanes)
        *lanes |= 1u << lane;
}

/* Has the lane jumped back since it met others? Where that is no longer known, yes. */
static int has_turned(const struct trace_warp *warp, unsigned lane) {
    for (unsigned row = warp->count[lane]; row-- > 0;) {
        unsigned kind = (unsigned)warp->rows[row].place[lane] & EVENT_KIND;
        if (kind == EVENT_SYNC || kind == EVENT_BACK)
            return kind == EVENT_BACK;
    }
    return 1;
}

/* Where it has used memory, as the last thing it did; 0: not known. */
static uintptr_t last_access(const struct trace_warp *warp, unsigned lane) {
    unsigned count = warp->count[lane];
    uint64_t place = count ? warp->rows[count - 1].place[lane] : 0;
    return place & EVENT_KIND ? 0 : place >> 16;
}

void trace_warp_without(unsigned number, unsigned lanes, unsigned gone,
                        const struct cpu_device_warp_call *call) {
    if (recorder_state != RECORDING || !recorder->warps[number])
        return;
    struct trace_warp *warp = recorder->warps[number];
    struct trace_warp_calls *c = &warp->warp_calls;
    unsigned first = (unsigned)__builtin_ctz(lanes), *were = callers_of(c, (uintptr_t)call->pc);
    EACH_LANE (lane, were ? gone : 0) {
        uintptr_t other = 0;
        const char *why;
        if (!(*were >> lane & 1)) {
            uintptr_t last = last_access(warp, lane);
            other = last > (uintptr_t)call->pc ? last : 0;
            why = "its mask, or group, has the second one, too, which did not come here, but went "
                  "on to";
        } else if (c->met[lane] && c->met[lane] == c->met[first] && !has_turned(warp, first)) {
            other = c->before[first] != c->at[lane] ? c->before[first] : 0;
            why = "the second one was here before, and met the first one's call at";
        }
        if (!other)
            continue;
        trace_warp_misused(why, number * WARP + first, *call, number * WARP + lane,
                           (struct cpu_device_warp_call){NULL, (const void *)other});
        return;
    }
}
