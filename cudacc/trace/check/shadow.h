/*
 * shadow.h: what is known of each line of an allocation.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/names/allocations.h"
#include <sched.h>

/* Memory in lines of 128 bytes, with a bit for each byte of one. */
enum { LINE = 128 };
typedef unsigned __int128 bytes128 __attribute__((aligned(8)));

static inline bytes128 bytes_between(unsigned from, unsigned to) { /* from < to <= LINE */
    return ~(bytes128)0 >> (LINE - (to - from)) << from;
}
/* Of the bytes [start, end), those of a line that has some of them. */
static inline bytes128 bytes_of_line(uintptr_t line, uintptr_t start, uintptr_t end) {
    return bytes_between(line * LINE < start ? start % LINE : 0,
                         (line + 1) * LINE > end ? (unsigned)(end - line * LINE) : LINE);
}
static inline unsigned first_byte(bytes128 m) { /* m is not 0 */
    return (uint64_t)m ? (unsigned)__builtin_ctzll((uint64_t)m)
                       : 64 + (unsigned)__builtin_ctzll((uint64_t)(m >> 64));
}
static inline unsigned last_byte(bytes128 m) { /* m is not 0 */
    return m >> 64 ? 127 - (unsigned)__builtin_clzll((uint64_t)(m >> 64))
                   : 63 - (unsigned)__builtin_clzll((uint64_t)m);
}

/* One thread at a time looks at a line. */
static inline void lock_line(uint8_t *lock) {
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}
static inline void unlock_line(uint8_t *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

/* The first piece of `unit` bytes that has a bit in *rest, which is not 0: it is taken out. */
static inline unsigned take(bytes128 *rest, unsigned unit) {
    unsigned byte = first_byte(*rest) & ~(unit - 1), end = byte + unit;
    *rest = end < LINE ? *rest >> end << end : 0;
    return byte;
}

struct shadow {
    uintptr_t base, first; /* its first byte; its first line: address / LINE */
    size_t lines;
    uint8_t *whole;         /* per line: all of it is written, whatever `written` says */
    uint64_t (*written)[2]; /* per line, a bit for each byte; NULL: all counts as written */
    bytes128 *changed;      /* likewise: trace_shadow_changed() in this launch; NULL: nowhere */
    struct line *line;      /* race_grid.c: who has used it; NULL: not looked at */
    struct line_uses *uses; /* streams.c: the last users of each; NULL: none */
    uint32_t given;         /* by which operation of a stream (streams.c), and where; 0: by none */
    unsigned given_site;
    int is_of_host;    /* the host can use it, too */
    uint32_t *page;    /* managed memory: 2 * the launch that touched it last + written */
    struct kept *kept; /* unseen.c: what it held; NULL: not looked after */
    size_t kept_bytes;
    struct shadow *gone, *unsettled;
};
enum { LINE_USERS_BYTES = 24 }; /* of a struct line */

struct shadow *trace_shadow_of(struct trace_allocation *a); /* made on first use; NULL: no memory */
void trace_shadow_gone(struct trace_allocation *a);         /* it has been freed */
void trace_shadow_launch(int more); /* 1: a launch begins, -1: one has ended */

struct line_uses *trace_shadow_uses(struct shadow *s); /* made on first use; NULL: no memory */

bytes128 trace_shadow_written(const struct shadow *s, size_t line);
void trace_shadow_mark(struct shadow *s, size_t line, bytes128 written);
/* A copy from `from`, or a memset (NULL), has written memory. */
void trace_memory_written(void *to, const void *from, size_t bytes);

/* A block has read them unwritten and then changed them (+=, an atomic): what is there now rests on
 * what was there. For other blocks of the launch they are not written; for later launches they are,
 * which settle() sees to. */
void trace_shadow_changed(struct shadow *s, size_t line, bytes128 changed);
bytes128 trace_shadow_changed_in(const struct shadow *s, size_t line);
void trace_shadow_settle(void);

/* For the page model: a kernel has touched a line of managed memory. */
void trace_pages_touched(struct shadow *s, uintptr_t line, int written, uint32_t launch);
