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

__thread struct cpu_device_trace_lane cpu_device_trace_lane;

enum state { ON_HOST, IN_UNTRACED_BLOCK, RECORDING };

struct context {
    struct trace_worker worker;
    struct trace_warp *warps[TRACE_MAX_WARPS]; /* of the current block, where one is in use */
    struct trace_warp *plain, *free;
    struct trace_warp *running; /* of the thread that runs, outside of the plain loop */
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

static __attribute__((noinline)) void full(void);

HOT void put(uint64_t place, uint64_t address) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    uint64_t *next = l->next;
    next[0] = address;
    next[TRACE_WARP] = place;
    next += ROW;
    l->next = next;
    if (UNLIKELY(next >= l->end))
        full();
}

static unsigned linear_thread(void) {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static struct trace_warp *running_warp(void) { return self->running ? self->running : self->plain; }

static _Noreturn void give_up(int error) { cpu_device_abandon(error); }

/* An event that has no place of its own: it stands in the running basic block, not before the last
 * access. */
static uint64_t here(unsigned kind) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    const struct trace_warp *warp = running_warp();
    uint64_t pc = l->last_block, last = 0;
    if (l->next >= warp->rows[1].address)
        last = l->next[TRACE_WARP - ROW];
    if (last >> 16 > pc && !(last & EVENT_KIND))
        pc = last >> 16;
    return trace_event_place((uintptr_t)pc, kind);
}

/* clang loads threadIdx and its like with a callback, constant or not. */
static int is_built_in(uintptr_t address) {
    return address - (uintptr_t)&threadIdx < sizeof threadIdx ||
           address - (uintptr_t)&blockIdx < sizeof blockIdx ||
           address - (uintptr_t)&blockDim < sizeof blockDim ||
           address - (uintptr_t)&gridDim < sizeof gridDim;
}

/* Not device memory, or not in a kernel. */
static __attribute__((noinline)) void elsewhere(const void *p, unsigned code, unsigned bytes,
                                                const void *pc) {
    uintptr_t address = (uintptr_t)p;
    enum trace_op op = (enum trace_op)((code & EVENT_OP) >> 3);
    if (state != RECORDING) {
        if (state == ON_HOST && address - memory_base < memory_bytes)
            trace_check_host(p, bytes, op, pc);
        return;
    }
    if (address - stack_low < stack_bytes || is_built_in(address))
        return;
    if (trace_shared_near(p)) {
        put(trace_event_place((uintptr_t)pc, code | EVENT_SHARED), address);
        return;
    }
    int error = cudaErrorIllegalAddress;
    int global = trace_check_outside(&self->worker, p, bytes, op, pc, &error);
    if (global > 0)
        put(trace_event_place((uintptr_t)pc, code), address);
    else if (global < 0)
        give_up(error);
}

HOT void access(const void *p, unsigned code, const void *pc) {
    uintptr_t address = (uintptr_t)p;
    if (UNLIKELY(address - memory_base >= cpu_device_trace_lane.range))
        elsewhere(p, code, 1u << (code & EVENT_LOG2_BYTES), pc);
    else
        put(trace_event_place((uintptr_t)pc, code), address);
}

/* A volatile store may tell another block that data is ready, as an atomic operation may. */
static void release(const volatile void *address) {
    if (!(running_warp()->fenced >> linear_thread() % TRACE_WARP & 1))
        return;
    uint64_t time = trace_check_atomic((const void *)address);
    if (time)
        put(here(EVENT_RELEASE), time);
}

enum { LOAD = TRACE_LOAD << 3, STORE = TRACE_STORE << 3, ATOMIC = TRACE_ATOMIC << 3 };

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
    void __tsan_unaligned_read##bytes(const void *p) { access(p, LOAD | log2_bytes, CALLER); }     \
    void __tsan_unaligned_write##bytes(const void *p) { access(p, STORE | log2_bytes, CALLER); }   \
    void __tsan_volatile_read##bytes(const void *p) {                                              \
        access(p, LOAD | EVENT_VOLATILE | log2_bytes, CALLER);                                     \
    }                                                                                              \
    void __tsan_volatile_write##bytes(const void *p) {                                             \
        if (state == RECORDING)                                                                    \
            release(p);                                                                            \
        access(p, STORE | EVENT_VOLATILE | log2_bytes, CALLER);                                    \
    }                                                                                              \
    void __tsan_unaligned_volatile_read##bytes(const void *p) {                                    \
        access(p, LOAD | EVENT_VOLATILE | log2_bytes, CALLER);                                     \
    }                                                                                              \
    void __tsan_unaligned_volatile_write##bytes(const void *p) {                                   \
        access(p, STORE | EVENT_VOLATILE | log2_bytes, CALLER);                                    \
    }
