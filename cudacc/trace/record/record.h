/*
 * record.h: what the threads of a block do with memory, thread by thread, until the lanes of each
 * warp are reconverged and handed on, to check/ and count/.
 *
 *   hooks.c    the calls that the compiler puts before each access and into each basic block
 *   libc.c     memcpy and related functions; host_calls.c: the host's puts and others
 *   warp_calls.c  lanes that have returned, and should have made a call of their warp
 *   atomics.c  what those calls make of atomics
 *   events.c   the running thread's next event, against its row of its warp's buffer
 *   lanes.c    whose turn it is, in step or in a column of its own; the fast path
 *   threads.c  threads one by one, after the fast path
 *   replay.c   the lanes of a warp in step: warp requests
 *   blocks.c   blocks, workers and launches begin and end
 *
 * The room calls those below it.  The runtime calls it through struct observer.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/check.h"
#include "trace/check/streams.h"
#include "trace/count/count.h"

/* ---- The buffer of a warp ---------------------------------------------------------------- */

#ifndef TRACE_ROWS
#define TRACE_ROWS 256 /* no count depends on it: cudacc/tests/trace/random.t tries fewer */
#endif
enum { TRACE_MARGIN = 8 };

/* What lanes of a warp did as their n-th: at an address, and a place, which is a position in the
 * program with a code in its low 16 bits, so that places are in the order of the program.
 *
 * In the fast path over a block's threads the lanes run one after another and nearly always do the
 * same. So the first lane writes down what it did, and the next ones only compare: same place, and
 * an address in line with the others'? A warp whose lanes have all done the same leaves its rows to
 * the next one, which will most often do the same, a little further on in memory. */
struct trace_event_row {
    uint64_t key;          /* the caller's address, or the place of what is no access; 0: no lane */
    uint64_t next;         /* the running lane's address, if it is in line; of EVENT_BACK: where to,
                            * OUT_OF_LINE: not known */
    uint64_t stride, base; /* lane i is at base + i * stride, or OUT_OF_LINE: each has its own */
    uint64_t common;       /* the place of all lanes */
    uint64_t from;         /* of EVENT_BACK, in step: the basic block; else 0 */
    unsigned first;        /* lane */
    struct trace_request request;
    /* For each lane by itself. */
    uint64_t address[WARP] __attribute__((aligned(64)));
    uint64_t place[WARP];
} __attribute__((aligned(64)));
static const uint64_t OUT_OF_LINE = 1ull << 63; /* no address */

enum {
    EVENT_LOG2_BYTES = 7,
    EVENT_OP = 3 << 3,
    EVENT_SHARED = 1 << 5,
    EVENT_VOLATILE = 1 << 6,
    EVENT_RANGE = 1 << 7,
    EVENT_COMPARE = 1 << 8,
    EVENT_OF_BLOCK = 1 << 9,
    EVENT_TEXEL = 1 << 10,
    EVENT_KIND = 15 << 12, /* 0: an access; else instead of the address there is */
    EVENT_FENCE = 1 << 12,
    EVENT_RELEASE = 2 << 12, /* a time */
    EVENT_RETURN = 3 << 12,  /* from a function that was not inlined */
    EVENT_CALL = 4 << 12,    /* of such a function, from there */
    EVENT_SYNC = 5 << 12,    /* a warp function: its lanes, a number, and EVENT_ORDERS */
    EVENT_BACK = 6 << 12,    /* a jump backwards, from there: to */
    EVENT_FREE = 7 << 12,    /* of what malloc() gave: its address */
    EVENT_BEGUN = 8 << 12,   /* a copy to an address (EVENT_COMPARE: of the one begun last, from
                              * one), whose bytes it has in EVENT_LOG2_BYTES; */
    EVENT_ARRIVED = 9 << 12  /* its thread has waited for it */
};
static const uint64_t EVENT_ORDERS = 1ull << 63; /* orders memory, as __syncwarp does */
static inline uint64_t trace_event_place(uintptr_t pc, unsigned code) {
    return (uint64_t)pc << 16 | code;
}

/* The warp functions that its lanes have called, by return address. */
enum { TRACE_CALL_PLACES = 32 };
struct trace_warp_calls {
    uintptr_t at[WARP], before[WARP]; /* each lane's last call, and the one before it */
    unsigned met[WARP];               /* when it last met others; 0: never */
    unsigned places;                  /* more are not followed */
    struct {
        uintptr_t pc;
        unsigned lanes; /* that have called it there */
    } place[TRACE_CALL_PLACES];
};

