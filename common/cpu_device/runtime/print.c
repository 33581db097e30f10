/*
 * print.c: printf in kernels.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/runtime.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As on a GPU, what kernels print appears when the host next synchronizes. */
static pthread_mutex_t printed_lock = PTHREAD_MUTEX_INITIALIZER;
static char *printed;
static size_t printed_bytes, printed_room;
enum { PRINTED_LIMIT = 1 << 20 };

void cpu_device_printf_flush(void) {
    pthread_mutex_lock(&printed_lock);
    if (printed_bytes) {
        fwrite(printed, 1, printed_bytes, stdout);
        printed_bytes = 0;
    }
    pthread_mutex_unlock(&printed_lock);
}

static int kernel_vprintf(const char *format, va_list arguments) {
    char line[1024];
    va_list copy;
    va_copy(copy, arguments);
    int n = vsnprintf(line, sizeof line, format, copy);
    va_end(copy);
    if (n < 0)
        return n;
    pthread_mutex_lock(&printed_lock);
    if (printed_bytes + (size_t)n + 1 > printed_room && printed_room < PRINTED_LIMIT) {
        size_t room = printed_room * 2 + (size_t)n + 4096;
        char *more = realloc(printed, room);
        if (more)
            printed = more, printed_room = room;
    }
    if (printed_bytes + (size_t)n + 1 > printed_room) {
        fwrite(printed, 1, printed_bytes, stdout);
        printed_bytes = 0;
    }
    if ((size_t)n < sizeof line) {
        if (printed_bytes + (size_t)n < printed_room)
            memcpy(printed + printed_bytes, line, (size_t)n), printed_bytes += (size_t)n;
    } else if (printed_bytes + (size_t)n < printed_room) {
        vsnprintf(printed + printed_bytes, (size_t)n + 1, format, arguments);
        printed_bytes += (size_t)n;
    }
    pthread_mutex_unlock(&printed_lock);
    return n;
}

int cpu_device_vprintf(const char *format, va_list arguments) {
    return cpu_device_in_kernel() ? kernel_vprintf(format, arguments)
                                  : vfprintf(stdout, format, arguments);
}

/* Stands before the C library's own: the same call serves kernels and host code. */
EXPORTED int printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = cpu_device_vprintf(format, arguments);
    va_end(arguments);
    return n;
}
