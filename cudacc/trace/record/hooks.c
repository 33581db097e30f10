/*
 * hooks.c: the program is compiled with -fsanitize=thread, so that each load and store calls one of
 * the functions below first, and with -fsanitize-coverage=trace-pc, so that each basic block does.
 *
 * To reconverge lanes takes, besides the accesses, only the jumps backwards: between two
 * events a thread moves forward through the program, and what lies between has no effect.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"

/* What is called at each access has no register to save, for that it calls nothing but in its last
 * step, which is a jump: all that is rare stands in functions of its own. */
#define LIKELY(x) __builtin_expect(x, 1)
#define UNLIKELY(x) __builtin_expect(x, 0)
#define HOT __attribute__((always_inline)) static inline
#define RARE __attribute__((noinline)) static

/* What the tracer may need of a stack: it must not fault with a lock held. */
enum { STACK_RESERVE = 64 << 10 };

/* The thread's own, which nobody else uses. (clang loads threadIdx and its like with a callback,
 * constant or not.) */
static int is_own(uintptr_t address) {
    return address - recorder_stack < recorder_stack_bytes ||
           record_holds_built_in(address, address + 1);
}

static int is_device_variable(const char *p) {
    return (p >= __start_cpu_device_data && p < __stop_cpu_device_data) ||
           (p >= __start_cpu_constant_data && p < __stop_cpu_constant_data);
}

/* On the host, and the device may be concerned. */
RARE void on_host(const void *p, size_t bytes, unsigned code, const void *pc) {
    enum trace_op op = (enum trace_op)((code & EVENT_OP) >> 3);
    if (trace_unwaited)
        trace_streams_host(p, bytes, op, pc, (code & EVENT_VOLATILE) != 0);
    if ((uintptr_t)p - recorder_memory < recorder_memory_bytes || is_device_variable(p))
        trace_check_host(p, (unsigned)bytes, op, pc);
}

/* In a kernel, and not device memory. */
RARE void elsewhere(const void *p, unsigned code, const void *pc) {
    uintptr_t address = (uintptr_t)p;
    enum trace_op op = (enum trace_op)((code & EVENT_OP) >> 3);
    if (is_own(address))
        return;
    if (trace_shared_near(p)) {
        record_access(trace_event_place((uintptr_t)pc, code | EVENT_SHARED), address);
        return;
    }
    int error = cudaErrorIllegalAddress;
    int global =
        trace_check_outside(&recorder->worker, p, 1u << (code & EVENT_LOG2_BYTES), op, pc, &error);
    if (global > 0)
        record_access(trace_event_place((uintptr_t)pc, code), address);
    else if (global < 0)
        cpu_device_abandon(error);
}

void trace_past_end(const void *p, int stores, const void *pc) {
    enum trace_op op = stores ? TRACE_STORE : TRACE_LOAD;
    if (recorder_state != RECORDING)
        return;
    int error = trace_check_past_end(&recorder->worker, p, op, pc);
    if (error)
        cpu_device_abandon(error);
}

static void touch(const void *p, unsigned bytes) {
    if ((uintptr_t)p - recorder_memory < recorder_memory_bytes)
        trace_unseen_touch(p, bytes);
}

/* Does the access continue the row of the lanes before? */
HOT int in_line(const void *p, const void *pc) {
    struct cpu_device_trace_lane *l = &record_now;
    struct trace_event_row *row = l->row;
    if (UNLIKELY(row->key != (uintptr_t)pc || row->next != (uintptr_t)p))
        return 0;
    row->next = (uintptr_t)p + row->stride;
    l->row = row + 1;
    return 1;
}

RARE void seen_in_kernel(const void *p, unsigned code, const void *pc) {
    if ((uintptr_t)p - recorder_shared < recorder_shared_bytes && !is_own((uintptr_t)p))
        record_access(trace_event_place((uintptr_t)pc, code | EVENT_SHARED), (uintptr_t)p);
    else
        elsewhere(p, code, pc);
}

static __attribute__((noinline)) void seen(const void *p, unsigned code, const void *pc) {
    if (LIKELY((uintptr_t)p - recorder_memory < record_now.range))
        record_access(trace_event_place((uintptr_t)pc, code), (uintptr_t)p);
    else if ((uintptr_t)p - recorder_variables < recorder_variables_bytes)
        record_access(trace_event_place((uintptr_t)pc, code | EVENT_SHARED), (uintptr_t)p);
    else if (record_now.range)
        seen_in_kernel(p, code, pc);
    else if (recorder_state == ON_HOST &&
             (trace_unwaited || (uintptr_t)p - recorder_memory < recorder_memory_bytes ||
              is_device_variable(p)))
        on_host(p, (size_t)1 << (code & EVENT_LOG2_BYTES), code, pc);
}

RARE void seen_scrambled(const void *p, unsigned code, const void *pc) {
    touch(p, 1u << (code & EVENT_LOG2_BYTES));
    if (!in_line(p, pc))
        seen(p, code, pc);
}

enum { LOAD = TRACE_LOAD << 3, STORE = TRACE_STORE << 3, ATOMIC = TRACE_ATOMIC << 3 };