/* Behind a barrier, too, the lanes run one after another, from that barrier to the next one. While
 * they do the same they are in step: the rows hold it, as on the fast path, and stay as what they
 * will probably do behind the next barrier. Else each lane has its column. */
struct trace_warp {
    struct trace_event_row rows[TRACE_ROWS + TRACE_MARGIN];
    struct trace_event_row *expected; /* from here on no row has a key; see trace_abi.h */
    int in_step;
    unsigned turn;        /* in step: the lane that runs or will; those before have run */
    unsigned number;      /* of the warp */
    unsigned exist;       /* lanes that have not returned */
    unsigned begun;       /* of these, lanes that have been started */
    unsigned full;        /* lanes that wait for room in the buffer */
    unsigned runs;        /* of these, lanes that may still add events before others do */
    unsigned fenced;      /* lanes that have executed a fence */
    unsigned sync_number; /* warp functions so far */
    unsigned polls;       /* how often a lane may have waited in a loop */
    unsigned next[WARP];  /* event to replay */
    unsigned count[WARP]; /* events recorded */
    unsigned deep;        /* lanes that the replay sees in calls */
    unsigned depth[WARP]; /* how deep, and from where */
    uint64_t stack[WARP][TRACE_DEPTH];
    /* Of suspended threads: cpu_device_trace_lane. */
    uintptr_t last_block[WARP];
    unsigned calls[WARP];
    uintptr_t callers[WARP][TRACE_DEPTH];
    struct trace_warp_calls warp_calls;
    struct trace_warp *free;
};
void trace_request_at(struct trace_request *r, uint64_t place); /* what the place says of it */
/* One row of the fast path, in which all of `lanes` did the same; 0, or an error that ends the
 * kernel. */
int trace_replay_row(struct trace_worker *w, unsigned warp, struct trace_event_row *row,
                     unsigned lanes);
/* Where the lanes of a row stand in line, their addresses are written out. */
void trace_row_addresses(struct trace_event_row *row, unsigned lanes);
/* Replays as far as it is known what comes next, and makes room; 0, or an error. `first`: a lane
 * whose turn it is, wherever the others stand. */
enum { TRACE_IN_ORDER = -1 };
int trace_replay(struct trace_worker *w, struct trace_warp *warp, int first);

/* ---- What a worker's threads have done (lanes.c) ------------------------------------------- */

struct recorder {
    struct trace_worker worker;
    struct trace_warp *warps[MAX_WARPS]; /* of the current block, where one is in use */
    struct trace_warp *plain, *free;
    struct trace_warp *running; /* of the thread that runs, outside of the fast path */
    /* In the fast path: */
    unsigned uneven,
        apart;            /* lanes that ended elsewhere than the others; that went their own way */
    unsigned count[WARP]; /* of these, events */
};
enum recorder_state { ON_HOST, IN_UNTRACED_BLOCK, RECORDING };
/* cpu_device_trace_lane itself, by a shorter way: it is visible to the program. */
extern PRIVATE __thread struct cpu_device_trace_lane record_now;
extern PRIVATE __thread struct recorder *recorder;
extern PRIVATE __thread enum recorder_state recorder_state;
extern PRIVATE __thread uintptr_t recorder_stack; /* of the running thread, with its bytes */
extern PRIVATE __thread size_t recorder_stack_bytes;
extern PRIVATE __thread uintptr_t
    recorder_shared; /* trace_shared_range(); bytes: 0 while nothing */
extern PRIVATE __thread size_t recorder_shared_bytes; /* is recorded */
extern PRIVATE __thread uintptr_t recorder_variables; /* the same, without what lies beside them */
extern PRIVATE __thread size_t recorder_variables_bytes;
extern PRIVATE uintptr_t recorder_memory; /* all device memory */
extern PRIVATE size_t recorder_memory_bytes;

enum { EVENT_ROW = sizeof(struct trace_event_row) / sizeof(uint64_t) };
extern PRIVATE struct trace_event_row record_no_row; /* of a thread that has a column of its own */
static inline int record_alone(void) { return record_now.row == &record_no_row; }
/* The running thread does something else than the lanes of its warp before it did. */
void record_go_apart(void);
/* Do all addresses of a line lie where hooks.c would take each for what the first one was? */
int record_in_space(uint64_t place, uint64_t base, uint64_t stride);

/* The running thread's next event: an access, or something else that has a value instead of an
 * address. */
