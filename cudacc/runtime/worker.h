/*
 * worker.h: a worker, which runs the threads of one block after another: for files of this folder
 * and of extra/runtime alone.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "runtime/observer.h"
#include "runtime/sanitizers.h"

enum {
    STACK_BYTES = 704 << 10, /* a GPU's thread has 512 KiB; only touched pages cost memory */
    STACKS_AT_A_TIME = 32
};

struct fiber {
    /* What each switch and each warp function needs: one line of the cache. */
    void *sp;           /* while it does not run */
    struct fiber *next; /* in the list that it waits in: free, ready or at the barrier */
    unsigned long long value, result;
    uint3 index;   /* the thread it stays behind with */
    int operation; /* what it meets others for, and its argument (warp.h) */
    unsigned argument;
    unsigned mask, lanes; /* of the warp function: who was named, who took part */
    int unnamed;          /* does it lack itself, as it was called? */

    char *stack;
    unsigned named;  /* if it is unnamed: as it was called */
    unsigned thread; /* linear index, and source line, of __activemask */
    int line;        /* or place, of a step */
    struct round {   /* of loops around steps that it was in last, outermost first; then of calls */
        int begin, end;
        unsigned count;
    } round[8];
    unsigned long long round_thread; /* whose they are */
    int absent; /* the lane that it asked, which does not take part; else -1; observed alone */
    struct cpu_device_warp_call call; /* the warp function that it waits in; observed alone */
    /* In the last step of a reduction it got nothing of value: of which lane; how far away (0: it
     * did not); does it have it from before? What it had then. */
    struct doubt {
        int absent, step, is_sure;
        unsigned long long value;
    } doubt;
    unsigned long long *values;
    struct sanitizer_stack sanitizer;
#ifdef CPU_DEVICE_UCONTEXT
    void *context;
#endif
} __attribute__((aligned(64)));

#if defined(__x86_64__) && !defined(CPU_DEVICE_UCONTEXT)
#define CPU_DEVICE_SHORT_SWITCH /* cpu_device_meet needs no C */
#endif
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(CPU_DEVICE_UCONTEXT)
/* Saves the registers that a call must preserve, then continues where `to` was saved. */
void cpu_device_switch(void **from, void *to, unsigned long long result);
NOT_COUNTED static inline void fiber_switch(struct fiber *from, struct fiber *to) {
    cpu_device_switch(&from->sp, to->sp, to->result);
}
#else
void fiber_switch(struct fiber *from, struct fiber *to);
#endif

struct fiber_list {
    struct fiber *head, *tail;
};
static inline void list_push(struct fiber_list *q, struct fiber *f) {
    f->next = NULL;
    if (q->head)
        q->tail->next = f;
    else
        q->head = f;
    q->tail = f;
}
static inline struct fiber *list_pop(struct fiber_list *q) { return LIST_TAKE(q->head); }

/* Moves all of b to the end of a. */
static inline void list_append(struct fiber_list *a, struct fiber_list *b) {
    if (!b->head)
        return;
    if (a->head)
        a->tail->next = b->head;
    else
        a->head = b->head;
    a->tail = b->tail;
    b->head = NULL;
}

struct worker {
    void (*main)(void); /* what its fibers run */
    /* What it waits for may be a block that has not begun: one more thread runs blocks. */
    void (*call_helper)(struct worker *w);
    struct fiber own;                    /* the worker's ordinary stack */
    struct fiber *free, *running, *left; /* left: by the last switch */
    unsigned stacks;                     /* that this worker holds */
    void *signal_stack;
    int in_kernel;
    int error;      /* cudaError_t that ended the kernel here */
    int has_failed; /* an error will end it that is looked for again, with the thread's name */
    unsigned long long position;

    struct cpu_device_launch *launch;
    unsigned long long block, chunk_end;
    unsigned long long blocks;    /* begun so far */
    struct worker_copies *copies; /* extra/runtime/async_copies.c's own, freed with the worker */
    /* the current block */
    unsigned threads, started, finished;
    unsigned order_seed;
    struct fiber_list ready, barrier, parked; /* parked: in __activemask */
    struct fiber_list stepping;               /* before they use volatile memory */
    unsigned held[MAX_WARPS];                 /* steps, one after another, that not all took */
    unsigned at_barrier, trues, barrier_result[CPU_BARRIER_OR + 1];
    unsigned exited[MAX_WARPS];           /* lanes that have returned */
    struct fiber *lanes[MAX_WARPS][WARP]; /* lanes that wait in a warp function */
    unsigned waiting[MAX_WARPS];
    unsigned polls;              /* since the last look at the clock */
    unsigned long progress;      /* threads that have returned, barriers, warp functions */
    unsigned long progress_seen; /* its own and the launch's, at patience_from */
    double patience_from;        /* this thread's CPU time in seconds */
    unsigned long work_seen;     /* its own progress at work_from */
    double work_from;            /* likewise, for loops that do not wait */
    unsigned long own_seen;      /* its own progress at helped_at, the time of the last helper */
    double helped_at;
};