HOT void access(const void *p, unsigned code, const void *pc) {
    if (UNLIKELY(trace_scrambled))
        seen_scrambled(p, code, pc);
    else if (!in_line(p, pc))
        seen(p, code, pc);
}

/* A volatile store may tell another block that data is ready, as an atomic operation may. */
static void release(const volatile void *address) {
    if (!(record_warp()->fenced >> record_lane() & 1))
        return;
    uint64_t time = trace_race_sync_op((const void *)address);
    if (time)
        record_mark(record_here(EVENT_RELEASE), time);
}

/* What the kernel's parameter that leads to this address points to: its alignment, if it is a
 * struct; else 0. */
static size_t alignment_of(const void *p) {
    static __thread struct { /* where it was asked last */
        uint64_t launch;
        uintptr_t base, bytes;
        size_t alignment;
    } last;
    if (recorder_state != RECORDING)
        return 0;
    const struct trace_worker *w = &recorder->worker;
    uint64_t launch = w->record->number;
    if (last.launch != launch || (uintptr_t)p - last.base >= last.bytes) {
        const struct trace_allocation *a = trace_map_find(w->map, p);
        const struct cpu_device_element *element = a ? trace_element(w->launch, a) : NULL;
        last.launch = launch;
        last.base = a ? (uintptr_t)a->base : 0;
        last.bytes = a ? a->bytes : 0;
        last.alignment = element ? element->alignment : 0;
    }
    return last.alignment;
}
/* 2 to the power of that; it may be a packed one. */
enum { LOG2_WORD = 2, LOG2_TWO_WORDS = 3 };
static unsigned log2_alignment(const void *p) {
    size_t alignment = alignment_of(p);
    return alignment && alignment < 4 ? (unsigned)alignment / 2 : LOG2_WORD;
}

/* A struct that is copied whole and is not aligned to 8 bytes (clang: to its size), or is larger
 * than 16, and a member of a packed one: it moves member by member. Their types are not known here:
 * words of 4 bytes, where address, type and size allow it. */
static void range_by(const char *p, size_t bytes, unsigned log2_bytes, unsigned code,
                     const void *pc) {
    while (log2_bytes && (((uintptr_t)p | bytes) & ((1u << log2_bytes) - 1)))
        log2_bytes--;
    code |= EVENT_RANGE | log2_bytes;
    for (size_t i = 0; i < bytes; i += (size_t)1 << log2_bytes)
        if (record_now.row->common == trace_event_place((uintptr_t)pc, code))
            access(p + i, code, pc);
        else /* the loads and the stores of one call have the same caller */
            seen(p + i, code, pc);
}
static void range(const char *p, size_t bytes, unsigned code, const void *pc) {
    range_by(p, bytes, log2_alignment(p), code, pc);
}

/* gcc reports a store to a bit-field as one to all bit-fields around it: to 16 bytes, perhaps, of
 * a struct that is aligned to 8. */
HOT void store(const char *p, unsigned log2_bytes, const void *pc) {
    if (log2_bytes == 4 && alignment_of(p) == 8)
        range_by(p, 16, LOG2_TWO_WORDS, STORE, pc);
    else
        access(p, STORE | log2_bytes, pc);
}

/* memcpy and related functions (libc.c). Their thread has come to the call even where they move
 * no byte. */
void trace_range(const void *p, size_t bytes, int is_aligned, enum trace_op op, const void *pc) {
    struct cpu_device_trace_lane *l = &record_now;
    unsigned code = op == TRACE_STORE ? STORE : LOAD;
    if (l->range) {
        range_by(p, bytes, is_aligned ? LOG2_WORD : 0, code, pc);
        if ((uintptr_t)pc > l->last_block)
            l->last_block = (uintptr_t)pc;
    } else if (bytes && recorder_state == ON_HOST) {
        on_host(p, bytes, code, pc);
    }
}

void trace_access(const void *p, size_t bytes, enum trace_op op, const void *pc) {
    access(p, (op == TRACE_STORE ? STORE : LOAD) | (unsigned)__builtin_ctzl(bytes), pc);
}

/* Of a texture or a surface: on a GPU another way than that of loads and stores. */
void trace_texel(const void *p, unsigned bytes, int stores, const void *pc) {
    if (recorder_state != RECORDING || (uintptr_t)p - recorder_memory >= recorder_memory_bytes)
        return;
    if (UNLIKELY(trace_scrambled))
        touch(p, bytes);
    record_access(trace_event_place((uintptr_t)pc, EVENT_TEXEL | (stores ? STORE : LOAD) |
                                                       (unsigned)__builtin_ctz(bytes)),
                  (uintptr_t)p);
}

/* A store where it begins, as far as bounds and counts go; what its bytes are is open from there to
 * where it arrives. */
