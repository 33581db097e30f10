/*
 * trace.c: records what the threads of a block do with memory.
 *
 * The program is compiled with -fsanitize=thread, so that each load and store calls one of the
 * functions below first, and with -fsanitize-coverage=trace-pc, so that each basic block does.
 * Threads run one after another; each writes what it does into its column of its warp's buffer.
 * trace_replay.c then brings the lanes of the warp back into step.
 *
 * For that it needs, besides the accesses, only the jumps backwards: between two events a thread
 * moves forward through the program, and what lies between has no effect.
 *
 * SPDX-License-Identifier: MIT
 */
#ifdef CPU_DEVICE_TRACE
#include "trace.h"
#include "device_abi.h"
#include "trace_abi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNLIKELY(x) __builtin_expect(x, 0)
#define HOT __attribute__((always_inline)) static inline

enum { ROW = sizeof(struct trace_event_row) / sizeof(uint64_t) };

static struct trace_event_row nothing; /* no key is 0: the row of threads that go alone */
__thread struct cpu_device_trace_lane cpu_device_trace_lane = {.row = &nothing, .first = &nothing};

enum state { ON_HOST, IN_UNTRACED_BLOCK, RECORDING };

struct context {
    struct trace_worker worker;
    struct trace_warp *warps[TRACE_MAX_WARPS]; /* of the current block, where one is in use */
    struct trace_warp *plain, *free;
    struct trace_warp *running; /* of the thread that runs, outside of the plain loop */
    /* In the plain loop: */
    unsigned uneven,
        apart; /* lanes that ended elsewhere than the others; that went their own way */
    unsigned count[TRACE_WARP]; /* of these, events */
};
static __thread struct context *self;
static __thread enum state state;
static __thread uintptr_t stack_low;
static __thread size_t stack_bytes;

static uintptr_t memory_base;
static size_t memory_bytes;
unsigned cpu_device_trace_blocks __attribute__((weak)); /* --trace=blocks:N; 0: all */

struct trace_worker *trace_worker(void) {
    return &self->worker;
}

/* ---- Events ------------------------------------------------------------------------------ */

static void full(void);
static void go_apart(void);
static int alone(void) { return cpu_device_trace_lane.row == &nothing; }

/* Other threads run first if there is no room: what stands in the buffer has taken effect, or the
 * replay, which may follow at once, would not know what a load has found. */
static void put(uint64_t place, uint64_t address) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (UNLIKELY(l->next >= l->end))
        full();
    uint64_t *next = l->next;
    next[0] = address;
    next[TRACE_WARP] = place;
    l->next = next + ROW;
}

static unsigned linear_thread(void) {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
static unsigned running_lane(void) { return linear_thread() % TRACE_WARP; }

static struct trace_warp *running_warp(void) { return self->running ? self->running : self->plain; }

static _Noreturn void give_up(int error) { cpu_device_abandon(error); }

/* An event that has no place of its own: it stands in the running basic block, not before the last
 * access. Nor do those that follow, whether or not that access is still in the buffer by then. */
static uint64_t here(unsigned kind) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    uint64_t pc = l->last_block, last = 0;
    if (!alone() && l->row > l->first)
        last = l->row[-1].common;
    else if (alone() && l->next >= running_warp()->rows[1].address)
        last = l->next[TRACE_WARP - ROW];
    if (last >> 16 > pc && !(last & EVENT_KIND))
        pc = last >> 16;
    l->last_block = (uintptr_t)pc;
    return trace_event_place((uintptr_t)pc, kind);
}

/* Something other than an access. */
static void mark(uint64_t place, uint64_t value) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_event_row *row = l->row;
    unsigned kind = (unsigned)place & EVENT_KIND;
    if (row->key == place) {
        l->row = row + 1;
        return;
    }
    if (row == l->first + TRACE_ROWS)
        full();
    else if (!alone() &&
             (kind == EVENT_FENCE || kind == EVENT_RELEASE || (row->key && running_lane() > 0)))
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
    uint64_t last = base + (TRACE_WARP - 1) * stride;
    return base - memory_base < memory_bytes && last - memory_base < memory_bytes;
}

/* An access that does not simply go on where the lanes before have led. In device memory the
 * addresses may be told by a rule. */