void record_access(uint64_t place, uint64_t address);
void record_mark(uint64_t place, uint64_t value);
void record_mark_from(uintptr_t block, uint64_t place, uint64_t value); /* EVENT_BACK */
/* Lies threadIdx or its like there? */
int record_holds_built_in(uintptr_t low, uintptr_t high);
/* A lane that has made an access there stands behind it, or at a later basic block. */
static inline void record_passed(uintptr_t *last_block, uint64_t place) {
    if (!(place & EVENT_KIND) && place >> 16 > *last_block)
        *last_block = (uintptr_t)(place >> 16);
}
/* The place of an event that has none of its own. */
uint64_t record_here(unsigned kind);
struct trace_warp *record_warp(void); /* the running thread's */
unsigned record_lane(void);

/* The running thread is in the loop over the threads, not in the kernel (launch.h). */
static inline void record_outside(void) {
    cpu_device_trace_lane.outside = recorder->worker.launch->traced == CPU_DEVICE_TRACED_WITH_LOOPS;
}
/* A thread's events end here (in step: it has come to a barrier, or to its end), or continue here;
 * its warp. */
void record_save(struct trace_warp *warp, unsigned lane, int in_step);
void record_go_on(struct trace_warp *warp, unsigned lane);
struct trace_warp *record_warp_of(unsigned thread);
/* Replays, or ends the kernel with the error that is found. */
void record_replay(struct trace_warp *warp, int first);
/* No room for the running thread's next event: the others of its warp must come so far, too. */
void record_full(void);

void record_plain_begin(void); /* a block's fast path */
struct trace_warp *record_leave_plain(unsigned lane);
void record_behind_barrier(struct trace_warp *warp); /* all is replayed */
void record_nothing(void);                           /* from here on */
void record_forget(void);                            /* what an abandoned kernel has left */
void record_give_back(void);                         /* all buffers: the thread ends */

/* What a function of the C library is about to load or store, in a kernel or on the host. */
void trace_range(const void *p, size_t bytes, int is_aligned, enum trace_op op, const void *pc);
void trace_access(const void *p, size_t bytes, enum trace_op op, const void *pc); /* a number */

/* ---- See struct observer --------------------------------------------------------------------- */

void trace_start(void);  /* the device starts */
int trace_started(void); /* and has started */
void trace_launch_queued(struct cpu_device_launch *l);
void trace_launch_begin(struct cpu_device_launch *l); /* on the stream's thread */
void trace_launch_end(struct cpu_device_launch *l);
void trace_join(struct cpu_device_launch *l); /* a worker takes part */
void trace_leave(void);                       /* after the last block, or an abandoned one */
void trace_thread_ends(void);                 /* the calling one, with its buffers */
void trace_block_begin(unsigned long long block, unsigned long long position);
void trace_block_end(void); /* all its threads have returned */
void trace_stack(const char *low, size_t bytes);

/* A block starts on the fast path (launch.h, trace_abi.h). Once it has left that: */
void trace_left_plain_loop(unsigned thread); /* `thread` runs; those before it have returned */
void trace_thread_begin(unsigned thread);
void trace_thread_end(unsigned thread);
void trace_suspend(unsigned thread, enum suspension why); /* the running one stays behind */
void trace_grid_barrier(const void *place, int continues);
void trace_released(unsigned thread); /* it need not wait any more */
void trace_resume(unsigned thread);   /* it runs again */
void trace_polled(void);              /* it has looked for what others may have done */
void trace_warp_together(unsigned warp, unsigned lanes, int orders_memory);
void trace_warp_called(unsigned thread, const void *pc);
void trace_warp_without(unsigned warp, unsigned lanes, unsigned gone,
                        const struct cpu_device_warp_call *call);
void trace_barrier_wait(unsigned thread, const void *pc);
void trace_past_end(const void *p, int stores, const void *pc);
void trace_texel(const void *p, unsigned bytes, int stores, const void *pc);
void trace_copy_begun(const void *to, const void *from, unsigned bytes, const void *pc);
void trace_copy_arrived(const void *to, unsigned bytes, const void *pc);
/* All threads wait at the barrier or have returned: 0, or an error that ends the kernel. */
int trace_barrier(unsigned finished);
void trace_warp_misused(const char *why, unsigned thread, struct cpu_device_warp_call call,
                        unsigned other_thread, struct cpu_device_warp_call other);
int trace_deadlock(const char *what, unsigned thread);
void trace_dies(int error, const char *what, const void *pc, const void *address);
void trace_died(void);
/* A kernel ends the whole program, by exit(); its launch. */
const struct trace_launch *trace_exits(void);
