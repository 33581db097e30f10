/*
 * lanes.c: threads run one after another; each writes what it does into its column of its warp's
 * buffer.  replay.c then reconverges the lanes of the warp.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"
#include <string.h>

#define UNLIKELY(x) __builtin_expect(x, 0)

enum { ROW = sizeof(struct trace_event_row) / sizeof(uint64_t) };

static struct trace_event_row nothing; /* no key is 0: the row of threads that go alone */
__thread struct cpu_device_trace_lane cpu_device_trace_lane = {.row = &nothing, .first = &nothing};
extern PRIVATE __thread struct cpu_device_trace_lane record_now
    __attribute__((alias("cpu_device_trace_lane")));

__thread struct recorder *recorder;
__thread enum recorder_state recorder_state;
__thread uintptr_t recorder_stack;
__thread size_t recorder_stack_bytes;
__thread uintptr_t recorder_shared;
__thread size_t recorder_shared_bytes;
uintptr_t recorder_memory;
size_t recorder_memory_bytes;

/* ---- Events ------------------------------------------------------------------------------ */

static void go_apart(void);
static int alone(void) { return cpu_device_trace_lane.row == &nothing; }

/* Other threads run first if there is no room: what stands in the buffer has taken effect, or the
 * replay, which may follow at once, would not know what a load has found. */
static void put(uint64_t place, uint64_t address) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (UNLIKELY(l->next >= l->end))
        record_full();
    uint64_t *next = l->next;
    next[0] = address;
    next[WARP] = place;
    l->next = next + ROW;
}

unsigned record_lane(void) { return linear_thread() % WARP; }

struct trace_warp *record_warp(void) {
    return recorder->running ? recorder->running : recorder->plain;
}

/* An event that has no place of its own: it stands in the running basic block, not before the last
 * access. Nor do those that follow, whether or not that access is still in the buffer by then. */
uint64_t record_here(unsigned kind) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    uint64_t pc = l->last_block, last = 0;
    if (!alone() && l->row > l->first)
        last = l->row[-1].common;
    else if (alone() && l->next >= record_warp()->rows[1].address)
        last = l->next[WARP - ROW];
    if (last >> 16 > pc && !(last & EVENT_KIND))
        pc = last >> 16;
    l->last_block = (uintptr_t)pc;
    return trace_event_place((uintptr_t)pc, kind);
}

/* Something other than an access. */
void record_mark(uint64_t place, uint64_t value) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_event_row *row = l->row;
    unsigned kind = (unsigned)place & EVENT_KIND;
    if (row->key == place) {
        l->row = row + 1;
        return;
    }
    if (row == l->first + TRACE_ROWS)
        record_full();
    else if (!alone() && (kind == EVENT_FENCE || kind == EVENT_RELEASE || kind >= EVENT_FREE ||
                          (row->key && record_lane() > 0)))
        go_apart();
    if (alone()) {
        put(place, value);
        return;
    }
    row->key = row->common = place;
    row->next = row->base = OUT_OF_LINE;
    row->stride = 0;
    l->row++;
}

static int in_memory(uint64_t base, uint64_t stride) {
    uint64_t last = base + (WARP - 1) * stride;
    return base - recorder_memory < recorder_memory_bytes &&
           last - recorder_memory < recorder_memory_bytes;
}

/* An access that does not simply continue where the lanes before have led. In device memory the
 * addresses may follow from a rule. */
void record_access(uint64_t place, uint64_t address) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_event_row *row = l->row;
    uint64_t lane = record_lane(), stride = 1u << (place & EVENT_LOG2_BYTES);
    if (row == l->first + TRACE_ROWS)
        record_full();
    else if (!alone() && lane && row->key && row->common != place)
        go_apart();
    if (alone()) {
        put(place, address);
        return;
    }
    int fresh = !lane || !row->key, in_line = fresh;
    if (fresh) {
        row->key = place >> 16;
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
    if (in_line && in_memory(base, stride)) {
        row->base = base;
        row->stride = stride;
        row->next = address + stride;
    } else {
        if (!fresh)
            trace_row_addresses(row, ~recorder->apart);
        row->next = row->base = OUT_OF_LINE;
        row->stride = 0;
        row->address[lane] = address;
    }
    l->row++;
}

/* ---- Buffers ----------------------------------------------------------------------------- */

static void rows_fresh(struct trace_event_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        rows[i].key = 0;
}

static struct trace_warp *warp_get(void) {
    struct trace_warp *warp = recorder->free;
    if (warp) {
        recorder->free = warp->free;
        return warp;
    }
    warp = trace_must(aligned_alloc(_Alignof(struct trace_warp), sizeof *warp));
    return memset(warp, 0, sizeof *warp);
}