static void record(uint64_t place, uint64_t address) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_event_row *row = l->row;
    uint64_t lane = running_lane(), stride = 1u << (place & EVENT_LOG2_BYTES);
    if (row == l->first + TRACE_ROWS)
        full();
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
            trace_row_addresses(row, ~self->apart);
        row->next = row->base = OUT_OF_LINE;
        row->stride = 0;
        row->address[lane] = address;
    }
    l->row++;
}

/* clang loads threadIdx and its like with a callback, constant or not. */
static int is_built_in(uintptr_t address) {
    return address - (uintptr_t)&threadIdx < sizeof threadIdx ||
           address - (uintptr_t)&blockIdx < sizeof blockIdx ||
           address - (uintptr_t)&blockDim < sizeof blockDim ||
           address - (uintptr_t)&gridDim < sizeof gridDim;
}

/* Variables in these sections are declared __device__ and __constant__. */
extern char __start_cpu_device_data[] __attribute__((weak));
extern char __stop_cpu_device_data[] __attribute__((weak));
extern char __start_cpu_constant_data[] __attribute__((weak));
extern char __stop_cpu_constant_data[] __attribute__((weak));

static int is_device_variable(const char *p) {
    return (p >= __start_cpu_device_data && p < __stop_cpu_device_data) ||
           (p >= __start_cpu_constant_data && p < __stop_cpu_constant_data);
}

/* Not device memory, or not in a kernel. */
static __attribute__((noinline)) void elsewhere(const void *p, unsigned code, unsigned bytes,
                                                const void *pc) {
    uintptr_t address = (uintptr_t)p;
    enum trace_op op = (enum trace_op)((code & EVENT_OP) >> 3);
    if (state != RECORDING) {
        if (state == ON_HOST && trace_copies && !(code & EVENT_VOLATILE))
            trace_check_copies(p, bytes, op, pc);
        if (state == ON_HOST && (address - memory_base < memory_bytes || is_device_variable(p)))
            trace_check_host(p, bytes, op, pc);
        return;
    }
    if (address - stack_low < stack_bytes || is_built_in(address))
        return;
    if (trace_shared_near(p)) {
        record(trace_event_place((uintptr_t)pc, code | EVENT_SHARED), address);
        return;
    }
    int error = cudaErrorIllegalAddress;
    int global = trace_check_outside(&self->worker, p, bytes, op, pc, &error);
    if (global > 0)
        record(trace_event_place((uintptr_t)pc, code), address);
    else if (global < 0)
        give_up(error);
}

static __attribute__((noinline)) void seen(const void *p, unsigned code, const void *pc) {
    if ((uintptr_t)p - memory_base < cpu_device_trace_lane.range)
        record(trace_event_place((uintptr_t)pc, code), (uintptr_t)p);
    else
        elsewhere(p, code, 1u << (code & EVENT_LOG2_BYTES), pc);
}

HOT void access(const void *p, unsigned code, const void *pc) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_event_row *row = l->row;
    if (UNLIKELY(row->key != (uintptr_t)pc || row->next != (uintptr_t)p)) {
        seen(p, code, pc);
        return;
    }
    row->next = (uintptr_t)p + row->stride;
    l->row = row + 1;
}

/* A volatile store may tell another block that data is ready, as an atomic operation may. */
static void release(const volatile void *address) {
    if (!(running_warp()->fenced >> running_lane() & 1))
        return;
    uint64_t time = trace_check_atomic((const void *)address);
    if (time)
        mark(here(EVENT_RELEASE), time);
}

enum { LOAD = TRACE_LOAD << 3, STORE = TRACE_STORE << 3, ATOMIC = TRACE_ATOMIC << 3 };

static void range(const char *p, size_t bytes, unsigned code, const void *pc);

