/*
 * bits.h: what nvcc makes of accesses to bit-fields. It loads the unit in which one lies, keeps it
 * as long as no store may change it, and stores it; stores that follow each other become one. Where
 * what they write together is all of it, or, without another access between, 1, 2 or 4 whole bytes,
 * it need not load.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_REPORT_BITS_H
#define CPU_DEVICE_TRACE_REPORT_BITS_H
#include "trace/trace.h"

enum { BITS_UNITS = 8 };

/* A unit of each lane, since it was last used. */
struct bits_unit {
    const void *memory; /* the allocation or variable */
    enum trace_space space;
    unsigned bytes, lanes;
    char has_bits;    /* one of its bit-fields was used */
    char known;       /* it is in a register */
    const void *pc;   /* of the last load */
    char apart;       /* between such stores there was another access */
    uint64_t written; /* bits, by stores that others may join; 0: there is none */
    uint64_t address[WARP];
    struct trace_row *load, of_load; /* where a load for the stores alone is counted, and how */
};
struct bits {
    unsigned warp, open, next; /* open: a bit for each that is in use */
    struct bits_unit unit[BITS_UNITS];
};

static inline void bits_end(struct bits *b) { b->open = 0; }
/* A request comes, to any memory: what may it change or see? */
void bits_between(struct bits *b, const struct trace_request *r, const void *memory);
/* The unit that a request touches; NULL: it is not in use. */
struct bits_unit *bits_find(struct bits *b, const struct trace_request *r);
struct bits_unit *bits_begin(struct bits *b, const struct trace_request *r, const void *memory);
/* Is it written without a load? `apart`: see above. */
int bits_are_whole(uint64_t mask, unsigned bytes, int apart);
#endif
