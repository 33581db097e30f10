/*
 * trace.h: what the parts of the tracer share.  Only in the runtime of `cudacc --trace`.
 *
 *   trace.c         the compiler's callbacks; what each thread did, in the buffer of its warp
 *   trace_replay.c  brings the threads of a warp back into step: warp requests
 *   trace_count.c   requests, sectors, bank conflicts, by launch and access
 *   trace_check.c   errors (and trace_shadow.c, trace_race.c, trace_errors.c: trace_check.h)
 *   trace_names.c, trace_source.c, trace_report.c, trace_advice.c   names, lines, the report
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_H
#define CPU_DEVICE_TRACE_H

#include <stdint.h>
#include "runtime.h"
#include "trace_abi.h"
#include "trace_names.h"

enum { TRACE_WARP = 32, TRACE_MAX_WARPS = 1024 / TRACE_WARP };

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
    const uint64_t *address; /* of 32 lanes; those that are not active hold anything */
};
/* Writes out all addresses of a consecutive request. */
void trace_request_addresses(const struct trace_request *r);

/* ---- What was counted -------------------------------------------------------------------- */

/* One access site of a launch: a place in the program and an allocation or shared variable. */
struct trace_row {
    const void *pc;
    enum trace_op op;
    enum trace_space space;
    unsigned bytes;
    struct trace_allocation *allocation;   /* global; NULL: in none */
    const struct trace_variable *variable; /* shared; NULL: in none */
    uint64_t requests, sectors;            /* shared: sectors are wavefronts */
    uint64_t useful_bytes;                 /* distinct bytes of each request, summed */
    uint64_t ideal; /* sectors (wavefronts) that the same bytes need when they lie together */
    uint64_t full;  /* requests of all 32 lanes */
    /* Requests by what is wrong with them, for the report's advice. */
    uint64_t misaligned; /* one gapless piece of memory that starts badly: sectors > ideal */
    uint64_t strided;    /* the same distance from lane to lane, not 0 and not +-bytes */
    uint64_t same;       /* several lanes, one address */
    int64_t stride;      /* bytes, of the first strided request */
    int stride_varies;   /* another one's was different */
    unsigned worst;      /* shared: most wavefronts of one request */
    struct trace_row *next;
};

struct trace_launch {
    unsigned number; /* from 0, in the order of the calls */
    const char *kernel;
    unsigned grid[3], block[3];
    size_t shared_bytes;                      /* dynamic */
    unsigned long long blocks, traced_blocks; /* fewer: sampled; 0: not traced */
    int done;
    struct trace_arguments *arguments;
    struct trace_row *rows;
    struct trace_map *map; /* while it runs */
    struct trace_launch *next;
};
/* In the order of the launches; those that have run. */
void trace_count_each(void (*visit)(const struct trace_launch *launch, void *data), void *data);

/* ---- Workers ----------------------------------------------------------------------------- */

/* What a worker is at: it runs one block after another. */
struct trace_worker {
    struct cpu_device_launch *launch;
    struct trace_launch *record;
    const struct trace_map *map; /* what is allocated during the launch */
    unsigned long long block;    /* linear */
    unsigned long long position; /* of that block in the schedule */
    unsigned threads;            /* of a block */
    unsigned epoch;              /* barriers that the block has passed */
    int fault;                   /* the access recorded last by the running thread has faulted */
    struct trace_counts *counts; /* trace_count.c's own */
    struct checker *checker;     /* trace_check.c's own */
};
struct trace_worker *trace_worker(void); /* the calling thread's */

/* ---- Consumers, in the order in which a GPU would do it; on the worker -------------------- */

void trace_count_request(struct trace_worker *w, const struct trace_request *r);
void trace_count_worker_begin(struct trace_worker *w); /* this worker joins in a launch */
void trace_count_worker_end(struct trace_worker *w);   /* and leaves: adds up into w->record */
void trace_count_thread_ends(struct trace_worker *w);
void trace_count_launch_end(struct trace_launch *record);

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
void trace_check_deadlock(struct trace_worker *w); /* the block can never end */

/* ---- The same at execution, before the access --------------------------------------------- */

/* An atomic operation or a volatile store on global memory, by a thread that has executed a fence.
 * Nonzero: a time for trace_check_release. */
uint64_t trace_check_atomic(const void *address);
/* An address that is neither device memory nor the thread's stack nor shared memory. 1: count it as
 * global, 0: not at all, -1: an error, noted: the kernel ends with *error. */
int trace_check_outside(struct trace_worker *w, const void *address, unsigned bytes,
                        enum trace_op op, const void *pc, int *error);
/* Host code touches the range of device memory, or a __device__ variable; any thread. */
void trace_check_host(const void *address, unsigned bytes, enum trace_op op, const void *pc);
/* Any memory, while copies are queued; not through volatile, which says that others write it. */
void trace_check_copies(const void *address, unsigned bytes, enum trace_op op, const void *pc);

/* What a function of the C library is about to load or store, in a kernel or on the host. */
void trace_range(const void *p, size_t bytes, enum trace_op op, const void *pc);

/* ---- trace.c, for block.c ------------------------------------------------------------------ */

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
/* The stack of the fiber that runs next. */
void trace_stack(const char *low, size_t bytes);