#define CALLER __builtin_return_address(0)
#define ACCESSES(bytes, log2_bytes)                                                                \
    void __tsan_read##bytes(const void *p);                                                        \
    void __tsan_write##bytes(const void *p);                                                       \
    void __tsan_unaligned_read##bytes(const void *p);                                              \
    void __tsan_unaligned_write##bytes(const void *p);                                             \
    void __tsan_volatile_read##bytes(const void *p);                                               \
    void __tsan_volatile_write##bytes(const void *p);                                              \
    void __tsan_unaligned_volatile_read##bytes(const void *p);                                     \
    void __tsan_unaligned_volatile_write##bytes(const void *p);                                    \
    void __tsan_read##bytes(const void *p) { access(p, LOAD | log2_bytes, CALLER); }               \
    void __tsan_write##bytes(const void *p) { access(p, STORE | log2_bytes, CALLER); }             \
    void __tsan_unaligned_read##bytes(const void *p) { range(p, bytes, LOAD, CALLER); }            \
    void __tsan_unaligned_write##bytes(const void *p) { range(p, bytes, STORE, CALLER); }          \
    void __tsan_volatile_read##bytes(const void *p) {                                              \
        access(p, LOAD | EVENT_VOLATILE | log2_bytes, CALLER);                                     \
    }                                                                                              \
    void __tsan_volatile_write##bytes(const void *p) {                                             \
        if (state == RECORDING)                                                                    \
            release(p);                                                                            \
        access(p, STORE | EVENT_VOLATILE | log2_bytes, CALLER);                                    \
    }                                                                                              \
    void __tsan_unaligned_volatile_read##bytes(const void *p) {                                    \
        range(p, bytes, LOAD | EVENT_VOLATILE, CALLER);                                            \
    }                                                                                              \
    void __tsan_unaligned_volatile_write##bytes(const void *p) {                                   \
        range(p, bytes, STORE | EVENT_VOLATILE, CALLER);                                           \
    }
ACCESSES(1, 0)
ACCESSES(2, 1)
ACCESSES(4, 2)
ACCESSES(8, 3)
ACCESSES(16, 4)

/* A struct that is copied whole and is not aligned to 8 bytes (clang: to its size), or is larger
 * than 16: it moves member by member. Their types are not known here: words of 4 bytes, where
 * address and size allow it. */
static void range(const char *p, size_t bytes, unsigned code, const void *pc) {
    unsigned log2_bytes = 2;
    while (log2_bytes && (((uintptr_t)p | bytes) & ((1u << log2_bytes) - 1)))
        log2_bytes--;
    code |= EVENT_RANGE | log2_bytes;
    for (size_t i = 0; i < bytes; i += (size_t)1 << log2_bytes)
        if (cpu_device_trace_lane.row->common == trace_event_place((uintptr_t)pc, code))
            access(p + i, code, pc);
        else /* the loads and the stores of one call have the same caller */
            seen(p + i, code, pc);
}
/* memcpy and its relatives (trace_libc.c). Their thread has come to the call even where they move
 * no byte. */
void trace_range(const void *p, size_t bytes, enum trace_op op, const void *pc) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (l->range) {
        range(p, bytes, op == TRACE_STORE ? STORE : LOAD, pc);
        if ((uintptr_t)pc > l->last_block)
            l->last_block = (uintptr_t)pc;
    } else if (bytes && state == ON_HOST && (uintptr_t)p - memory_base < memory_bytes)
        trace_check_host(p, (unsigned)bytes, op, pc);
}
void __tsan_read_range(const void *p, size_t bytes);
void __tsan_write_range(const void *p, size_t bytes);
void __tsan_read_range(const void *p, size_t bytes) { range(p, bytes, LOAD, CALLER); }
void __tsan_write_range(const void *p, size_t bytes) { range(p, bytes, STORE, CALLER); }

void __tsan_vptr_update(void **p, void *value);
void __tsan_vptr_read(void **p);
void __tsan_vptr_update(void **p, void *value) { (void)p, (void)value; }
void __tsan_vptr_read(void **p) { (void)p; }

void __tsan_init(void);
void __tsan_init(void) {}

void __tsan_func_entry(const void *caller);
void __tsan_func_exit(void);
void __tsan_func_entry(const void *caller) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    unsigned calls = l->calls++;
    if (UNLIKELY(calls) && l->range) {
        if (calls < TRACE_DEPTH)
            l->callers[calls] = (uintptr_t)caller;
        mark(trace_event_place((uintptr_t)caller, EVENT_CALL), 0);
    }
    l->last_block = 0;
}
void __tsan_func_exit(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    unsigned calls = l->calls - 1;
    if (UNLIKELY(calls) && l->range) {
        mark(here(EVENT_RETURN), 0); /* others may run here: the caller is kept till then */
        l->last_block = calls < TRACE_DEPTH ? l->callers[calls] : 0;
    }
    l->calls = calls;
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    uintptr_t pc = (uintptr_t)CALLER;
    if (UNLIKELY(pc <= l->last_block) && l->range)
        mark(here(EVENT_BACK), 0);
    l->last_block = pc;
}

