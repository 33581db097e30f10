/*
 * trace_check.h: what the parts of the tracer's error checks share.
 *
 *   trace_check.c    each warp request: bounds, alignment, whose memory; barriers; leaks
 *   trace_shadow.c   which bytes of device memory have been written
 *   trace_race.c     who used which bytes in this launch, and in which order
 *   trace_errors.c   what was found: text, CSV, exit code
 *
 * Traced launches take turns, so that there is one current launch and the reports are the same on
 * every run.  Only a launch that would wait for a kernel that does not go on, perhaps because it
 * waits itself, runs beside it: then races between the blocks of that launch are not looked for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_CHECK_H
#define CPU_DEVICE_TRACE_CHECK_H

#include "trace/allocations.h"
#include "trace/lines.h"
#include "trace/shared.h"
#include "trace/check/findings.h"
#include "trace/trace.h"

struct line;
struct checker;
enum { LINE = 128, WARPS = 32, LANES = 32, THREADS = WARPS * LANES };

/* A bit for each byte of a line. */
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

/* ---- request.c: see struct trace_consumer ------------------------------------------------ */

/* On the stream's thread; one launch at a time. */
void trace_check_launch_begin(struct trace_launch *record, struct cpu_device_launch *l);
void trace_check_launch_end(struct trace_launch *record, struct cpu_device_launch *l);
void trace_check_worker_begin(struct trace_worker *w);
void trace_check_worker_end(struct trace_worker *w);
void trace_check_block_begin(struct trace_worker *w);
void trace_check_block_end(struct trace_worker *w); /* not after an error */
/* 0, or the error (700, 716) that ends the kernel; it has been noted. */
int trace_check_request(struct trace_worker *w, const struct trace_request *r);
void trace_check_fence(struct trace_worker *w, unsigned thread);
void trace_check_release(struct trace_worker *w, unsigned thread, uint64_t time);
void trace_check_warp_sync(struct trace_worker *w, unsigned warp, unsigned lanes);
/* A barrier: one thread arrives (told at once); all have, and everything before has been told. */
void trace_check_barrier_wait(struct trace_worker *w, unsigned thread, const void *pc);
void trace_check_barrier(struct trace_worker *w, unsigned finished);
int trace_check_deadlock(struct trace_worker *w);
void trace_check_died(struct trace_worker *w);

/* An atomic operation or a volatile store on global memory, by a thread that has executed a fence.
 * Nonzero: a time for trace_check_release. */
uint64_t trace_check_atomic(const void *address);
/* An address that is neither device memory nor the thread's stack nor shared memory. 1: count it as
 * global, 0: not at all, -1: an error, noted: the kernel ends with *error. */
int trace_check_outside(struct trace_worker *w, const void *address, unsigned bytes,
                        enum trace_op op, const void *pc, int *error);
/* Host code touches the range of device memory, or a __device__ variable; any thread. */
void trace_check_host(const void *address, unsigned bytes, enum trace_op op, const void *pc);

/* ---- trace_shadow.c ---------------------------------------------------------------------- */

struct shadow {
    uintptr_t first; /* its first line: address / LINE */
    size_t lines;
    unsigned char *written; /* per line: NOTHING, PARTS, ALL; NULL: all counts as written */
    uint64_t (*parts)[2];   /* per line, low and high half, where `written` says PARTS; or NULL */
    uint64_t (*changed)[2]; /* likewise: trace_shadow_changed() in this launch; NULL: nowhere */
    struct line *line;      /* how blocks of a launch have used it; NULL: not looked at */
    uint32_t *page;         /* managed memory: 2 * the launch that touched it last + written */
    uint32_t mixed;         /* the launch that last used it in other ways than stretches can */
    struct shadow *gone, *unsettled;
};
enum { NOTHING, PARTS, ALL };

