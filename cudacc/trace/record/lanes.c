/*
 * lanes.c: threads run one after another; as long as the lanes of a warp do the same they share the
 * rows of its buffer, else each has a column there.  replay.c then reconverges the lanes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"
#include <string.h>

struct trace_event_row record_no_row; /* no key is 0: the row of threads that go alone */
__thread struct cpu_device_trace_lane cpu_device_trace_lane = {.row = &record_no_row,
                                                               .first = &record_no_row};
extern PRIVATE __thread struct cpu_device_trace_lane record_now
    __attribute__((alias("cpu_device_trace_lane")));

__thread struct recorder *recorder;
__thread enum recorder_state recorder_state;
__thread uintptr_t recorder_stack;
__thread size_t recorder_stack_bytes;
__thread uintptr_t recorder_shared;
__thread size_t recorder_shared_bytes;
__thread uintptr_t recorder_variables;
__thread size_t recorder_variables_bytes;
uintptr_t recorder_memory;
size_t recorder_memory_bytes;

unsigned record_lane(void) { return linear_thread() % WARP; }

static int overlap(uint64_t low, uint64_t high, const void *p, size_t bytes) {
    return low < (uintptr_t)p + bytes && (uintptr_t)p < high;
}

int record_holds_built_in(uintptr_t low, uintptr_t high) {
    return overlap(low, high, &threadIdx, sizeof threadIdx) ||
           overlap(low, high, &blockIdx, sizeof blockIdx) ||
           overlap(low, high, &blockDim, sizeof blockDim) ||
           overlap(low, high, &gridDim, sizeof gridDim);
}

int record_in_space(uint64_t place, uint64_t base, uint64_t stride) {
    uint64_t last = base + (WARP - 1) * stride, low = base < last ? base : last,
             high = (base < last ? last : base) + (1u << (place & EVENT_LOG2_BYTES));
    uint64_t from = recorder_memory, bytes = recorder_memory_bytes;
    if (place & EVENT_SHARED && base - (uintptr_t)cpu_device_dynamic_shared < SHARED_OPTIN)
        from = (uintptr_t)cpu_device_dynamic_shared, bytes = SHARED_OPTIN;
    else if (place & EVENT_SHARED)
        from = recorder_shared, bytes = recorder_shared_bytes;
    return base - from < bytes && last - from < bytes &&
           !(place & EVENT_SHARED && record_holds_built_in(low, high));
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
    memset(warp, 0, sizeof *warp);
    warp->expected = warp->rows;
    return warp;
}

static void warp_prepare(struct trace_warp *warp, unsigned number) {
    unsigned rest = recorder->worker.threads - number * WARP;
    warp->number = number;
    warp->in_step = 1;
    warp->turn = 0;
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

/* What the lane did as the others did is written into its own column. */
static void write_out(struct trace_warp *warp, unsigned lane, size_t count) {
    struct trace_event_row *row = warp->rows;
    for (; count--; row++) {
        row->place[lane] = row->common;
        if (row->base != OUT_OF_LINE)
            row->address[lane] = row->base + lane * row->stride;
        else if (row->common & EVENT_KIND)
            row->address[lane] = row->next;
    }
}

/* From here on each lane of the warp has its own column; so has the one that runs, if it does. */
static void leave_step(struct trace_warp *warp) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    unsigned count = (unsigned)(warp->expected - warp->rows), most = count;
    for (unsigned i = 0; i < warp->turn; i++) {
        write_out(warp, i, count);
        warp->count[i] = count;
    }
    if (recorder->running == warp && !record_alone()) {
        unsigned lane = warp->turn, mine = (unsigned)(l->row - warp->rows);
        write_out(warp, lane, mine);
        warp->count[lane] = mine;
        most = mine > most ? mine : most;
        l->row = &record_no_row;
        l->next = &warp->rows[mine].address[lane];
    }
    rows_fresh(warp->rows, most + 1);
    warp->expected = warp->rows;
    warp->in_step = 0;
}

/* The running lane has come as far as it does before the others of its warp do. */
static void turn_ends(struct trace_warp *warp) {
    struct trace_event_row *row = cpu_device_trace_lane.row;
    if (!warp->turn) {
        for (; row < warp->expected; row++)
            row->key = 0;
        warp->expected = cpu_device_trace_lane.row;
    } else if (row != warp->expected) {
        leave_step(warp);
        return;
    }
    warp->turn++;
}