void trace_copy_begun(const void *to, const void *from, unsigned bytes, const void *pc) {
    unsigned log2_bytes = (unsigned)__builtin_ctz(bytes);
    if (recorder_state != RECORDING)
        return;
    access(to, STORE | log2_bytes, pc);
    if (!trace_shared_near(to))
        return;
    uint64_t place = trace_event_place((uintptr_t)pc, EVENT_BEGUN | log2_bytes);
    record_mark(place, (uintptr_t)to);
    if (from)
        record_mark(place | EVENT_COMPARE, (uintptr_t)from);
}
void trace_copy_arrived(const void *to, unsigned bytes, const void *pc) {
    unsigned code = EVENT_ARRIVED | (unsigned)__builtin_ctz(bytes);
    if (recorder_state == RECORDING && trace_shared_near(to))
        record_mark(trace_event_place((uintptr_t)pc, code), (uintptr_t)to);
}

/* ---- What the compiler puts into the program --------------------------------------------- */

#pragma GCC visibility push(default)
#define CALLER __builtin_return_address(0)
#define ACCESSES(bytes, log2_bytes)                                                                \
    void __tsan_read##bytes(const void *p) { access(p, LOAD | log2_bytes, CALLER); }               \
    void __tsan_write##bytes(const void *p) { store(p, log2_bytes, CALLER); }                      \
    void __tsan_unaligned_read##bytes(const void *p) { range(p, bytes, LOAD, CALLER); }            \
    void __tsan_unaligned_write##bytes(const void *p) { range(p, bytes, STORE, CALLER); }          \
    void __tsan_volatile_read##bytes(const void *p) {                                              \
        access(p, LOAD | EVENT_VOLATILE | log2_bytes, CALLER);                                     \
    }                                                                                              \
    void __tsan_volatile_write##bytes(const void *p) {                                             \
        if (recorder_state == RECORDING)                                                           \
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

void __tsan_read_range(const void *p, size_t bytes) { range(p, bytes, LOAD, CALLER); }
void __tsan_write_range(const void *p, size_t bytes) { range(p, bytes, STORE, CALLER); }

void __tsan_vptr_update(void **p, void *value) {
    (void)value;
    access(p, STORE | 3, CALLER);
}
void __tsan_vptr_read(void **p) { access(p, LOAD | 3, CALLER); }

void __tsan_init(void) {}

RARE void called(const void *caller, const void *pc) {
    struct cpu_device_trace_lane *l = &record_now;
    unsigned calls = l->calls - 1;
    if ((uintptr_t)__builtin_frame_address(0) - recorder_stack < STACK_RESERVE)
        cpu_device_die(cudaErrorIllegalAddress, STACK_OVERFLOW, pc);
    if (calls < TRACE_DEPTH)
        l->callers[calls] = (uintptr_t)caller;
    record_mark(trace_event_place((uintptr_t)caller, EVENT_CALL), 0);
    l->last_block = 0;
}
void __tsan_func_entry(const void *caller) {
    struct cpu_device_trace_lane *l = &record_now;
    if (UNLIKELY(l->calls++) && l->range)
        called(caller, CALLER);
    else
        l->last_block = 0;
}
RARE void returns(void) {
    struct cpu_device_trace_lane *l = &record_now;
    unsigned calls = l->calls - 1;
    record_mark(record_here(EVENT_RETURN),
                0); /* others may run here: the caller is kept till then */
    l->last_block = calls < TRACE_DEPTH ? l->callers[calls] : 0;
    l->calls = calls;
}
void __tsan_func_exit(void) {
    struct cpu_device_trace_lane *l = &record_now;
    if (UNLIKELY(l->calls != 1) && l->range)
        returns();
    else
        l->calls--;
}

static __attribute__((noinline)) void jumps_back(uintptr_t pc) {
    uintptr_t from = record_now.last_block;
    record_mark_from(from, record_here(EVENT_BACK), pc);
    record_now.last_block = pc;
}
void __sanitizer_cov_trace_pc(void) {
    struct cpu_device_trace_lane *l = &record_now;
    struct trace_event_row *row = l->row;
    uintptr_t pc = (uintptr_t)CALLER;
    if (pc <= l->last_block && l->range && !l->outside) {
        if (UNLIKELY(row->from != l->last_block || row->next != pc || !row->key)) {
            jumps_back(pc);
            return;
        }
        l->row = row + 1; /* as the lanes before */
    }
    l->last_block = pc;
}

void cpu_device_trace_atomic(const volatile void *address, unsigned bytes, int how) {
    if (UNLIKELY(trace_scrambled))
        touch((const void *)address, bytes);
    if (recorder_state != RECORDING)
        return;
    release(address);
    unsigned log2_bytes = (unsigned)__builtin_ctz(bytes);
    unsigned code = ATOMIC | (how & CPU_DEVICE_ATOMIC_COMPARE ? EVENT_COMPARE : 0) |
                    (how & CPU_DEVICE_ATOMIC_BLOCK ? EVENT_OF_BLOCK : 0);
    access((const void *)address, code | log2_bytes, CALLER);
}

void __tsan_atomic_thread_fence(int order) { /* __threadfence and related functions */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (recorder_state != RECORDING)
        return;
    record_warp()->fenced |= 1u << record_lane();
    record_mark(record_here(EVENT_FENCE | (order == __ATOMIC_SEQ_CST ? 0 : EVENT_OF_BLOCK)), 0);
}
void __tsan_atomic_signal_fence(int order) { (void)order; }

#pragma GCC visibility pop
