/*
 * libc.c: memcpy and related functions of a traced program (include/cpu_device/trace_libc.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"
#include <string.h>

#pragma GCC visibility push(default)

enum { TO = 1, FROM = 2 }; /* bits of `aligned`, as trace_libc.h sets them */
void *cpu_device_memcpy(void *to, const void *from, size_t bytes, int aligned);
void *cpu_device_memmove(void *to, const void *from, size_t bytes, int aligned);
void *cpu_device_memset(void *to, int value, size_t bytes, int aligned);

static void both(void *to, const void *from, size_t bytes, int aligned, const void *pc) {
    trace_range(from, bytes, aligned & FROM, TRACE_LOAD, pc);
    trace_range(to, bytes, aligned & TO, TRACE_STORE, pc);
}

void *cpu_device_memcpy(void *to, const void *from, size_t bytes, int aligned) {
    both(to, from, bytes, aligned, __builtin_return_address(0));
    return memcpy(to, from, bytes);
}
void *cpu_device_memmove(void *to, const void *from, size_t bytes, int aligned) {
    both(to, from, bytes, aligned, __builtin_return_address(0));
    return memmove(to, from, bytes);
}
void *cpu_device_memset(void *to, int value, size_t bytes, int aligned) {
    trace_range(to, bytes, aligned & TO, TRACE_STORE, __builtin_return_address(0));
    return memset(to, value, bytes);
}

/* What clang makes of a struct that is copied whole; before version 16 under the plain names, which
 * trace_libc.h turns into these. */
void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memmove(void *to, const void *from, size_t bytes);
void *__tsan_memset(void *to, int value, size_t bytes);
void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
    both(to, from, bytes, TO | FROM, __builtin_return_address(0));
    return memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, size_t bytes) {
    both(to, from, bytes, TO | FROM, __builtin_return_address(0));
    return memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int value, size_t bytes) {
    trace_range(to, bytes, TO, TRACE_STORE, __builtin_return_address(0));
    return memset(to, value, bytes);
}