void cpu_device_trace_atomic(const volatile void *address, unsigned bytes, int compare) {
    if (state != RECORDING)
        return;
    release(address);
    unsigned log2_bytes = (unsigned)__builtin_ctz(bytes);
    access((const void *)address, ATOMIC | (compare ? EVENT_COMPARE : 0) | log2_bytes, CALLER);
}

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_thread_fence(int order) { /* __threadfence and its relatives */
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (state != RECORDING)
        return;
    running_warp()->fenced |= 1u << running_lane();
    mark(here(EVENT_FENCE), 0);
}
void __tsan_atomic_signal_fence(int order) { (void)order; }

/* ---- Buffers ----------------------------------------------------------------------------- */

static void rows_fresh(struct trace_event_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        rows[i].key = 0;
}

static struct trace_warp *warp_get(void) {
    struct trace_warp *warp = self->free;
    if (warp) {
        self->free = warp->free;
        return warp;
    }
    if (posix_memalign((void **)&warp, 64, sizeof *warp)) {
        fprintf(stderr, "CPU device: no memory for the tracer's buffers\n");
        abort();
    }
    memset(warp, 0, sizeof *warp);
    return warp;
}

static void warp_prepare(struct trace_warp *warp, unsigned number) {
    unsigned rest = self->worker.threads - number * TRACE_WARP;
    warp->number = number;
    warp->exist = rest >= TRACE_WARP ? ~0u : (1u << rest) - 1;
    warp->runs = warp->exist;
    warp->begun = warp->full = 0;
    warp->fenced = warp->sync_number = 0;
    memset(warp->next, 0, sizeof warp->next);
    memset(warp->count, 0, sizeof warp->count);
    memset(warp->depth, 0, sizeof warp->depth);
    warp->deep = 0;
    memset(warp->calls, 0, sizeof warp->calls);
    memset(warp->last_block, 0, sizeof warp->last_block);
}

static struct trace_warp *warp_of(unsigned thread) {
    struct trace_warp **warp = &self->warps[thread / TRACE_WARP];
    if (!*warp) {
        *warp = warp_get();
        warp_prepare(*warp, thread / TRACE_WARP);
    }
    return *warp;
}

/* The running thread's events end here, or go on here. */
static void save(struct trace_warp *warp, unsigned lane) {
    const struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    warp->count[lane] = (unsigned)(l->next - warp->rows[0].address) / ROW;
    warp->last_block[lane] = l->last_block;
    warp->calls[lane] = l->calls;
    for (unsigned i = 1; i < l->calls && i < TRACE_DEPTH; i++)
        warp->callers[lane][i] = l->callers[i];
}
static void go_on(struct trace_warp *warp, unsigned lane) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    self->running = warp;
    l->row = &nothing;
    l->next = &warp->rows[warp->count[lane]].address[lane];
    l->end = warp->rows[TRACE_ROWS].address;
    l->last_block = warp->last_block[lane];
    l->calls = warp->calls[lane];
    for (unsigned i = 1; i < l->calls && i < TRACE_DEPTH; i++)
        l->callers[i] = warp->callers[lane][i];
}

static void replay_or_give_up(struct trace_warp *warp, int first) {
    int error = trace_replay(&self->worker, warp, first);
    if (error)
        give_up(error);
}

enum { PATIENCE = 1 << 16 };

/* No room for the running thread's next event: the others of its warp must come so far, too. If
 * they never do, they wait in a loop for something that this thread will do. Those that do not even
 * ask for anything may just have a long way to go. */
static void full(void) {
    unsigned thread = linear_thread(), lane = thread % TRACE_WARP;
    if (!cpu_device_one_by_one)
        cpu_device_leave_plain_loop();
    struct trace_warp *warp = warp_of(thread);
    warp->full |= 1u << lane;
    for (unsigned waited = 0, polls = 0;; waited += warp->polls != polls ? TRACE_ROWS : 1) {
        save(warp, lane);
        replay_or_give_up(warp, waited < PATIENCE ? TRACE_IN_ORDER : (int)lane);
        waited %= PATIENCE;
        go_on(warp, lane);
        if (warp->count[lane] < TRACE_ROWS)
            break;
        polls = warp->polls;
        cpu_device_step_aside(warp->exist & ~warp->begun ? self->worker.threads : 0);
    }
    warp->full &= ~(1u << lane);
}

