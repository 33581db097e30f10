/*
 * trace.h: the data types of the tracer: requests, launches, workers.
 *
 *   names/    what a number is called: allocations, variables, source lines
 *   check/    mistakes;  count/   sectors and wavefronts: neither knows the other
 *   record/   what each lane does, and of 32 lanes the requests: hands these to check/ and count/
 *   report/   prints
 *
 * Each room calls runtime/ and those before it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <stdint.h>
#include "runtime/runtime.h"
#include "trace/names/allocations.h"
#include "trace/names/lines.h"
#include "trace/names/shared_names.h"

/* Which comes first? Several are joined by `?:`, as each counts where those before are equal. */
static inline int trace_compare(unsigned long long a, unsigned long long b) {
    return (a > b) - (a < b);
}

/* Lane by lane of a set, which has a bit for each. */
#define EACH_LANE(i, lanes)                                                                        \
    for (unsigned i, i##_rest = lanes; i##_rest && (i = (unsigned)__builtin_ctz(i##_rest), 1);     \
         i##_rest &= i##_rest - 1)
/* Those of a set of which a condition is true. */
#define LANES_WHERE(i, lanes, condition)                                                           \
    ({                                                                                             \
        unsigned where = 0;                                                                        \
        EACH_LANE (i, lanes)                                                                       \
            where |= (unsigned)!!(condition) << i;                                                 \
        where;                                                                                     \
    })

enum trace_op { TRACE_LOAD, TRACE_STORE, TRACE_ATOMIC };
enum trace_space { TRACE_GLOBAL, TRACE_SHARED };

/* One access of a warp: what a GPU issues as one request. */
struct trace_request {
    uint64_t place; /* of all that do the same there: the fields up to `bytes` */
    const void *pc; /* return address of the access: names the source line */
    enum trace_op op;
    enum trace_space space;
    unsigned bytes;          /* of each lane: 1, 2, 4, 8, 16 */
    unsigned lanes;          /* a bit for each lane that takes part, never 0 */
    unsigned first;          /* the lowest of them */
    unsigned warp;           /* of the block: thread = warp * 32 + lane */
    char consecutive;        /* all 32 lanes, side by side: only the first address stands there */
    char is_volatile;        /* through a volatile pointer */
    char is_range;           /* a piece of a struct that was copied whole: may be padding */
    char is_compare;         /* atomicCAS as the program calls it */
    char is_of_block;        /* an atomic for one block, as atomicAdd_block */
    char is_texel;           /* through a texture or a surface: not counted */
    const uint64_t *address; /* of 32 lanes; those that are not active hold anything */
};
/* Lane i is at base + i * stride. */
static inline void trace_line_up(uint64_t *address, uint64_t base, uint64_t stride) {
    typedef uint64_t two __attribute__((vector_size(16), may_alias));
    two next = {base, base + stride}, step = {2 * stride, 2 * stride}, *to = (two *)address;
    for (unsigned i = 0; i < WARP / 2; i++, next += step)
        to[i] = next;
}
/* Writes out all addresses of a consecutive request. */
static inline void trace_request_addresses(const struct trace_request *r) {
    if (r->consecutive)
        trace_line_up((uint64_t *)r->address, r->address[0], r->bytes);
}

/* ---- What was counted -------------------------------------------------------------------- */

struct trace_tally {
    unsigned long long requests, sectors; /* shared: sectors are wavefronts */
    unsigned long long useful_bytes;      /* global: distinct bytes of each request, summed */
    unsigned long long ideal; /* sectors (wavefronts) that the same bytes need side by side */
    unsigned long long full;  /* requests of all 32 lanes */
    unsigned long long worst; /* shared: most wavefronts of one request */
};
static inline void trace_tally_add(struct trace_tally *sum, struct trace_tally more) {
    sum->requests += more.requests;
    sum->sectors += more.sectors;
    sum->useful_bytes += more.useful_bytes;
    sum->ideal += more.ideal;
    sum->full += more.full;
    if (more.worst > sum->worst)
        sum->worst = more.worst;
}

/* What nvcc makes of accesses to shared memory, if it joins neighbors: in windows of 4 bytes, of 8,
 * of 16. */
enum { TRACE_WINDOWS = 3, TRACE_MOST_WINDOW = 16 };

/* One access site of a launch: a place in the program and an allocation or shared variable. */
struct trace_row {
    const void *pc;
    enum trace_op op;
    enum trace_space space;
    unsigned bytes;
    struct trace_allocation *allocation;   /* global; NULL: in none */
    const struct trace_variable *variable; /* shared; NULL: in none */
    struct trace_tally all;
    /* Requests by what is wrong with them, for the report's advice. */
    unsigned long long
        misaligned;             /* one gapless piece of memory that starts badly: sectors > ideal */
    unsigned long long strided; /* the same distance from lane to lane, not 0 and not +-bytes */
    unsigned long long narrow;  /* side by side in x, but of several rows of the block */
    unsigned long long same;    /* several lanes, one address */
    long long stride;           /* bytes, of the first strided request */
    long long stride_varies;    /* another one's was different */
    /* Of shared memory, while it is counted: in the largest window of how many bytes, or 0, does
     * nvcc know the site's place; the lowest place where a warp began; and the lowest site of
     * those that it may be joined with. */
    struct trace_tally joined[TRACE_WINDOWS];
    unsigned window, place;
    int is_fixed; /* nvcc knows it only where it is the same in all rows of the block */
    const void *with;
    struct trace_row *next;
};
int trace_compare_sites(const struct trace_row *a, const struct trace_row *b); /* 0: the same */

struct trace_launch {
    unsigned number; /* from 0, in the order of the calls; of a record that is shared: the first */
    const char *kernel;
    unsigned grid[3], block[3];
    size_t shared_bytes;                      /* dynamic */
    unsigned long long blocks, traced_blocks; /* fewer: sampled; 0: not traced */
    int done;
    struct trace_arguments *arguments;
    struct trace_row *rows; /* by their sites, whichever worker was first */
    struct trace_map *map;  /* while it runs */
    uint32_t operation;     /* check/streams.c's; 0: none */
};
/* Those of the program. */
void trace_launch_add(struct trace_launch *launch); /* numbers it */
/* It has run, and nothing looks at it any more: it may share the record of one like it. */
void trace_launch_done(struct trace_launch *launch);
/* In the order of the calls, those that have run; `times` of them, alike, from number `first`. */
void trace_launches_each(void (*visit)(const struct trace_launch *launch, unsigned first,
                                       unsigned times, void *data),
                         void *data);

/* ---- Workers ----------------------------------------------------------------------------- */

/* What a worker is at: it runs one block after another. */
struct trace_worker {
    struct cpu_device_launch *launch;
    struct trace_launch *record;
    const struct trace_map *map; /* what is allocated during the launch */
    unsigned long long block;    /* linear */
    unsigned long long position; /* of that block in the schedule */
    unsigned threads;            /* of a block */
    const void *barrier;         /* the last of them; NULL: none, or threads were at several */
    struct trace_death {
        int error; /* cudaError_t; 0: the kernel lives */
        const void *pc, *near, *address;
        unsigned thread;
        char what[200];
    } death;
    struct trace_counts *counts; /* count/count.c's own */
    struct checker *checker;     /* check/'s own */
};

/* A warp of a block of a launch, by a number that no other has; not 0. */
static inline uint64_t trace_warp_of_all(const struct trace_worker *w, unsigned warp) {
    return ((uint64_t)w->record->number + 1) << 36 | w->block << 5 | warp;
}