static void warp_prepare(struct trace_warp *warp, unsigned number) {
    unsigned rest = recorder->worker.threads - number * WARP;
    warp->number = number;
    warp->exist = rest >= WARP ? ~0u : (1u << rest) - 1;
    warp->runs = warp->exist;
    warp->begun = warp->full = 0;
    warp->fenced = warp->sync_number = 0;
    memset(warp->next, 0, sizeof warp->next);
    memset(warp->count, 0, sizeof warp->count);
    memset(warp->depth, 0, sizeof warp->depth);
    warp->deep = 0;
    memset(warp->calls, 0, sizeof warp->calls);
    memset(&warp->warp_calls, 0, sizeof warp->warp_calls);
    memset(warp->last_block, 0, sizeof warp->last_block);
}

struct trace_warp *record_warp_of(unsigned thread) {
    struct trace_warp **warp = &recorder->warps[thread / WARP];
    if (!*warp) {
        *warp = warp_get();
        warp_prepare(*warp, thread / WARP);
    }
    return *warp;
}

/* The running thread's events end here, or continue here. */
void record_save(struct trace_warp *warp, unsigned lane) {
    const struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    warp->count[lane] = (unsigned)(l->next - warp->rows[0].address) / ROW;
    warp->last_block[lane] = l->last_block;
    warp->calls[lane] = l->calls;
    for (unsigned i = 1; i < l->calls && i < TRACE_DEPTH; i++)
        warp->callers[lane][i] = l->callers[i];
}
void record_go_on(struct trace_warp *warp, unsigned lane) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    recorder->running = warp;
    l->row = &nothing;
    l->next = &warp->rows[warp->count[lane]].address[lane];
    l->end = warp->rows[TRACE_ROWS].address;
    l->last_block = warp->last_block[lane];
    l->outside = 0;
    l->calls = warp->calls[lane];
    for (unsigned i = 1; i < l->calls && i < TRACE_DEPTH; i++)
        l->callers[i] = warp->callers[lane][i];
}

void record_replay(struct trace_warp *warp, int first) {
    int error = trace_replay(&recorder->worker, warp, first);
    if (error)
        cpu_device_abandon(error);
}

enum { PATIENCE = 1 << 16 };

/* No room for the running thread's next event: the others of its warp must come so far, too. If
 * they never do, they wait in a loop for something that this thread will do. Those that do not even
 * ask for anything may just have a long way to go. */
void record_full(void) {
    unsigned thread = linear_thread(), lane = thread % WARP;
    if (!cpu_device_one_by_one)
        cpu_device_leave_fast_path();
    struct trace_warp *warp = record_warp_of(thread);
    warp->full |= 1u << lane;
    kernel_watchdog();
    for (unsigned waited = 0, polls = 0;; waited += warp->polls != polls ? TRACE_ROWS : 1) {
        record_save(warp, lane);
        record_replay(warp, waited < PATIENCE ? TRACE_IN_ORDER : (int)lane);
        waited %= PATIENCE;
        record_go_on(warp, lane);
        if (warp->count[lane] < TRACE_ROWS)
            break;
        polls = warp->polls;
        cpu_device_step_aside(warp->exist & ~warp->begun ? recorder->worker.threads : 0);
    }
    warp->full &= ~(1u << lane);
}

/* ---- The fast path (launch.h) ----------------------------------------------------------- */

void record_plain_begin(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (!recorder->plain)
        recorder->plain = warp_get();
    recorder->plain->number = recorder->plain->fenced = 0;
    recorder->uneven = recorder->apart = 0;
    if (l->first != recorder->plain->rows) {
        l->first = l->expected = recorder->plain->rows;
        rows_fresh(l->first, TRACE_ROWS + 1);
    }
    l->end = recorder->plain->rows[TRACE_ROWS].address;
    l->calls = 0;
    l->last_block = 0; /* kernels without functions that are called do not say so each time */
}

/* What the lane did as the others did is written into its own column. */
static void write_out(unsigned lane, size_t count) {
    struct trace_event_row *row = recorder->plain->rows;
    for (; count--; row++) {
        row->place[lane] = row->common;
        if (row->base != OUT_OF_LINE)
            row->address[lane] = row->base + lane * row->stride;
    }
}

/* The running thread does not come to the rows from here on to `expected`. */
static void pass_over(unsigned lane) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_event_row *row = l->row;
    if (lane) {
        for (; row < l->expected; row++)
            row->next += row->stride;
    } else {
        for (; row < l->expected; row++) /* the warp before did */
            row->key = 0;
        l->expected = l->row;
    }
}

static void ended(unsigned lane, unsigned count) {
    recorder->uneven |= 1u << lane;
    recorder->count[lane] = count;
}

/* The running thread has come past `expected`, where those before it ended. The lanes after it are
 * to find its rows before `expected`: only there does each lane that stays away pass them over. */