/* ---- The plain loop (launch.h) ----------------------------------------------------------- */

static void plain_begin(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (!self->plain)
        self->plain = warp_get();
    self->plain->number = self->plain->fenced = 0;
    self->uneven = self->apart = 0;
    if (l->first != self->plain->rows) {
        l->first = l->expected = self->plain->rows;
        rows_fresh(l->first, TRACE_ROWS + 1);
    }
    l->end = self->plain->rows[TRACE_ROWS].address;
    l->calls = 0;
    l->last_block = 0; /* kernels without functions that are called do not say so each time */
}

/* What the lane did as the others did is written into its own column. */
static void write_out(unsigned lane, size_t count) {
    struct trace_event_row *row = self->plain->rows;
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
    self->uneven |= 1u << lane;
    self->count[lane] = count;
}

/* The running thread has come past `expected`, where those before it ended. The lanes after it are
 * to find its rows before `expected`: only there does each lane that stays away pass them over. */
static void come_further(unsigned lane) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    for (unsigned i = 0; i < lane; i++)
        if (!(self->uneven >> i & 1))
            ended(i, (unsigned)(l->expected - l->first));
    l->expected = l->row;
}

/* The running thread does something else than the lanes of its warp before it did. */
static void go_apart(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    unsigned lane = running_lane();
    if (l->row > l->expected)
        come_further(lane);
    else
        pass_over(lane);
    write_out(lane, (size_t)(l->row - l->first));
    self->apart |= 1u << lane;
    l->next = &l->row->address[lane];
    l->row = &nothing;
}

static unsigned events_of(const struct cpu_device_trace_lane *l) {
    if (alone())
        return (unsigned)(l->next - l->first->address) / ROW;
    return (unsigned)(l->row - l->first);
}

/* All lanes but the uneven ones end at `expected`, and none in the plain loop after it. */
int cpu_device_trace_uneven(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (state != RECORDING || cpu_device_one_by_one)
        return cpu_device_one_by_one;
    unsigned lane = running_lane();
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

/* The warp of the plain loop becomes one like any other: `lanes` of it have returned. */
static struct trace_warp *plain_warp(unsigned lanes) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_warp *warp = self->plain;
    unsigned fenced = warp->fenced, most = events_of(l);
    warp_prepare(warp, warp->number);
    warp->fenced = fenced;
    for (unsigned i = 0; i < lanes; i++) {
        warp->count[i] =
            self->uneven >> i & 1 ? self->count[i] : (unsigned)(l->expected - l->first);
        if (!(self->apart >> i & 1))
            write_out(i, warp->count[i]);
        if (warp->count[i] > most)
            most = warp->count[i];
    }
    rows_fresh(warp->rows, most + 1);
    return warp;
}

/* Those of `lanes` that came to a row of the plain loop. */
static unsigned lanes_at(const struct trace_event_row *row, unsigned lanes) {
    unsigned number = (unsigned)(row - self->plain->rows);
    for (unsigned rest = self->uneven; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        if (self->count[i] <= number)
            lanes &= ~(1u << i);
    }
    return lanes;
}

/* The next warp does the same, it is supposed, and goes on where this one has ended. */
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
    struct trace_warp *warp = self->plain;
    unsigned all = lanes == TRACE_WARP ? ~0u : (1u << lanes) - 1;
    int error = 0;
    if (state != RECORDING)
        return;
    if (self->apart) {
        plain_warp(lanes)->runs = 0;
        error = trace_replay(&self->worker, warp, TRACE_IN_ORDER);
    } else {
        struct trace_event_row *row = warp->rows, *end = l->expected;
        unsigned number = warp->number, uneven = self->uneven;
        for (; !error && row < end; row++)
            error = trace_replay_row(&self->worker, number, row, uneven ? lanes_at(row, all) : all);
    }
    if (error)
        give_up(error);
    if (self->uneven) {
        rows_fresh(warp->rows, (size_t)(l->expected - l->first));
        l->expected = l->first;
    } else {
        hand_on(l->first, l->expected);
    }
    warp->number++;
    warp->fenced = self->uneven = self->apart = 0;
}

