/*
 * shadow_line.h: memory in lines of 128 bytes, with a bit for each byte of one.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <sched.h>
#include <stdint.h>

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
