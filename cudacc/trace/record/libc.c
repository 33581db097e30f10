/*
 * libc.c: memcpy, malloc and related functions of a traced program
 * (include/cpu_device/trace_libc.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"
#include "trace/names/heap.h"
#include "trace/names/host.h"
#include <malloc.h>
#include <string.h>

#pragma GCC visibility push(default)
#define CALLER __builtin_return_address(0)

enum { TO = 1, FROM = 2 }; /* bits of `aligned`, as trace_libc.h sets them */

static void both(void *to, const void *from, size_t bytes, int aligned, const void *pc) {
    trace_range(from, bytes, aligned & FROM, TRACE_LOAD, pc);
    trace_range(to, bytes, aligned & TO, TRACE_STORE, pc);
}

#define COPIES(name, copy, aligned, ...)                                                           \
    void *name(void *to, const void *from, size_t bytes __VA_ARGS__) {                             \
        both(to, from, bytes, aligned, CALLER);                                                    \
        return copy(to, from, bytes);                                                              \
    }
COPIES(cpu_device_memcpy, memcpy, is_aligned, , int is_aligned)
COPIES(cpu_device_memmove, memmove, is_aligned, , int is_aligned)
void *cpu_device_memset(void *to, int value, size_t bytes, int aligned) {
    trace_range(to, bytes, aligned & TO, TRACE_STORE, CALLER);
    return memset(to, value, bytes);
}

/* What clang makes of a struct that is copied whole; before version 16 under the plain names, which
 * trace_libc.h turns into these. */
COPIES(__tsan_memcpy, memcpy, TO | FROM)
COPIES(__tsan_memmove, memmove, TO | FROM)
void *__tsan_memset(void *to, int value, size_t bytes) {
    trace_range(to, bytes, TO, TRACE_STORE, CALLER);
    return memset(to, value, bytes);
}

/* ---- malloc(), new ----------------------------------------------------------------------- */

static void *new_on_host(size_t bytes, const void *pc) {
    return trace_host_given(malloc(bytes), bytes, pc);
}
/* Memory of CUDA's, where free() would end the program. */
static int belongs_to_cuda(void *p, struct api_call call) {
    struct memory m = {.kind = MEMORY_HOST};
    if (p && recorder_memory_bytes)
        m = cpu_device_memory_find(p);
    int yes = m.kind != MEMORY_HOST && !m.is_registered;
    if (yes) {
        cpu_device_call = call;
        OBSERVE(free_failed, p);
    }
    return yes;
}
static void free_on_host(void *p, const char *name, const void *pc) {
    if (belongs_to_cuda(p, (struct api_call){name, pc}))
        return;
    if (p && recorder_memory_bytes)
        trace_check_host_frees(p, malloc_usable_size(p), (struct api_call){name, pc});
    if (!trace_host_freed(p))
        free(p);
}
static void give_back(void *p, const char *name, const char *wrong, const void *pc) {
    if (recorder_state == ON_HOST)
        free_on_host(p, name, pc);
    else if (p && !trace_heap_free(p))
        cpu_device_die(cudaErrorLaunchFailure, wrong, pc);
    if (p && recorder_state == RECORDING)
        record_mark(record_here(EVENT_FREE), (uintptr_t)p);
}

void *cpu_device_malloc(size_t bytes) {
    return recorder_state == ON_HOST ? new_on_host(bytes, CALLER) : trace_heap_new(bytes, CALLER);
}
void *cpu_device_calloc(size_t count, size_t bytes) {
    return trace_host_given(calloc(count, bytes), count * bytes, CALLER);
}
void *cpu_device_realloc(void *old, size_t bytes) {
    struct trace_host_block b;
    if (belongs_to_cuda(old, (struct api_call){"realloc", CALLER}))
        return NULL;
    if (recorder_state != ON_HOST || !trace_host_find(old, &b) || b.base != old || b.freed)
        return trace_host_given(realloc(old, bytes), bytes, CALLER);
    void *p = bytes ? new_on_host(bytes, CALLER) : NULL;
    if (p)
        memcpy(p, old, bytes < b.bytes ? bytes : b.bytes);
    if (p || !bytes)
        free_on_host(old, "realloc", CALLER);
    return p;
}
void cpu_device_free(void *p) {
    give_back(p, "free", "free() of what malloc() in a kernel did not give, or twice", CALLER);
}

/* The operators new and delete of C++, which a program may replace. */
#define NEW(name)                                                                                  \
    EXPORTED __attribute__((weak)) void *name(size_t bytes) {                                      \
        void *p = recorder_state == ON_HOST ? new_on_host(bytes ? bytes : 1, CALLER)               \
                                            : trace_heap_new(bytes, CALLER);                       \
        if (!p && recorder_state == ON_HOST)                                                       \
            _ZSt17__throw_bad_allocv();                                                            \
        return p;                                                                                  \
    }
#define DELETE(name, ...)                                                                          \
    EXPORTED __attribute__((weak)) void name(__VA_ARGS__) {                                        \
        give_back(p, "delete", "delete of what new in a kernel did not give, or twice", CALLER);   \
    }
extern void _ZSt17__throw_bad_allocv(void) __attribute__((weak)); /* std::__throw_bad_alloc() */
NEW(_Znwm)
NEW(_Znam)
DELETE(_ZdlPv, void *p)
DELETE(_ZdaPv, void *p)
DELETE(_ZdlPvm, void *p, size_t bytes __attribute__((unused)))
DELETE(_ZdaPvm, void *p, size_t bytes __attribute__((unused)))
