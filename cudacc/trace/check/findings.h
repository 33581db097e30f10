/*
 * findings.h: what the checks find.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/trace.h"

enum error_kind {
    OUT_OF_BOUNDS,
    USE_AFTER_FREE,
    MISALIGNED,
    HOST_POINTER,   /* in a kernel */
    DEVICE_POINTER, /* in host code */
    NOT_WRITTEN,
    RACE,
    BARRIER,
    WARP_MISUSED,
    DIED,
    WRONG_FREE,
    WRONG_ARGUMENT, /* of a copy or a memset */
    LAUNCH_REFUSED, /* and the program has not asked */
    CALL_FAILED,    /* and the program has not looked */
    PRINT_LOST,
    LEAK,
    ERROR_KINDS,
    /* A bit: a note, since by itself it makes no result wrong or undefined. */
    A_NOTE = 32
};

/* An access instruction of the program, by a number below SITES; 0 is none. */
struct site {
    const void *pc;
    enum trace_op op;
    unsigned bytes;
    int is_constant; /* it stores that value */
    int64_t value;
    atomic_int is_mixed;    /* some block has stored another value beside it */
    atomic_int is_compared; /* what it has read there its thread then gave to a compare-and-swap */
};
enum { SITES = 1 << 14 };
unsigned trace_site(const void *pc, enum trace_op op, unsigned bytes);
const struct site *trace_site_of(unsigned number);
/* Marks a load that only prepares a compare-and-swap: it is no race, even in threads that then do
 * not swap. */
void trace_site_compared(unsigned number);
/* Do both store one constant? In both, a block has stored something else in that line of memory. */
int trace_same_constant(unsigned a, unsigned b);
void trace_sites_mixed(unsigned a, unsigned b);

/* How the two accesses of a race lie to a barrier that both threads have come from. */
struct turn {
    const void *since; /* that barrier; NULL: none, or examples of this race disagree */
    unsigned first;    /* the site that comes first, before a jump back over it; 0: no such jump */
    int often;         /* that jump may be several; BARRIER: there was one */
};
static inline struct turn trace_turn_of_both(struct turn a, struct turn b) {
    if (a.since != b.since || a.first != b.first)
        a.since = NULL;
    a.often |= b.often;
    return a;
}

struct finding {
    enum error_kind kind;
    int is_note; /* RACE */
    enum trace_space space;
    int error; /* cudaError_t with which the kernel ends there; 0: it continues */
    const struct trace_launch *launch;
    unsigned long long position; /* of the block in the schedule */
    unsigned long long block, other_block;
    unsigned thread, other_thread; /* of the block, linear */
    unsigned site, other_site;
    const void *pc, *other_pc; /* instead of sites: of barriers; DIED: there, or near there */
    struct turn turn;          /* RACE, within a block */
    uint32_t epoch;            /* RACE within a block, BARRIER: barriers passed before */
    unsigned copy;             /* RACE: the site of an asynchronous copy that is under way; or 0 */
    int has_lock;              /* RACE: both threads have taken and given back a lock */
    int rank;                  /* report/'s own */
    uintptr_t address;
    unsigned count, count_2; /* lanes that did it; BARRIER: threads there, and elsewhere */
    const char *function, *other_function; /* WARP_MISUSED; shared memory: whose variable it is */
    int is_texel;                          /* through a texture or a surface */
    ptrdiff_t offset;                      /* shared memory: in the variable named in `text` */
    size_t bytes;                          /* of that variable */
    size_t row, element;                   /* as in struct trace_variable */
    char text[256]; /* shared memory: its name; DIED: why; else more about it, or "" */
};
__attribute__((format(printf, 2, 3))) //
void trace_finding_text(struct finding *f, const char *format, ...);
/* Fills in the shared variable that an address lies in, or near; on the worker. */
void trace_shared_where(const struct trace_worker *w, uintptr_t address, struct finding *f);
/* Which threads race: the larger the group that has to wait, the sooner it is said. */
enum scope { NO_RACE, BETWEEN_BLOCKS, BETWEEN_WARPS, WITHIN_WARP };
enum scope trace_finding_scope(const struct finding *f);
/* Keeps, for each kind and pair of sites, the one that comes first: by scope, position, thread and
 * address. */
void trace_found(const struct finding *f);
int trace_finding_compare(const struct finding *a, const struct finding *b); /* who came first */
/* Those of a launch that has ended, to be freed; NULL: none. */
struct finding *trace_findings_take(const struct trace_launch *l, unsigned *count);
/* What reports them: report/. */
struct trace_reporter {
    void (*launch_ended)(const struct trace_launch *l); /* what was found in it can be taken */
    /* Host code has used memory that it must not: reported at once, for each line once. */
    void (*on_host)(enum error_kind kind, const struct site *s, uintptr_t address,
                    const char *remark);
};
extern const struct trace_reporter *trace_reporter;