struct shadow *trace_shadow_of(struct trace_allocation *a); /* made on first use; NULL: no memory */
bytes128 trace_shadow_written(const struct shadow *s, size_t line);
void trace_shadow_mark(struct shadow *s, size_t line, bytes128 written);
/* A block has read them unwritten and then changed them (+=, an atomic): what is there now rests on
 * what was there. For other blocks of the launch they are not written; for later launches they are,
 * which settle() sees to. */
void trace_shadow_changed(struct shadow *s, size_t line, bytes128 changed);
bytes128 trace_shadow_changed_in(const struct shadow *s, size_t line);
void trace_shadow_settle(void);

/* Zeroed memory of the tracer's own, NULL when that would be too much. */
void *trace_memory(size_t bytes);
void trace_memory_give(void *p, size_t bytes);
void trace_memory_is_short(void); /* says so, once; no races are looked for from then on */
extern atomic_int trace_races_off;

void trace_shadow_gone(struct trace_allocation *a); /* it has been freed */
/* A copy from `from`, or a memset (NULL), has written memory. */
void trace_memory_written(void *to, const void *from, size_t bytes);

/* Of the bytes that a copy reads, those that nothing has written, padding aside: how many, and the
 * first; NULL: none. */
const char *trace_unwritten(const void *from, size_t bytes, size_t *count);
void trace_written_unknown(void); /* from now on there are none: a kernel was not traced whole */

/* Fills in the shared variable that an address lies in, or near; on the worker. */
void trace_shared_where(const struct checker *c, uintptr_t address, struct finding *f);

/* The page model is told: a kernel has touched a line of managed memory; the host some bytes. */
void trace_pages_touched(struct shadow *s, uintptr_t line, int written, uint32_t launch);
void trace_shadow_launch(int more); /* 1: a launch begins, -1: one has ended */

/* ---- trace_race.c ------------------------------------------------------------------------ */

/* Neighbouring lanes of one request, within one line: lane `lane` at byte `offset`, each further
 * one `step` bytes on. many: lanes at the same address (step is 0), else 1. range: a piece of a
 * struct, perhaps padding. */
struct run {
    bytes128 mask;
    uint32_t epoch, seq; /* barriers, warp synchronisations before it */
    uint16_t site;
    int16_t step;
    uint8_t class, warp, lane, many, offset, width, fences, range;
};
/* Classes of accesses. VOLATILE_...: see conflict(). */
enum { READ = 1, WRITE, SYNC, VOLATILE_READ, VOLATILE_WRITE };

/* One instruction, one warp after another, each at whole lines that it has to itself: warp
 * `first_warp` at address `start`, each further one `step` bytes on, those below `warp` so far.
 * What most kernels do with most of their memory; it takes no entries in the block's table. */
struct stretch {
    const void *pc;
    uintptr_t next; /* where `warp` goes on; NOWHERE: not known, or no more of the allocation */
    uintptr_t start;
    ptrdiff_t step;        /* as long as there is one warp: a guess, or 0 */
    struct shadow *shadow; /* NULL: moved to the table */
    uint32_t epoch, seq;
    uint16_t site;
    uint8_t op, class, bytes;
    uint8_t known;                 /* lines of each warp that must have been written, or 0 */
    uint8_t first_warp, warp, end; /* warps from `end` on would be outside of the allocation */
};
enum { STRETCHES = 64, NOWHERE = 1 };

struct touched;
struct table {
    struct touched *item;
    uint32_t count, room, *slot, bits;
};

struct warp_order {
    uint32_t seq;       /* synchronisations so far */
    uint32_t all;       /* the last one of all its lanes */
    uint32_t forgotten; /* the last one that is no longer known; counts as one of all lanes */
    unsigned count;
    struct {
        uint32_t seq, lanes;
    } part[32]; /* those of some lanes only, since */
};

/* Who has come to the barrier that the block waits at: at the place where the first one did, and
 * at another one. */
struct barrier {
    const void *pc, *other_pc;
    unsigned first, other_first, here, there; /* lowest thread; how many */
    uint32_t arrived[WARPS];
};

/* Memory that is all given back at once. */
struct chunk;
struct arena {
    struct chunk *chunks, *spare;
    size_t used; /* of the first chunk */
};

