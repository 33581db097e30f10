// SPDX-License-Identifier: MIT
// Tests print TAP, `prove` reads it. For C and C++. A test ends with `return done_testing();`.
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_count, tap_failed;

#define ok(condition, ...)                                                                         \
    tap_result((condition) ? 1 : 0, #condition, __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 1, 2))) static inline void diag(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("# ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

// Flushed line by line: a test that crashes must not take its last results with it.
__attribute__((format(printf, 5, 6))) //
static inline int
tap_result(int passed, const char *expression, const char *file, int line, const char *name, ...) {
    va_list list;
    va_start(list, name);
    printf("%sok %d - ", passed ? "" : "not ", ++tap_count);
    vprintf(name, list);
    printf("\n");
    fflush(stdout);
    va_end(list);
    if (!passed) {
        tap_failed++;
        diag("%s:%d: not true: %s", file, line, expression);
    }
    return passed;
}

static inline void skip(const char *reason) {
    printf("ok %d # SKIP %s\n", ++tap_count, reason);
    fflush(stdout);
}

// The whole test cannot run here. Where REQUIRE_GPU=1 promises a GPU, that is a failure.
static inline void plan_skip_all(const char *reason) {
    const char *required = getenv("REQUIRE_GPU");
    int failed = required && atoi(required) != 0;
    printf(failed ? "1..1\nnot ok 1 - REQUIRE_GPU is set: %s\n" : "1..0 # SKIP %s\n", reason);
    exit(failed);
}

static inline int done_testing(void) {
    printf("1..%d\n", tap_count);
    return tap_failed || tap_count == 0;
}

#endif