/* The running thread's events end here, or continue here. */
void record_save(struct trace_warp *warp, unsigned lane, int in_step) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (!record_alone() && in_step)
        turn_ends(warp);
    else if (!record_alone())
        leave_step(warp);
    warp->count[lane] =
        record_alone() ? (unsigned)(l->next - warp->rows[0].address) / EVENT_ROW : 0;
    l->row = &record_no_row;
    l->outside = 1; /* until a thread goes on: loops over threads are traced, perhaps */
    warp->last_block[lane] = l->last_block;
    warp->calls[lane] = l->calls;
    for (unsigned i = 1; i < l->calls && i < TRACE_DEPTH; i++)
        warp->callers[lane][i] = l->callers[i];
}
void record_go_on(struct trace_warp *warp, unsigned lane) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    recorder->running = warp;
    l->row = &record_no_row;
    if (warp->in_step && lane != warp->turn)
        leave_step(warp);
    else if (warp->in_step)
        l->row = l->first = warp->rows;
    l->next = &warp->rows[warp->count[lane]].address[lane];
    l->end = warp->rows[TRACE_ROWS].address;
    l->last_block = warp->last_block[lane];
    l->outside = 0;
    l->calls = warp->calls[lane];
    for (unsigned i = 1; i < l->calls && i < TRACE_DEPTH; i++)
        l->callers[i] = warp->callers[lane][i];
}

/* All lanes that still exist continue; in step, if they are the warp's first ones. */
void record_behind_barrier(struct trace_warp *warp) {
    unsigned left = 0;
    for (unsigned i = 0; i < WARP; i++)
        left |= warp->count[i];
    warp->runs = warp->exist;
    if (left || warp->deep || warp->exist & (warp->exist + 1)) {
        if (warp->in_step)
            leave_step(warp);
    } else {
        warp->in_step = 1;
        warp->turn = 0;
    }
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
        record_save(warp, lane, 0);
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
    if (!recorder->plain) {
        recorder->plain = warp_get();
        l->first = recorder->plain->rows;
        l->expected = recorder->plain->expected;
    } else if (l->first != recorder->plain->rows) {
        l->first = l->expected = recorder->plain->rows;
        rows_fresh(l->first, TRACE_ROWS + 1);
    }
    recorder->plain->number = recorder->plain->fenced = 0;
    recorder->uneven = recorder->apart = 0;
    l->end = recorder->plain->rows[TRACE_ROWS].address;
    l->calls = 0;
    l->last_block = 0; /* kernels without functions that are called do not say so each time */
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

void record_go_apart(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    unsigned lane = record_lane();
    if (recorder->running) {
        leave_step(recorder->running);
        return;
    }
    if (l->row > l->expected)
        come_further(lane);
    else
        pass_over(lane);
    write_out(recorder->plain, lane, (size_t)(l->row - l->first));
    recorder->apart |= 1u << lane;
    l->next = &l->row->address[lane];
    l->row = &record_no_row;
}

static unsigned events_of(const struct cpu_device_trace_lane *l) {
    if (record_alone())
        return (unsigned)(l->next - l->first->address) / EVENT_ROW;
    return (unsigned)(l->row - l->first);
}

/* All lanes but the uneven ones end at `expected`, and none in the fast path after it. */
int cpu_device_trace_uneven(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (recorder_state != RECORDING || cpu_device_one_by_one)
        return cpu_device_one_by_one;
    unsigned lane = record_lane();
    if (!record_alone() && l->row > l->expected) {
        come_further(lane);
        return 0;
    }
    if (!record_alone())
        pass_over(lane);
    if (lane || record_alone())
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
            write_out(warp, i, warp->count[i]);
        if (warp->count[i] > most)
            most = warp->count[i];
    }
    rows_fresh(warp->rows, most + 1);
    warp->expected = warp->rows;
    warp->in_step = 0;
    return warp;
}

/* Those of `lanes` that came to a row of the fast path. */
static unsigned lanes_at(const struct trace_event_row *row, unsigned lanes) {
    unsigned number = (unsigned)(row - recorder->plain->rows);
    return lanes & ~LANES_WHERE(i, recorder->uneven, recorder->count[i] <= number);
}

/* Prepares the rows for the next warp, which probably does the same, further on. */
static void hand_on(struct trace_event_row *row, const struct trace_event_row *end) {
    for (; row < end; row++) {
        if (row->base == OUT_OF_LINE)
            continue;
        row->base = row->next;
        row->first = 0;
        if (!record_in_space(row->common, row->base, row->stride))
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
    struct trace_warp *warp = recorder->plain;
    if (recorder->uneven || recorder->apart) {
        if (!record_alone())
            record_go_apart();
        plain_warp(lane);
        record_save(warp, lane, 0);
    } else { /* its lanes may stay in step */
        unsigned fenced = warp->fenced;
        warp_prepare(warp, warp->number);
        warp->fenced = fenced;
        warp->expected = cpu_device_trace_lane.expected;
        warp->turn = lane;
    }
    recorder->warps[warp->number] = warp;
    recorder->plain = NULL;
    recorder->running = warp;
    cpu_device_trace_lane.expected = NULL; /* run_threads asks where the thread ends */
    if (!warp->in_step)
        record_go_on(warp, lane);
    return warp;
}

/* ---- The end of it ----------------------------------------------------------------------- */

void record_nothing(void) {
    cpu_device_trace_lane.row = cpu_device_trace_lane.first = &record_no_row;
}

void record_forget(void) {
    for (unsigned i = 0; i < MAX_WARPS; i++)
        if (recorder->warps[i]) {
            rows_fresh(recorder->warps[i]->rows, TRACE_ROWS + 1);
            recorder->warps[i]->expected = recorder->warps[i]->rows;
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