extern PRIVATE __thread struct worker *self;

/* ---- fiber.c ---- */
struct fiber *fiber_get(struct worker *w); /* one that begins at the start of w->main */
void fiber_put(struct worker *w, struct fiber *f);
void fibers_give_back(struct worker *w); /* all of them; only between kernels */

/* ---- behind_shared.c ---- */
void behind_shared_close(int is_closed); /* of the calling thread */
int is_behind_shared(const void *p);
int is_shared(const volatile void *p); /* a __shared__ variable, or dynamic shared memory? */
void behind_shared_begin(const struct cpu_device_launch *l);
/* Bytes stored past the end since the launch began, and past the end of what. 0: none. */
size_t behind_shared_stored(const struct cpu_device_launch *l, const char **past);

/* ---- stop.c ---- */
void kernel_place(char *text, size_t size); /* "kernel k, block (0,0,0), thread (1,0,0)" */
void cpu_device_print(const char *text);    /* on stderr; safe in a signal handler */
void stop(struct worker *w);                /* its launch is given up */
/* The running thread ends its kernel. A plain program says so at once, in `line`; an observer is
 * told by `what`. */
_Noreturn void die(int error, const char *what, const void *pc, const char *line);
unsigned waiting_in_warps(const struct worker *w); /* threads of the block, in warp functions */
void deadlock(struct worker *w); /* threads wait in warp functions for others that do not come */

/* ---- warp.c ---- */
const char *warp_function(int operation); /* its name */
/* Of a warp's fibers those of `lanes` have met: gives each its result. */
void warp_results(struct fiber *const *lane, unsigned lanes);

/* How the blocks of a cooperative launch wait for each other: extra/runtime/grid.c. */
struct cooperation {
    /* run_block(l) on a thread of its own for each block. */
    void (*run)(struct cpu_device_launch *l, void (*run_block)(struct cpu_device_launch *l));
    void (*block_ended)(struct worker *w);
    void (*stop)(struct cpu_device_launch *l); /* an error: no block waits any more */
};

/* ---- wait.c ---- */
/* The running thread waits in cpu_device_meet, its registers saved below sp: where to continue, and
 * what cpu_device_meet then gives. */
struct resumption {
    void *sp;
    unsigned long long result;
};
PRIVATE struct resumption cpu_device_meet_from(int operation, unsigned mask,
                                               unsigned long long value, unsigned argument,
                                               void *sp);
/* The running thread will stay behind, or be alone: threads run one by one. Its fiber. */
static inline struct fiber *leave_fast_path(struct worker *w) {
    if (!cpu_device_one_by_one)
        cpu_device_leave_fast_path();
    return w->running;
}
/* Which fiber continues when the running thread cannot; NULL: none can. */
struct fiber *next_fiber(struct worker *w);
/* The calling thread stays behind; comes back when it has been made ready. */
void stay_behind(struct worker *w);
/* Of each warp those threads continue that are furthest back, lane by lane, as on a GPU; now and
 * then all, since one may wait for another that is ahead of it. */
void release_stepping(struct worker *w);

/* ---- watchdog.c ---- */
static inline void count_progress(struct worker *w) {
    if (++w->progress % 64 == 0) /* the other workers need not know of each */
        __atomic_fetch_add(&w->launch->progress, 1, __ATOMIC_RELAXED);
}
/* The running thread polls. Ends its kernel if nothing can come of that. */
void poll_watchdog(struct worker *w);

/* Continues with fiber f; comes back when another continues with the caller. ends: none does. */
NOT_COUNTED static inline void go_to(struct worker *w, struct fiber *f, int ends) {
    struct fiber *from = w->running;
    if (f == from)
        return;
    w->running = f;
    if (f != &w->own)         /* it has no thread: the observer asks who died */
        threadIdx = f->index; /* where it waits in cpu_device_meet */
    OBSERVE(stack, f->stack, STACK_BYTES);
    if (__builtin_expect(sanitizer_linked, 0)) {
        w->left = from;
        sanitizer_leave(&from->sanitizer, &f->sanitizer, ends);
    }
    fiber_switch(from, f);
    if (__builtin_expect(sanitizer_linked, 0))
        sanitizer_arrive(&from->sanitizer, &w->left->sanitizer);
}
