/*
 * check.h: what the parts of the tracer's error checks share.
 *
 *   request.c       launches and blocks; each warp request: bounds, alignment, whose memory;
 *                   copies to shared memory, at their begin and at their wait
 *   barrier.c       barriers of a block
 *   bad_pointers.c  addresses in no allocation, and host code's
 *   race_*.c        who used which bytes in this launch, and in which order; each of these calls
 *                   those below it only:
 *     race_block.c      who used a line within a block
 *     race_cells.c      who used its words, where that is much
 *     race_found.c      the races of a block
 *     race_order.c      what orders accesses: warp synchronizations, and fences with atomics
 *     race_grid.c       who used a line in all blocks
 *     race_conflicts.c  its words where they do not agree
 *   unwritten.c     reads of memory that was never written, or that a copy is still to write
 *   shadow.c        which bytes of device memory have been written
 *   unseen.c        accesses that were not seen
 *   streams.c       what other streams and the host do with the same memory
 *   findings.c      what was found (findings.h)
 *   arena.c         memory of the tracer's own
 *
 * Traced launches take turns, so that there is one current launch and the reports are the same on
 * every run.  Only a launch that would wait for a kernel that does not continue, perhaps because it
 * waits itself, runs beside it: then races between the blocks of that launch are not looked for.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/access.h"
#include "trace/check/arena.h"
#include "trace/check/findings.h"

/* ---- request.c, barrier.c: what record/ hands on, in the order in which a GPU would do it ---- */

/* On the stream's thread. */
void trace_check_launch_begin(struct trace_launch *record);
void trace_check_launch_end(struct trace_launch *record, struct cpu_device_launch *l);
/* On a worker. */
void trace_check_worker_begin(struct trace_worker *w);
void trace_check_worker_end(struct trace_worker *w);
void trace_check_block_begin(struct trace_worker *w);
void trace_check_block_end(struct trace_worker *w); /* not after an error in memory */
/* 0, or the error (700, 716) that ends the kernel; it has been noted. */
int trace_check_request(struct trace_worker *w, const struct trace_request *r);
/* An asynchronous copy to shared memory: a thread begins it (is_source: that is where the one begun
 * last reads); has waited for it. The latter, as a request, may end the kernel. */
void trace_check_copy_begun(struct trace_worker *w, unsigned thread, uintptr_t address,
                            unsigned bytes, const void *pc, int is_source);
int trace_check_copy_arrived(struct trace_worker *w, unsigned thread, uintptr_t to, const void *pc);
/* Lanes jump back over the barrier that the block has come from. */
void trace_check_back(struct trace_worker *w, unsigned warp, unsigned lanes);
/* A barrier: one thread arrives (at once); all have, and all before has been reported. */
void trace_check_barrier_wait(struct trace_worker *w, unsigned thread, const void *pc);
void trace_check_barrier(struct trace_worker *w, unsigned finished);
void trace_barrier_passed(struct trace_worker *w, const void *pc); /* NULL: a block begins */
/* At execution. */
void trace_check_warp_misused(struct trace_worker *w, const char *why, unsigned thread,
                              struct cpu_device_warp_call call, unsigned other_thread,
                              struct cpu_device_warp_call other);
/* The block can never end; 0: it is not a barrier that some of its threads wait at. */
int trace_check_deadlock(struct trace_worker *w);

/* ---- bad_pointers.c ---------------------------------------------------------------------- */

void trace_check_died(struct trace_worker *w); /* w->death: all that the block did is recorded */
/* At execution, before the access: an address that is neither device memory nor the thread's stack
 * nor shared memory. 1: count it as global, 0: not at all, -1: an error, noted: the kernel ends
 * with *error. */
int trace_check_outside(struct trace_worker *w, const void *address, unsigned bytes,
                        enum trace_op op, const void *pc, int *error);
/* An address past an end of the variable that the source names. An error, noted; or 0: its access
 * will be recorded and checked. */
int trace_check_past_end(struct trace_worker *w, const void *address, enum trace_op op,
                         const void *pc);
/* Host code touches the range of device memory, or a __device__ variable; any thread. */
void trace_check_host(const void *address, unsigned bytes, enum trace_op op, const void *pc);
/* Memory of the device is freed; by a call that does not wait for what uses it. */
void trace_check_freed(const void *base);
void trace_check_freed_unwaited(const void *base);
/* Host code is about to free memory of its own. */
void trace_check_host_frees(const void *p, size_t bytes, struct api_call call);

/* In the block that w runs. */
static inline struct finding trace_finding_in(const struct trace_worker *w, enum error_kind kind) {
    return (struct finding){
        .kind = kind, .launch = w->record, .position = w->position, .block = w->block};
}

/* ---- unwritten.c ------------------------------------------------------------------------- */

/* Of the bytes that a copy reads, those that nothing has written, padding aside: how many, and the
 * first; NULL: none. */