ACCESSES(1, 0)
ACCESSES(2, 1)
ACCESSES(4, 2)
ACCESSES(8, 3)
ACCESSES(16, 4)

/* A struct that is copied whole and is not aligned to 8 bytes, or is larger than 16: it moves member
 * by member. Their types are not known here: words of 4 bytes, where address and size allow it. */
static void range(const char *p, size_t bytes, unsigned code, const void *pc) {
    unsigned log2_bytes = 2;
    while (log2_bytes && (((uintptr_t)p | bytes) & ((1u << log2_bytes) - 1)))
        log2_bytes--;
    for (size_t i = 0; i < bytes; i += (size_t)1 << log2_bytes)
        access(p + i, code | EVENT_RANGE | log2_bytes, pc);
}
/* memcpy and its relatives (trace_libc.c). */
void trace_range(const void *p, size_t bytes, enum trace_op op, const void *pc) {
    if (cpu_device_trace_lane.range)
        range(p, bytes, op == TRACE_STORE ? STORE : LOAD, pc);
    else if (state == ON_HOST && (uintptr_t)p - memory_base < memory_bytes)
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
        put(trace_event_place((uintptr_t)caller, EVENT_CALL), 0);
        l->last_block = 0;
    }
}
void __tsan_func_exit(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    unsigned calls = --l->calls;
    if (UNLIKELY(calls) && l->range) {
        put(here(EVENT_RETURN), 0);
        l->last_block = calls < TRACE_DEPTH ? l->callers[calls] : 0;
    }
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    uintptr_t pc = (uintptr_t)CALLER;
    if (UNLIKELY(pc <= l->last_block) && l->range)
        put(here(EVENT_BACK), 0);
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
    running_warp()->fenced |= 1u << linear_thread() % TRACE_WARP;
    put(here(EVENT_FENCE), 0);
}
void __tsan_atomic_signal_fence(int order) { (void)order; }

/* ---- Buffers ----------------------------------------------------------------------------- */

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
    return warp;
}

static void warp_prepare(struct trace_warp *warp, unsigned number) {
    unsigned rest = self->worker.threads - number * TRACE_WARP;
    warp->number = number;
    warp->exist = rest >= TRACE_WARP ? ~0u : (1u << rest) - 1;
    warp->runs = warp->exist;
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
    l->next = &warp->rows[warp->count[lane]].address[lane];
    l->end = warp->rows[TRACE_ROWS].address;
    l->last_block = warp->last_block[lane];
    l->calls = warp->calls[lane];
    for (unsigned i = 1; i < l->calls && i < TRACE_DEPTH; i++)
        l->callers[i] = warp->callers[lane][i];
}

static void replay_or_give_up(struct trace_warp *warp) {
    int error = trace_replay(&self->worker, warp);
    if (error)
        give_up(error);
}

/* No room for the running thread's next event: the others of its warp must come so far, too. */
static void full(void) {
    unsigned thread = linear_thread(), lane = thread % TRACE_WARP;
    for (;;) {
        if (!cpu_device_one_by_one)
            cpu_device_leave_plain_loop();
        struct trace_warp *warp = warp_of(thread);
        save(warp, lane);
        replay_or_give_up(warp);
        go_on(warp, lane);
        if (warp->count[lane] < TRACE_ROWS)
            return;
        cpu_device_step_aside((thread / TRACE_WARP + 1) * TRACE_WARP);
    }
}

/* ---- The plain loop (launch.h) ----------------------------------------------------------- */

static void plain_begin(void) {
    struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    if (!self->plain)
        self->plain = warp_get();
    self->plain->number = self->plain->fenced = 0;
    l->first = self->plain->rows[0].address;
    l->end = self->plain->rows[TRACE_ROWS].address;
}