struct checker { /* one per worker; between launches in a pool */
    struct checker *next;
    struct cpu_device_launch *launch_of;
    struct trace_launch *record;
    uint32_t launch;
    unsigned long long block, position;
    uint32_t epoch;
    int alone;       /* its launch is the current one */
    int cross_block; /* look for races between blocks? */
    uint64_t clock;  /* when the block began */
    /* Each warp goes through the stretches in the same order. */
    struct stretch stretch[STRETCHES + 1]; /* `next` of the one behind the last: NOWHERE */
    unsigned stretch_count;
    uint8_t stretch_next[WARPS]; /* which one that warp will go on with */
    struct shadow *in_table;     /* has no stretches in this block: the one found last */
    struct table global, shared;
    struct warp_order warp[WARPS];
    uint8_t fences[THREADS];
    int any_fence, any_sync; /* in this block */
    struct order_log *log;
    uint16_t last_order[2][THREADS]; /* of each thread in the log: acquisition, release */
    struct early *early;
    unsigned early_count;
    struct pending *pending;
    unsigned pending_count;
    struct arena of_block, of_launch;
    /* trace_check.c */
    struct barrier barrier;
    const void *site_pc[256];
    uint16_t site_number[256];
    uint8_t site_op[256];
    struct trace_allocation *allocation[64]; /* by site: the one found last */
};

uint32_t trace_race_launch(void); /* the number of the current one */
void trace_race_launch_begin(const struct trace_launch *l, int sampled);
void trace_race_launch_end(int abandoned);
void trace_race_block_begin(struct checker *c);
void trace_race_block_end(struct checker *c);
void trace_race_access(struct checker *c, struct shadow *s, uintptr_t line, struct run *run);
/* A consecutive request within a: 1 if it begins a stretch or goes on with one, else nothing has
 * happened. */
int trace_race_stretch(struct checker *c, const struct trace_request *r, struct trace_allocation *a,
                       struct shadow *s, unsigned site, unsigned class);
void trace_race_barrier(struct checker *c);
/* atomicCAS by a thread of the program: what it read there before needed no order. */
void trace_race_confirm(struct checker *c, struct shadow *s, uintptr_t address, unsigned bytes,
                        unsigned thread);
void trace_race_warp_sync(struct checker *c, unsigned warp, uint32_t lanes);
void trace_race_release(struct checker *c, unsigned thread, uint64_t time);
void trace_race_acquire(struct checker *c, unsigned thread, uintptr_t address,
                        enum trace_space space);
uint64_t trace_race_sync_op(uintptr_t address); /* a releasing operation is about to run */

/* Has every byte been written of the lines from p on? */
static inline int trace_lines_written(const struct shadow *s, uintptr_t p, unsigned lines) {
    const unsigned char *state = s->written + (p / LINE - s->first);
    do
        if (__atomic_load_n(state++, __ATOMIC_ACQUIRE) != ALL)
            return 0;
    while (--lines);
    return 1;
}

/* Warp `t->warp` has gone on. */
static inline void trace_stretch_step(struct checker *c, struct stretch *t) {
    c->stretch_next[t->warp] = (uint8_t)(t - c->stretch + 1);
    t->next = ++t->warp < t->end ? t->next + (uintptr_t)t->step : NOWHERE;
}

/* A consecutive request: 1 if it is what the stretch whose turn it is waits for.  Then nothing
 * about it is left to check. */
static inline int trace_race_goes_on(struct checker *c, const struct trace_request *r) {
    struct stretch *t = &c->stretch[c->stretch_next[r->warp]];
    if (t->pc != r->pc || t->next != r->address[0] || t->warp != r->warp || t->op != r->op ||
        t->bytes != r->bytes || t->seq != c->warp[r->warp].seq)
        return 0;
    if (t->known && !trace_lines_written(t->shadow, t->next, t->known))
        return 0;
    trace_stretch_step(c, t);
    return 1;
}
#endif
