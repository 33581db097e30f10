/*
 * shadow_line.h: memory in lines of 128 bytes, with a bit for each byte of one.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <stdint.h>

enum { LINE = 128 };
typedef unsigned __int128 bytes128 __attribute__((aligned(8)));

static inline bytes128 bytes_between(unsigned from, unsigned to) { /* from < to <= LINE */
    return ~(bytes128)0 >> (LINE - (to - from)) << from;
}
static inline unsigned first_byte(bytes128 m) { /* m is not 0 */
    return (uint64_t)m ? (unsigned)__builtin_ctzll((uint64_t)m)
                       : 64 + (unsigned)__builtin_ctzll((uint64_t)(m >> 64));
}
static inline unsigned last_byte(bytes128 m) { /* m is not 0 */
    return m >> 64 ? 127 - (unsigned)__builtin_clzll((uint64_t)(m >> 64))
                   : 63 - (unsigned)__builtin_clzll((uint64_t)m);
}

/* The first piece of `unit` bytes that has a bit in *rest, which is not 0: it is taken out. */
static inline unsigned take(bytes128 *rest, unsigned unit) {
    unsigned byte = first_byte(*rest) & ~(unit - 1), end = byte + unit;
    *rest = end < LINE ? *rest >> end << end : 0;
    return byte;
}