static struct trace_warp *leave_plain(unsigned lane) {
    if (!alone())
        go_apart();
    struct trace_warp *warp = plain_warp(lane);
    save(warp, lane);
    self->warps[warp->number] = warp;
    self->plain = NULL;
    go_on(warp, lane);
    return warp;
}

void trace_left_plain_loop(unsigned thread) {
    if (state != RECORDING)
        return;
    unsigned lane = thread % TRACE_WARP;
    struct trace_warp *warp = leave_plain(lane);
    warp->begun = 1u << lane;
    warp->exist &= ~(warp->begun - 1); /* the others have returned */
    warp->runs = warp->exist;
}

/* ---- Threads one by one ------------------------------------------------------------------ */

void trace_thread_begin(unsigned thread) {
    if (state != RECORDING)
        return;
    struct trace_warp *warp = warp_of(thread);
    warp->begun |= 1u << thread % TRACE_WARP;
    go_on(warp, thread % TRACE_WARP);
}

void trace_suspend(unsigned thread, int waits) {
    if (state != RECORDING)
        return;
    struct trace_warp *warp = warp_of(thread);
    save(warp, thread % TRACE_WARP);
    if (waits)
        warp->runs &= ~(1u << thread % TRACE_WARP);
}

void trace_released(unsigned thread) {
    if (state == RECORDING)
        warp_of(thread)->runs |= 1u << thread % TRACE_WARP;
}

void trace_resume(unsigned thread) {
    if (state != RECORDING)
        return;
    struct trace_warp *warp = warp_of(thread);
    unsigned lane = thread % TRACE_WARP;
    warp->runs |= 1u << lane;
    go_on(warp, lane);
    if (warp->count[lane] >= TRACE_ROWS && !(warp->full >> lane & 1))
        full();
}

void trace_polled(void) {
    if (state == RECORDING)
        running_warp()->polls++;
}

/* The warp's last thread to return replays the rest, so that its buffer can serve another. */
void trace_thread_end(unsigned thread) {
    if (state != RECORDING)
        return;
    trace_suspend(thread, 1);
    struct trace_warp *warp = warp_of(thread);
    warp->exist &= ~(1u << thread % TRACE_WARP);
    if (warp->exist)
        return;
    replay_or_give_up(warp, TRACE_IN_ORDER);
    self->warps[thread / TRACE_WARP] = NULL;
    self->running = NULL;
    warp->free = self->free;
    self->free = warp;
}

void trace_warp_together(unsigned number, unsigned lanes) {
    if (state != RECORDING)
        return;
    struct trace_warp *warp = self->warps[number];
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
    if (state != RECORDING)
        return 0;
    for (unsigned i = 0; i < TRACE_MAX_WARPS; i++) {
        if (!self->warps[i])
            continue;
        unsigned runs = self->warps[i]->runs;
        self->warps[i]->runs = 0;
        int error = trace_replay(&self->worker, self->warps[i], TRACE_IN_ORDER);
        self->warps[i]->runs = runs;
        if (error)
            return error;
    }
    return 0;
}

void trace_barrier_wait(unsigned thread, const void *pc) {
    if (state == RECORDING)
        trace_check_barrier_wait(&self->worker, thread, pc);
}

int trace_barrier(unsigned finished) {
    if (state != RECORDING)
        return 0;
    int error = trace_rest();
    if (error)
        return error;
    for (unsigned i = 0; i < TRACE_MAX_WARPS; i++)
        if (self->warps[i])
            self->warps[i]->runs = self->warps[i]->exist;
    trace_check_barrier(&self->worker, finished);
    self->worker.epoch++;
    return 0;
}

int trace_deadlock(void) {
    if (state != RECORDING)
        return 0;
    int error = trace_rest();
    if (error)
        return error;
    trace_check_deadlock(&self->worker);
    return cudaErrorLaunchTimeout;
}

int trace_fault(void) {
    if (state != RECORDING || (!self->running && !self->plain))
        return 0;
    unsigned thread = linear_thread();
    struct trace_warp *warp = self->running ? self->running : leave_plain(thread % TRACE_WARP);
    save(warp, thread % TRACE_WARP);
    warp->runs = 0;
    return trace_replay(&self->worker, warp, TRACE_IN_ORDER);
}

void trace_stack(const char *low, size_t bytes) {
    stack_low = (uintptr_t)low;
    stack_bytes = bytes;
}

