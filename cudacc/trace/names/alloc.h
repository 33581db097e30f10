/*
 * alloc.h: memory that the tracer cannot do without; lists, and what is in order in them.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

/* Ends the program where memory is out. */
static inline void *trace_must(void *p) {
    if (!p) {
        fprintf(stderr, "CPU device: out of memory for the trace\n");
        abort();
    }
    return p;
}

/* A list with room for one item more. */
static inline void *trace_with_room(void *list, size_t count, size_t size) {
    return count & (count - 1) ? list : trace_must(realloc(list, (2 * count + 1) * size));
}
#define TRACE_ADD(list, count, ...)                                                                \
    (list = trace_with_room(list, count, sizeof *list), list[count++] = __VA_ARGS__)

/* Of `count` items in order: the number of the first one, `i`, of which a condition is true. */
#define TRACE_FIRST(count, i, condition)                                                           \
    ({                                                                                             \
        size_t low = 0, high = count;                                                              \
        while (low < high) {                                                                       \
            size_t i = (low + high) / 2;                                                           \
            if (condition)                                                                         \
                high = i;                                                                          \
            else                                                                                   \
                low = i + 1;                                                                       \
        }                                                                                          \
        low;                                                                                       \
    })
