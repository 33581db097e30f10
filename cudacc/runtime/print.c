/*
 * print.c: functions of the C library that kernels have, too: printf; clock, at the end.
 *
 * As on a GPU, what kernels print stands in a buffer of fixed size until the host launches a kernel
 * or synchronizes. Where more is printed before that, the oldest is overwritten. What stands there
 * at the program's end is never seen. A GPU keeps formats and arguments; here it is their text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/observer.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t printed_lock = PTHREAD_MUTEX_INITIALIZER;
static char *printed;
static size_t printed_bytes, printed_room; /* printed_bytes: since it was empty */
static const void *printed_pc;             /* the last call */

void cpu_device_printf_flush(void) {
    WITH_LOCK(printed_lock);
    size_t lost = printed_bytes > printed_room ? printed_bytes - printed_room : 0;
    while (lost && lost < printed_bytes && printed[lost++ % printed_room] != '\n')
        ; /* no part of a line */
    for (size_t i = lost, part; i < printed_bytes; i += part) {
        size_t from = i % printed_room;
        part = printed_bytes - i < printed_room - from ? printed_bytes - i : printed_room - from;
        fwrite(printed + from, 1, part, stdout);
    }
    printed_bytes = 0;
    if (lost && OBSERVED)
        cpu_device_observer->print_lost(lost, printed_room, printed_pc);
    else if (lost)
        fprintf(stderr,
                "CPU device: the first %zu bytes that kernels printed are lost: printf's buffer "
                "holds %zu (cudaLimitPrintfFifoSize)\n",
                lost, printed_room);
}

size_t cpu_device_printf_left(const void **pc) {
    *pc = printed_pc;
    return printed_bytes;
}

/* How many arguments a format asks for: what printf in a kernel returns (seen on an H200). */
static int arguments_of(const char *format) {
    int count = 0;
    for (; (format = strchr(format, '%')); format++) {
        size_t length = strspn(++format, "-+ #0123456789.*hlLqjzt");
        for (size_t i = 0; i < length; i++)
            count += format[i] == '*';
        format += length;
        if (!*format)
            break;
        count += *format != '%';
    }
    return count;
}

static int kernel_vprintf(const char *format, va_list arguments, const void *pc) {
    char line[1024], *text = line;
    va_list copy;
    va_copy(copy, arguments);
    int n = vsnprintf(line, sizeof line, format, copy);
    va_end(copy);
    if (n >= (int)sizeof line && (text = malloc((size_t)n + 1)))
        vsnprintf(text, (size_t)n + 1, format, arguments);
    if (n < 0 || !text)
        return -1;
    pthread_mutex_lock(&printed_lock);
    size_t room = atomic_load(&cpu_device.print_bytes);
    if (!printed_bytes && printed_room != room) { /* the limit has changed */
        free(printed);
        printed = malloc(room);
        printed_room = printed ? room : 0;
    }
    printed_pc = pc;
    atomic_store(&cpu_device.print_used, 1);
    for (int i = 0; i < n && printed_room; i++)
        printed[printed_bytes++ % printed_room] = text[i];
    pthread_mutex_unlock(&printed_lock);
    if (text != line)
        free(text);
    return arguments_of(format);
}

int cpu_device_vprintf(const char *format, va_list arguments, const void *pc) {
    return cpu_device_in_kernel() ? kernel_vprintf(format, arguments, pc)
                                  : vfprintf(stdout, format, arguments);
}

/* Stands before the C library's own: the same call serves kernels and host code. */
EXPORTED int printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = cpu_device_vprintf(format, arguments, __builtin_return_address(0));
    va_end(arguments);
    return n;
}

/* ---- clock ------------------------------------------------------------------------------- */

long long clock64(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Likewise. In a kernel it counts what clock64() counts; on the host it is the C library's:
 * processor time in microseconds. */
EXPORTED clock_t clock(void) {
    if (cpu_device_in_kernel())
        return (clock_t)clock64();
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
        return (clock_t)-1;
    return (clock_t)(t.tv_sec * CLOCKS_PER_SEC + t.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}
