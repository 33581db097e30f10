/*
 * trace_libc.c: see trace_libc.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifdef CPU_DEVICE_TRACE
#include "trace.h"
#include <string.h>

void *cpu_device_memcpy(void *to, const void *from, size_t bytes);
void *cpu_device_memmove(void *to, const void *from, size_t bytes);
void *cpu_device_memset(void *to, int value, size_t bytes);

static void both(void *to, const void *from, size_t bytes, const void *pc) {
    if (!bytes)
        return;
    trace_range(from, bytes, TRACE_LOAD, pc);
    trace_range(to, bytes, TRACE_STORE, pc);
}

void *cpu_device_memcpy(void *to, const void *from, size_t bytes) {
    both(to, from, bytes, __builtin_return_address(0));
    return memcpy(to, from, bytes);
}
void *cpu_device_memmove(void *to, const void *from, size_t bytes) {
    both(to, from, bytes, __builtin_return_address(0));
    return memmove(to, from, bytes);
}
void *cpu_device_memset(void *to, int value, size_t bytes) {
    if (bytes)
        trace_range(to, bytes, TRACE_STORE, __builtin_return_address(0));
    return memset(to, value, bytes);
}
#endif
