/*
 * unwritten.c: copies of memory that nothing has written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"

static atomic_int unknown; /* a kernel has written memory, and what is not known */

void trace_written_unknown(void) { atomic_store(&unknown, 1); }

/* Of the bytes from `from` to `end` of an allocation, those that are no padding: neither of the
 * rows of cudaMallocPitch nor of structs. NULL: none; else the first one. */
static const char *no_padding(const struct trace_allocation *a, const char *from, const char *end,
                              size_t *count) {
    enum { LIKELY_PADDING = 16 };
    size_t least = a->element < 0 ? (size_t)-a->element : a->element ? 1 : LIKELY_PADDING;
    const char *first = NULL;
    while (from < end) {
        const char *stop = end;
        if (a->pitch) {
            const char *row = from - (size_t)(from - a->base) % a->pitch;
            if (from < row + a->width && row + a->width < stop)
                stop = row + a->width;
            else if (from >= row + a->width) {
                from = row + a->pitch;
                continue;
            }
        }
        if ((size_t)(stop - from) >= least) {
            first = first ? first : from;
            *count += (size_t)(stop - from);
        }
        from = stop;
    }
    return first;
}

const char *trace_unwritten(const void *from, size_t bytes, size_t *count) {
    *count = 0;
    if (!bytes || !cpu_device_memory_ours(from) || atomic_load(&unknown))
        return NULL;
    struct trace_allocation *a = (struct trace_allocation *)trace_allocation_near(from);
    struct shadow *s = a && !a->freed && !trace_distance(a, from) ? trace_shadow_of(a) : NULL;
    if (!s || !s->written)
        return NULL;
    const char *p = from, *end = p + bytes, *run = NULL, *first = NULL;
    size_t n;
    for (; p < end; p += n) { /* line by line; `run`: begins where nothing has been written */
        unsigned off = (uintptr_t)p % LINE;
        n = LINE - off < (size_t)(end - p) ? LINE - off : (size_t)(end - p);
        bytes128 all = bytes_between(0, (unsigned)n);
        bytes128 written = trace_shadow_written(s, (uintptr_t)p / LINE - s->first) >> off & all;
        size_t step = !written || written == all ? n : 1;
        for (size_t i = 0; i < n; i += step) {
            int is_written = (int)(written >> i & 1);
            if (!is_written && !run)
                run = p + i;
            if (is_written && run) {
                const char *found = no_padding(a, run, p + i, count);
                first = first ? first : found;
                run = NULL;
            }
        }
    }
    if (run) {
        const char *found = no_padding(a, run, end, count);
        first = first ? first : found;
    }
    return first;
}
