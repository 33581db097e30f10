/*
 * host_calls.c: what functions of the C library read and write for the host
 * (include/cpu_device/trace_libc.h): the library is compiled without calls of the tracer, and a
 * system call that is given memory of the device only fails. In a kernel they are the library's.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void moves(const void *p, size_t bytes, enum trace_op op, const void *pc) {
    if (recorder_state == ON_HOST)
        trace_range(p, bytes, 0, op, pc);
}

static const size_t ANY = PTRDIFF_MAX; /* bytes */

/* A text of at most so many bytes. Its first byte alone tells whose memory it is in; only then may
 * the others be looked at. */
static void reads_text(const char *text, size_t most, const void *pc) {
    if (recorder_state != ON_HOST || !text || !most)
        return;
    trace_range(text, 1, 0, TRACE_LOAD, pc);
    if (trace_unwaited)
        trace_range(text, strnlen(text, most - 1) + 1, 0, TRACE_LOAD, pc);
}

enum length { OF_INT, OF_LONG, OF_LONG_LONG, OF_LONG_DOUBLE };

static enum length length_of(const char **format) {
    enum length length = OF_INT;
    for (; **format && strchr("hlqjztL", **format); ++*format)
        if (**format == 'l')
            length = length == OF_LONG ? OF_LONG_LONG : OF_LONG;
        else if (**format == 'L')
            length = OF_LONG_DOUBLE;
        else if (**format != 'h')
            length = strchr("zt", **format) ? OF_LONG : OF_LONG_LONG;
    return length;
}

/* The texts that a format asks for. */
static void reads_texts(const char *format, va_list given, const void *pc) {
    va_list list;
    if (recorder_state != ON_HOST)
        return;
    reads_text(format, ANY, pc);
    va_copy(list, given);
    while ((format = strchr(format, '%'))) {
        size_t most = ANY;
        for (format++; *format && strchr("-+ #0'123456789.*", *format); format++)
            if (*format == '*' && va_arg(list, int) == 0 && format[-1] == '.')
                most = 0;
        if (format[-1] == '.')
            most = 0;
        enum length length = length_of(&format);
        if (!*format || *format == '$')
            break;
        if (*format == 's' && length == OF_INT)
            reads_text(va_arg(list, const char *), most, pc);
        else if (strchr("spn", *format))
            (void)va_arg(list, void *);
        else if (strchr("aAeEfFgG", *format) && length == OF_LONG_DOUBLE)
            (void)va_arg(list, long double);
        else if (strchr("aAeEfFgG", *format))
            (void)va_arg(list, double);
        else if (strchr("diouxXc", *format) && length == OF_INT)
            (void)va_arg(list, int);
        else if (strchr("diouxXc", *format))
            (void)va_arg(list, long long);
        format++;
    }
    va_end(list);
}

#pragma GCC visibility push(default)
#define PC __builtin_return_address(0)
#define CALLED(T, name, parameters, arguments, ...)                                                \
    T cpu_device_called_##name parameters {                                                        \
        __VA_ARGS__;                                                                               \
        return name arguments;                                                                     \
    }

CALLED(size_t, strlen, (const char *s), (s), reads_text(s, ANY, PC))
CALLED(int, puts, (const char *s), (s), reads_text(s, ANY, PC))
CALLED(int, fputs, (const char *s, FILE *f), (s, f), reads_text(s, ANY, PC))
CALLED(int, strcmp, (const char *a, const char *b), (a, b), reads_text(a, ANY, PC),
       reads_text(b, ANY, PC))
CALLED(int, strncmp, (const char *a, const char *b, size_t n), (a, b, n), reads_text(a, n, PC),
       reads_text(b, n, PC))
CALLED(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n),
       moves(a, n, TRACE_LOAD, PC), moves(b, n, TRACE_LOAD, PC))
CALLED(char *, strcpy, (char *to, const char *from), (to, from), reads_text(from, ANY, PC),
       moves(to, strlen(from) + 1, TRACE_STORE, PC))
CALLED(char *, strncpy, (char *to, const char *from, size_t n), (to, from, n),
       reads_text(from, n, PC), moves(to, n, TRACE_STORE, PC))
CALLED(char *, strcat, (char *to, const char *from), (to, from), reads_text(from, ANY, PC),
       reads_text(to, ANY, PC), moves(to + strlen(to), strlen(from) + 1, TRACE_STORE, PC))
CALLED(size_t, fwrite, (const void *p, size_t bytes, size_t n, FILE *f), (p, bytes, n, f),
       moves(p, bytes *n, TRACE_LOAD, PC))
CALLED(size_t, fread, (void *p, size_t bytes, size_t n, FILE *f), (p, bytes, n, f),
       moves(p, bytes *n, TRACE_STORE, PC))
CALLED(char *, fgets, (char *p, int n, FILE *f), (p, n, f), moves(p, (size_t)n, TRACE_STORE, PC))
CALLED(ssize_t, write, (int file, const void *p, size_t n), (file, p, n),
       moves(p, n, TRACE_LOAD, PC))
CALLED(ssize_t, read, (int file, void *p, size_t n), (file, p, n), moves(p, n, TRACE_STORE, PC))

int cpu_device_called_munmap(void *p, size_t bytes) {
    if (recorder_state == ON_HOST && recorder_memory_bytes)
        trace_check_host_frees(p, bytes, (struct api_call){"munmap", PC});
    return munmap(p, bytes);
}

#define PRINTS(name, parameters, check, arguments)                                                 \
    int cpu_device_called_##name parameters {                                                      \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        reads_texts(format, list, PC);                                                             \
        check;                                                                                     \
        int n = arguments;                                                                         \
        va_end(list);                                                                              \
        return n;                                                                                  \
    }
PRINTS(printf, (const char *format, ...), , cpu_device_vprintf(format, list, PC))
PRINTS(fprintf, (FILE * f, const char *format, ...), , vfprintf(f, format, list))
PRINTS(sprintf, (char *to, const char *format, ...), moves(to, 1, TRACE_STORE, PC),
       vsprintf(to, format, list))
PRINTS(snprintf, (char *to, size_t room, const char *format, ...),
       moves(to, room ? 1 : 0, TRACE_STORE, PC), vsnprintf(to, room, format, list))
#pragma GCC visibility pop