/* ---- Blocks, launches -------------------------------------------------------------------- */

static void recording(int on) {
    state = on ? RECORDING : IN_UNTRACED_BLOCK;
    cpu_device_trace_lane.range = on ? memory_bytes : 0;
}

void trace_block_begin(unsigned long long block, unsigned long long position) {
    struct trace_worker *w = &self->worker;
    unsigned long long all = w->launch->blocks, some = w->record->traced_blocks;
    w->block = block;
    w->position = position;
    w->epoch = 0;
    /* Spread evenly: the blocks where the count of those before, scaled, takes a step. */
    recording(some == all || (unsigned long long)((double)block * some / all) !=
                                 (unsigned long long)((double)(block + 1) * some / all));
    self->running = NULL;
    if (state != RECORDING) {
        cpu_device_trace_lane.first = &nothing;
        return;
    }
    trace_check_block_begin(w);
    plain_begin();
}

void trace_block_end(void) {
    if (state != RECORDING)
        return;
    trace_check_block_end(&self->worker);
}

static pthread_mutex_t launches_lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace_launch *launches, **launches_end = &launches;
static unsigned launch_count;

void trace_launch_queued(struct cpu_device_launch *l) {
    struct trace_launch *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->kernel = l->name = trace_kernel_name(l->name, l->function);
    memcpy(t->grid, l->grid_dim, sizeof t->grid);
    memcpy(t->block, l->block_dim, sizeof t->block);
    t->blocks = (unsigned long long)t->grid[0] * t->grid[1] * t->grid[2];
    t->shared_bytes = l->shared_bytes;
    t->traced_blocks = !l->traced ? 0
                       : cpu_device_trace_blocks && cpu_device_trace_blocks < t->blocks
                           ? cpu_device_trace_blocks
                           : t->blocks;
    t->arguments = l->trace_arguments;
    l->trace = t;
    pthread_mutex_lock(&launches_lock);
    t->number = launch_count++;
    *launches_end = t;
    launches_end = &t->next;
    pthread_mutex_unlock(&launches_lock);
}

void trace_count_each(void (*visit)(const struct trace_launch *launch, void *data), void *data) {
    pthread_mutex_lock(&launches_lock);
    for (struct trace_launch *t = launches; t; t = t->next)
        if (t->done)
            visit(t, data);
    pthread_mutex_unlock(&launches_lock);
}

void trace_start(void) { cpu_device_memory_range(&memory_base, &memory_bytes); }
int trace_started(void) { return memory_bytes != 0; }

void trace_launch_begin(struct cpu_device_launch *l) {
    l->trace->map = trace_map_take();
    trace_check_launch_begin(l->trace, l);
}

void trace_launch_end(struct cpu_device_launch *l) {
    l->trace->done = 1;
    trace_count_launch_end(l->trace);
    trace_check_launch_end(l->trace, l);
    trace_map_give(l->trace->map);
    l->trace->map = NULL;
}

void trace_join(struct cpu_device_launch *l) {
    if (!self) {
        self = calloc(1, sizeof *self);
        if (!self)
            abort();
    }
    struct trace_worker *w = &self->worker;
    w->launch = l;
    w->record = l->trace;
    w->map = l->trace->map;
    w->threads = l->block_dim[0] * l->block_dim[1] * l->block_dim[2];
    trace_shared_start();
    trace_count_worker_begin(w);
    trace_check_worker_begin(w);
}

void trace_leave(void) {
    state = ON_HOST;
    cpu_device_trace_lane.range = 0;
    cpu_device_trace_lane.row = cpu_device_trace_lane.first = &nothing;
    for (unsigned i = 0; i < TRACE_MAX_WARPS; i++)
        if (self->warps[i]) { /* an abandoned kernel's */
            self->warps[i]->free = self->free;
            self->free = self->warps[i];
            self->warps[i] = NULL;
        }
    trace_check_worker_end(&self->worker);
    trace_count_worker_end(&self->worker);
}

void trace_thread_ends(void) {
    if (!self)
        return;
    for (struct trace_warp *warp = self->free, *next; warp; warp = next) {
        next = warp->free;
        free(warp);
    }
    free(self->plain);
    trace_count_thread_ends(&self->worker);
    free(self);
    self = NULL;
}

#endif