const char *trace_unwritten(const void *from, size_t bytes, size_t *count);
void trace_written_unknown(void); /* from now on there are none: a kernel was not traced whole */

/* A copy to shared memory that a thread has begun and not waited for yet; or, after it, where that
 * one reads. */
struct under_way {
    uintptr_t address;
    const void *pc;
    uint32_t epoch, seq; /* when it began */
    uint16_t thread;
    uint8_t bytes, is_source;
    struct under_way *next; /* of the same thread, or of the spare ones */
};
void trace_under_way_add(struct checker *c, struct under_way copy);
/* The thread's copy to this address, which is no longer under way. 0: there is none. */
int trace_under_way_take(struct checker *c, unsigned thread, uintptr_t to, struct under_way *copy);

/* ---- race_block.c, race_order.c ------------------------------------------------------------ */

/* A thread's atomicCAS: its plain read of this address before only prepared it: no race. */
void trace_race_confirm(struct checker *c, struct shadow *s, uintptr_t address, unsigned thread);

/* On a worker, what its block does; at a barrier over the grid a thread comes for its block (all
 * before has been reported), or continues. */
void trace_race_fence(struct trace_worker *w, unsigned thread, int is_of_block);
void trace_race_warp_sync(struct trace_worker *w, unsigned warp, unsigned lanes);
void trace_race_release(struct trace_worker *w, unsigned thread, uint64_t time);
void trace_race_grid_barrier(struct trace_worker *w, unsigned thread, const void *place,
                             int continues);
/* An atomic operation or a volatile store on global memory is about to run, by a thread that has
 * executed a fence. A time for trace_race_release. */
uint64_t trace_race_sync_op(const void *address);
void trace_race_acquire(struct checker *c, unsigned thread, uintptr_t address,
                        enum trace_space space);
void trace_race_atomic(struct checker *c, unsigned thread, uintptr_t address, unsigned site);

/* ---- Checkers ---------------------------------------------------------------------------- */

/* Who has come to the barrier that the block waits at: at the place where the first one did, and
 * at another one. */
struct barrier {
    const void *pc, *other_pc;
    unsigned first, other_first, here, there; /* lowest thread; how many */
    uint32_t arrived[MAX_WARPS];
};

/* The synchronizations of a warp. */
struct warp_order {
    uint32_t seq;       /* how many so far */
    uint32_t all;       /* the last one of all its lanes */
    uint32_t forgotten; /* the last one that is no longer known; counts as one of all lanes */
    unsigned count;
    struct {
        uint32_t seq, lanes;
    } part[32]; /* those of some lanes only, since */
};

enum { KEPT_RUNS = 512 };
struct checker { /* one per worker; between launches in a pool */
    struct checker *next;
    struct trace_worker *worker;
    uint32_t launch;
    uint32_t epoch;
    int alone;                           /* its launch is the current one */
    int cross_block;                     /* look for races between blocks? */
    uint64_t clock;                      /* when the block began */
    struct address_table global, shared; /* lines that the block has touched */
    struct warp_order warp[MAX_WARPS];
    uint8_t fences[MAX_THREADS]; /* and acquisitions, so far */
    uint8_t fenced[MAX_THREADS]; /* the last fence, by its number in that; 0: none */
    uint8_t wide[MAX_THREADS];   /* the last one wider than the block */
    struct last_atomic {         /* of each thread; race_order.c's */
        uintptr_t address, lock;
        unsigned site;
    } last_atomic[MAX_THREADS];
    int any_fence, any_sync, any_volatile, any_atomic; /* in this block */
    struct order_log *log;
    struct order *last_order[2][MAX_THREADS]; /* of each thread in it: acquisition, release */
    struct early *early;
    unsigned early_count;
    struct pending *pending;
    unsigned pending_count;
    struct under_way *under_way[MAX_THREADS], *under_way_spare; /* in `of_block` */
    int any_under_way;
    struct arena of_block, of_launch;
    struct runs *kept[KEPT_RUNS]; /* in `of_launch`; race_grid.c's */
    /* request.c */
    struct barrier barrier;
    uint8_t turned[MAX_WARPS];               /* jumps back over the last barrier; see access.h */
    struct trace_allocation *allocation[64]; /* by site: the one found last */
};

/* ---- unseen.c: accesses that were not seen ------------------------------------------------- */

/* On the stream's thread; is_current: the launch has its turn; is_sampled: only some of
 * its blocks are traced. */
void trace_unseen_launch_begin(int is_current, int is_sampled);
void trace_unseen_launch_end(int is_current, int has_failed);
void trace_unseen_request(const struct trace_request *r);

/* A copy or a memset (from: NULL) is about to write, and has written. */
void trace_unseen_copying(void *to, const void *from, size_t bytes);
void trace_unseen_copied(void *to, const void *from, size_t bytes);

/* Memory is scrambled: a kernel touches device memory; at execution, before the access. */
extern int trace_scrambled;
void trace_unseen_touch(const void *p, size_t bytes);