/* The warp of the plain loop becomes one like any other: `lanes` of it have run. */
static struct trace_warp *plain_warp(unsigned lanes) {
    struct trace_warp *warp = self->plain;
    unsigned fenced = warp->fenced;
    warp_prepare(warp, warp->number);
    warp->fenced = fenced;
    for (unsigned i = 0; i < lanes; i++)
        warp->count[i] = (unsigned)(cpu_device_trace_lane.ends[i] - warp->rows[0].address) / ROW;
    return warp;
}

void cpu_device_trace_warp(unsigned lanes) {
    const struct cpu_device_trace_lane *l = &cpu_device_trace_lane;
    struct trace_warp *warp = self->plain;
    ptrdiff_t differ = 0;
    unsigned done = 0, count = (unsigned)(l->ends[0] - l->first) / ROW;
    if (state != RECORDING)
        return;
    /* In step, as nearly always? */
    for (unsigned i = 0; i < lanes; i++)
        differ |= (l->ends[i] - l->first - i) ^ (l->ends[0] - l->first);
    if (lanes == TRACE_WARP && !differ) {
        int error = trace_replay_rows(&self->worker, warp->number, warp->rows, count, &done);
        if (error)
            give_up(error);
    }
    if (done < count || differ || lanes < TRACE_WARP) {
        plain_warp(lanes)->runs = 0;
        for (unsigned i = 0; done && i < TRACE_WARP; i++)
            warp->next[i] = done;
        replay_or_give_up(warp);
    }
    warp->number++;
    warp->fenced = 0;
}

void trace_left_plain_loop(unsigned thread) {
    if (state != RECORDING)
        return;
    unsigned lane = thread % TRACE_WARP;
    struct trace_warp *warp = plain_warp(lane);
    warp->exist &= ~((1u << lane) - 1); /* the others have returned */
    warp->runs = warp->exist;
    save(warp, lane);
    self->warps[thread / TRACE_WARP] = warp;
    self->plain = NULL;
    go_on(warp, lane);
}

/* ---- Threads one by one ------------------------------------------------------------------ */

void trace_thread_begin(unsigned thread) {
    if (state != RECORDING)
        return;
    go_on(warp_of(thread), thread % TRACE_WARP);
}

void trace_suspend(unsigned thread, int waits) {
    if (state != RECORDING)
        return;
    struct trace_warp *warp = warp_of(thread);
    save(warp, thread % TRACE_WARP);
    if (waits)
        warp->runs &= ~(1u << thread % TRACE_WARP);
}

void trace_resume(unsigned thread) {
    if (state != RECORDING)
        return;
    struct trace_warp *warp = warp_of(thread);
    warp->runs |= 1u << thread % TRACE_WARP;
    go_on(warp, thread % TRACE_WARP);
    if (warp->count[thread % TRACE_WARP] >= TRACE_ROWS)
        full();
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
    replay_or_give_up(warp);
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
        int error = trace_replay(&self->worker, self->warps[i]);
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
    struct trace_warp *warp = self->running ? self->running : plain_warp(thread % TRACE_WARP);
    save(warp, thread % TRACE_WARP);
    warp->runs = 0;
    return trace_replay(&self->worker, warp);
}

void trace_stack(const char *low, size_t bytes) {
    stack_low = (uintptr_t)low;
    stack_bytes = bytes;
}

/* ---- Blocks, launches -------------------------------------------------------------------- */

static void record(int on) {
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
    record(some == all || (unsigned long long)((double)block * some / all) !=
                              (unsigned long long)((double)(block + 1) * some / all));
    self->running = NULL;
    if (state != RECORDING)
        return;
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
    t->traced_blocks = cpu_device_trace_blocks && cpu_device_trace_blocks < t->blocks
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
    for (unsigned i = 0; i < TRACE_MAX_WARPS; i++)
        if (self->warps[i]) { /* an abandoned kernel's */
            self->warps[i]->free = self->free;
            self->free = self->warps[i];
            self->warps[i] = NULL;
        }
    trace_check_worker_end(&self->worker);
    trace_count_worker_end(&self->worker);
}

#endif