static void come_further(unsigned lane) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    for (unsigned i = 0; i < lane; i++)
        if (!(recorder->uneven >> i & 1))
            ended(i, (unsigned)(l->expected - l->first));
    l->expected = l->row;
}

/* The running thread does something else than the lanes of its warp before it did. */
static void go_apart(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    unsigned lane = record_lane();
    if (l->row > l->expected)
        come_further(lane);
    else
        pass_over(lane);
    write_out(lane, (size_t)(l->row - l->first));
    recorder->apart |= 1u << lane;
    l->next = &l->row->address[lane];
    l->row = &nothing;
}

static unsigned events_of(const struct cpu_device_trace_lane *l) {
    if (alone())
        return (unsigned)(l->next - l->first->address) / ROW;
    return (unsigned)(l->row - l->first);
}

/* All lanes but the uneven ones end at `expected`, and none in the fast path after it. */
int cpu_device_trace_uneven(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (recorder_state != RECORDING || cpu_device_one_by_one)
        return cpu_device_one_by_one;
    unsigned lane = record_lane();
    if (!alone() && l->row > l->expected) {
        come_further(lane);
        return 0;
    }
    if (!alone())
        pass_over(lane);
    if (lane || alone())
        ended(lane, events_of(l));
    return 0;
}

/* The warp of the fast path becomes one like any other: `lanes` of it have returned. */
static struct trace_warp *plain_warp(unsigned lanes) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_warp *warp = recorder->plain;
    unsigned fenced = warp->fenced, most = events_of(l);
    warp_prepare(warp, warp->number);
    warp->fenced = fenced;
    for (unsigned i = 0; i < lanes; i++) {
        warp->count[i] =
            recorder->uneven >> i & 1 ? recorder->count[i] : (unsigned)(l->expected - l->first);
        if (!(recorder->apart >> i & 1))
            write_out(i, warp->count[i]);
        if (warp->count[i] > most)
            most = warp->count[i];
    }
    rows_fresh(warp->rows, most + 1);
    return warp;
}

/* Those of `lanes` that came to a row of the fast path. */
static unsigned lanes_at(const struct trace_event_row *row, unsigned lanes) {
    unsigned number = (unsigned)(row - recorder->plain->rows);
    for (unsigned rest = recorder->uneven; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        if (recorder->count[i] <= number)
            lanes &= ~(1u << i);
    }
    return lanes;
}

/* Prepares the rows for the next warp, which probably does the same, further on. */
static void hand_on(struct trace_event_row *row, const struct trace_event_row *end) {
    for (; row < end; row++) {
        if (row->base == OUT_OF_LINE)
            continue;
        row->base = row->next;
        row->first = 0;
        if (!in_memory(row->base, row->stride))
            row->key = 0;
    }
}

void cpu_device_trace_warp(unsigned lanes) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_warp *warp = recorder->plain;
    unsigned all = lanes == WARP ? ~0u : (1u << lanes) - 1;
    int error = 0;
    if (recorder_state != RECORDING)
        return;
    if (recorder->apart) {
        plain_warp(lanes)->runs = 0;
        error = trace_replay(&recorder->worker, warp, TRACE_IN_ORDER);
    } else {
        struct trace_event_row *row = warp->rows, *end = l->expected;
        unsigned number = warp->number, uneven = recorder->uneven;
        for (; !error && row < end; row++)
            error =
                trace_replay_row(&recorder->worker, number, row, uneven ? lanes_at(row, all) : all);
    }
    if (error)
        cpu_device_abandon(error);
    if (recorder->uneven) {
        rows_fresh(warp->rows, (size_t)(l->expected - l->first));
        l->expected = l->first;
    } else {
        hand_on(l->first, l->expected);
    }
    warp->number++;
    warp->fenced = recorder->uneven = recorder->apart = 0;
}

struct trace_warp *record_leave_plain(unsigned lane) {
    if (!alone())
        go_apart();
    struct trace_warp *warp = plain_warp(lane);
    record_save(warp, lane);
    recorder->warps[warp->number] = warp;
    recorder->plain = NULL;
    record_go_on(warp, lane);
    return warp;
}

/* ---- The end of it ----------------------------------------------------------------------- */

void record_nothing(void) { cpu_device_trace_lane.row = cpu_device_trace_lane.first = &nothing; }

void record_forget(void) {
    for (unsigned i = 0; i < MAX_WARPS; i++)
        if (recorder->warps[i]) {
            recorder->warps[i]->free = recorder->free;
            recorder->free = recorder->warps[i];
            recorder->warps[i] = NULL;
        }
}

void record_give_back(void) {
    for (struct trace_warp *warp = recorder->free, *next; warp; warp = next) {
        next = warp->free;
        free(warp);
    }
    free(recorder->plain);
}