/* A block starts as a plain loop (launch.h, trace_abi.h). Once it has left that: */
void trace_left_plain_loop(unsigned thread); /* `thread` runs; those before it have returned */
void trace_thread_begin(unsigned thread);
void trace_thread_end(unsigned thread);
/* The running thread stays behind. waits: for something that others have to do. */
void trace_suspend(unsigned thread, int waits);
void trace_released(unsigned thread); /* it need not wait any more */
void trace_resume(unsigned thread);   /* it runs again */
void trace_polled(void);              /* it has looked for what others may have done */
/* A warp function: these lanes, all suspended, go on together. */
void trace_warp_together(unsigned warp, unsigned lanes);
/* It waits at a barrier. */
void trace_barrier_wait(unsigned thread, const void *pc);
/* All threads wait at the barrier or have returned: 0, or an error that ends the kernel. */
int trace_barrier(unsigned finished);
/* Everything recorded in the block, as far as it has come; 0, or an error that was found. */
int trace_rest(void);
/* The block can never end: 0 if it is not recorded, else the error that ends the kernel. */
int trace_deadlock(void);
/* After a fault in the running thread: the same for its warp. */
int trace_fault(void);

/* ---- trace_replay.c ------------------------------------------------------------------------ */

#ifndef TRACE_ROWS
#define TRACE_ROWS 256 /* no count depends on it: tests/trace_random.t tries fewer */
#endif
enum { TRACE_MARGIN = 8 };

/* What lanes of a warp did as their n-th: at an address, and a place, which is a position in the
 * program with a code in its low 16 bits, so that places are in the order of the program.
 *
 * In the plain loop over a block's threads the lanes run one after another and nearly always do the
 * same. So the first lane writes down what it did, and the next ones only compare: same place, and
 * an address in line with the others'? A warp whose lanes have all done the same leaves its rows to
 * the next one, which will most often do the same, a little further on in memory. */
struct trace_event_row {
    uint64_t key;          /* the caller's address, or the place of what is no access; 0: no lane */
    uint64_t next;         /* the running lane's address, if it is in line */
    uint64_t stride, base; /* lane i is at base + i * stride, or OUT_OF_LINE: each has its own */
    uint64_t common;       /* the place of all lanes */
    unsigned first;        /* lane */
    struct trace_request request;
    /* For each lane by itself. */
    uint64_t address[TRACE_WARP] __attribute__((aligned(64)));
    uint64_t place[TRACE_WARP];
} __attribute__((aligned(64)));
static const uint64_t OUT_OF_LINE = 1ull << 63; /* no address */

enum {
    EVENT_LOG2_BYTES = 7,
    EVENT_OP = 3 << 3,
    EVENT_SHARED = 1 << 5,
    EVENT_VOLATILE = 1 << 6,
    EVENT_RANGE = 1 << 7,
    EVENT_COMPARE = 1 << 8,
    EVENT_KIND = 15 << 12, /* 0: an access; else instead of the address there is */
    EVENT_FENCE = 1 << 12,
    EVENT_RELEASE = 2 << 12, /* a time */
    EVENT_RETURN = 3 << 12,  /* from a function that was not inlined */
    EVENT_CALL = 4 << 12,    /* of such a function, from there */
    EVENT_SYNC = 5 << 12,    /* a warp function: its lanes and a number */
    EVENT_BACK = 6 << 12     /* a jump backwards, from there */
};
static inline uint64_t trace_event_place(uintptr_t pc, unsigned code) {
    return (uint64_t)pc << 16 | code;
}

struct trace_warp {
    struct trace_event_row rows[TRACE_ROWS + TRACE_MARGIN];
    unsigned number;            /* of the warp */
    unsigned exist;             /* lanes that have not returned */
    unsigned begun;             /* of these, lanes that have been started */
    unsigned full;              /* lanes that wait for room in the buffer */
    unsigned runs;              /* of these, lanes that may still add events before others do */
    unsigned fenced;            /* lanes that have executed a fence */
    unsigned sync_number;       /* warp functions so far */
    unsigned polls;             /* how often a lane may have waited in a loop */
    unsigned next[TRACE_WARP];  /* event to replay */
    unsigned count[TRACE_WARP]; /* events recorded */
    unsigned deep;              /* lanes that the replay sees in calls */
    unsigned depth[TRACE_WARP]; /* how deep, and from where */
    uint64_t stack[TRACE_WARP][TRACE_DEPTH];
    /* Of suspended threads: cpu_device_trace_lane. */
    uintptr_t last_block[TRACE_WARP];
    unsigned calls[TRACE_WARP];
    uintptr_t callers[TRACE_WARP][TRACE_DEPTH];
    struct trace_warp *free;
};
/* One row of the plain loop, in which all of `lanes` did the same; 0, or an error that ends the
 * kernel. */
void trace_request_at(struct trace_request *r, uint64_t place); /* what the place says of it */
int trace_replay_row(struct trace_worker *w, unsigned warp, struct trace_event_row *row,
                     unsigned lanes);
/* Where the lanes of a row stand in line, their addresses are written out. */
void trace_row_addresses(struct trace_event_row *row, unsigned lanes);
/* Replays as far as it is known what comes next, and makes room; 0, or an error. `first`: a lane
 * whose turn it is, wherever the others stand. */
enum { TRACE_IN_ORDER = -1 };
int trace_replay(struct trace_worker *w, struct trace_warp *warp, int first);

#endif
