/*
 * events.c: what a thread does next is compared with the row of its warp's buffer, or goes to its
 * own column there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"

#define UNLIKELY(x) __builtin_expect(x, 0)

/* Other threads run first if there is no room: what stands in the buffer has taken effect, or the
 * replay, which may follow at once, would not know what a load has found. */
static void put(uint64_t place, uint64_t address) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (UNLIKELY(l->next >= l->end))
        record_full();
    uint64_t *next = l->next;
    next[0] = address;
    next[WARP] = place;
    l->next = next + EVENT_ROW;
}

struct trace_warp *record_warp(void) {
    return recorder->running ? recorder->running : recorder->plain;
}

/* An event that has no place of its own: it stands in the running basic block, not before the last
 * access. Nor do those that follow, whether or not that access is still in the buffer by then. */
uint64_t record_here(unsigned kind) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    uint64_t last = 0;
    if (!record_alone() && l->row > l->first)
        last = l->row[-1].common;
    else if (record_alone() && l->next >= record_warp()->rows[1].address)
        last = l->next[WARP - EVENT_ROW];
    record_passed(&l->last_block, last);
    return trace_event_place(l->last_block, kind);
}

/* Something other than an access. */
void record_mark_from(uintptr_t block, uint64_t place, uint64_t value) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_event_row *row = l->row;
    unsigned kind = (unsigned)place & EVENT_KIND;
    if (row->key == place && (row->next == value || row->next == OUT_OF_LINE)) {
        l->row = row + 1;
        return;
    }
    if (row == l->first + TRACE_ROWS)
        record_full();
    else if (!record_alone() && (kind == EVENT_FENCE || kind == EVENT_RELEASE ||
                                 kind >= EVENT_FREE || (row->key && record_lane() > 0)))
        record_go_apart();
    if (record_alone()) {
        put(place, value);
        return;
    }
    row->key = row->common = place;
    row->base = OUT_OF_LINE;
    row->next = recorder->running ? value : OUT_OF_LINE;
    row->from = recorder->running && kind == EVENT_BACK ? block : 0;
    row->stride = 0;
    l->row++;
}

void record_mark(uint64_t place, uint64_t value) { record_mark_from(0, place, value); }

/* The addresses may follow from a rule. */
static void row_begins(struct trace_event_row *row, uint64_t place, uint64_t address,
                       uint64_t lane) {
    uint64_t stride = 1u << (place & EVENT_LOG2_BYTES);
    int fresh = !lane || !row->key, in_line = fresh;
    if (fresh) {
        row->key = place >> 16;
        row->from = 0;
        row->first = (unsigned)lane;
        if (row->common != place) {
            row->common = place;
            trace_request_at(&row->request, place);
        }
    } else if (row->base != OUT_OF_LINE && lane == row->first + 1) {
        stride = address - (row->base + row->first * row->stride);
        in_line = 1;
    }
    uint64_t base = address - lane * stride;
    if (in_line && record_in_space(place, base, stride)) {
        row->base = base;
        row->stride = stride;
        row->next = address + stride;
    } else {
        if (!fresh)
            trace_row_addresses(row, recorder->running ? ~0u : ~recorder->apart);
        row->next = row->base = OUT_OF_LINE;
        row->stride = 0;
        row->address[lane] = address;
    }
}

/* An access that does not simply continue where the lanes before have led. */
void record_access(uint64_t place, uint64_t address) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_event_row *row = l->row;
    if (!record_alone()) {
        uint64_t lane = recorder->running ? recorder->running->turn : record_lane();
        if (row == l->first + TRACE_ROWS)
            record_full();
        else if (lane && row->key && row->common != place)
            record_go_apart();
        else if (lane && row->key && row->base == OUT_OF_LINE)
            row->address[lane] = address;
        else
            row_begins(row, place, address, lane);
    }
    if (record_alone())
        put(place, address);
    else
        l->row++;
}
