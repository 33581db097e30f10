/*
 * block.c: runs kernels.
 *
 * The blocks of a launch are taken in chunks by the stream's own thread and by the helpers of a
 * pool, one per further core.  A worker runs the threads of its block one after another, as a
 * plain loop inside one fiber.  Only when a thread has to wait for others, at a barrier or in a
 * warp function, does that fiber stay behind with it, and another fiber carries the loop on.
 *
 * A fiber never leaves its worker, so thread-local variables serve as the block's shared memory
 * and as threadIdx, blockIdx and their relatives.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime.h"
#include "device_abi.h"
#include "sanitizers.h"
#include "trace_hooks.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    WARP = 32,
    MAX_THREADS = 1024,
    SHARED_BYTES = 48 << 10,
    STACK_BYTES = 576 << 10, /* a GPU's thread has 512 KiB; only touched pages cost memory */
    SLAB = 32                /* stacks mapped at a time */
};

/* ---- Fibers ------------------------------------------------------------------------------ */

struct fiber {
    void *sp; /* while it does not run */
    char *stack;
    struct fiber *next;   /* in the list that it waits in: free, ready or at the barrier */
    uint3 index;          /* the thread it stays behind with */
    unsigned mask, lanes; /* of the warp function: who was named, who took part */
    unsigned thread;      /* linear index, and source line, of __activemask */
    int line;
    unsigned long long value, *values;
    struct sanitizer_stack sanitizer;
#ifdef CPU_DEVICE_UCONTEXT
    void *context;
#endif
};

/* Saves the registers that a call must preserve, then continues where `to` was saved. */
#if defined(__x86_64__) && !defined(CPU_DEVICE_UCONTEXT)
void cpu_device_switch(void **from, void *to);
__asm__(".text\n"
        ".globl cpu_device_switch\n"
        ".type cpu_device_switch, @function\n"
        "cpu_device_switch:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size cpu_device_switch, .-cpu_device_switch\n");

static void fiber_prepare(struct fiber *f, char *top, void (*entry)(void)) {
    void **sp = (void **)top;
    *--sp = NULL; /* keeps the stack aligned as after a call */
    *--sp = (void *)entry;
    for (int i = 0; i < 6; i++)
        *--sp = NULL;
    f->sp = sp;
}
NOT_COUNTED static void fiber_switch(struct fiber *from, struct fiber *to) {
    cpu_device_switch(&from->sp, to->sp);
}

#elif defined(__aarch64__) && !defined(CPU_DEVICE_UCONTEXT)
void cpu_device_switch(void **from, void *to);
__asm__(".text\n"
        ".globl cpu_device_switch\n"
        ".type cpu_device_switch, %function\n"
        "cpu_device_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size cpu_device_switch, .-cpu_device_switch\n");

static void fiber_prepare(struct fiber *f, char *top, void (*entry)(void)) {
    void **sp = (void **)(top - 160);
    memset(sp, 0, 160);
    sp[11] = (void *)entry; /* x30, the return address */
    f->sp = sp;
}
NOT_COUNTED static void fiber_switch(struct fiber *from, struct fiber *to) {
    cpu_device_switch(&from->sp, to->sp);
}

#else /* any other machine: slower, since swapcontext makes a system call */
static void *context_of(struct fiber *f) {
    if (!f->context)
        f->context = calloc(1, sizeof(ucontext_t));
    return f->context;
}
static void fiber_prepare(struct fiber *f, char *top, void (*entry)(void)) {
    ucontext_t *u = context_of(f);
    getcontext(u);
    u->uc_stack.ss_sp = f->stack;
    u->uc_stack.ss_size = (size_t)(top - f->stack);
    makecontext(u, entry, 0);
}
NOT_COUNTED static void fiber_switch(struct fiber *from, struct fiber *to) {
    swapcontext(context_of(from), to->context);
}
#endif

/* ---- Workers ----------------------------------------------------------------------------- */

struct queue {
    struct fiber *head, *tail;
};

static void queue_push(struct queue *q, struct fiber *f) {
    f->next = NULL;
    if (q->head)
        q->tail->next = f;
    else
        q->head = f;
    q->tail = f;
}
static struct fiber *queue_pop(struct queue *q) {
    struct fiber *f = q->head;
    if (f)
        q->head = f->next;
    return f;
}

/* Moves all of b to the end of a. */
static void queue_append(struct queue *a, struct queue *b) {
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
    struct fiber own;                    /* the worker's ordinary stack */
    struct fiber *free, *running, *left; /* left: by the last switch */
    unsigned stacks;                     /* that this worker holds */
    void *signal_stack;
    int in_kernel;
    int error; /* cudaError_t that ended the kernel here */
    unsigned long long position;
    char fault[500]; /* the message, while the tracer may have a better one */

    struct cpu_device_launch *launch;
    unsigned long long block, chunk_end;
    /* the current block */
    unsigned threads, started, finished;
    unsigned order_seed;
    struct queue ready, barrier, parked; /* parked: in __activemask */
    unsigned at_barrier, trues, barrier_result[CPU_BARRIER_OR + 1];
    unsigned exited[MAX_THREADS / WARP];           /* lanes that have returned */
    struct fiber *lanes[MAX_THREADS / WARP][WARP]; /* lanes that wait in a warp function */
    unsigned waiting[MAX_THREADS / WARP];
};

static __thread struct worker *self;

__thread uint3 threadIdx, blockIdx;
__thread dim3 blockDim, gridDim;
__thread int cpu_device_one_by_one;
__thread char cpu_device_dynamic_shared[SHARED_BYTES] __attribute__((aligned(128)));

int cpu_device_in_kernel(void) { return self && self->in_kernel; }

static void fiber_main(void);

/* Stacks that no worker needs now. A page that faults lies below each, as long as that does not
 * take too many of the mappings that Linux allows a process (65530). */
static pthread_mutex_t stacks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fiber *spare_stacks;
static struct slab { /* all that there are: what an error left in the middle is in no other list */
    struct fiber fiber[SLAB];
    struct slab *next;
} * slabs;
static unsigned guard_pages;
enum { GUARD_PAGES = 16384 };

static void take_stacks(struct worker *w) {
    pthread_mutex_lock(&stacks_lock);
    if (!spare_stacks) {
        char *p = mmap(NULL, (size_t)SLAB * STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        struct slab *slab = calloc(1, sizeof *slab);
        if (p == MAP_FAILED || !slab) {
            fprintf(stderr, "CPU device: no memory for the stacks of a block's threads\n");
            abort();
        }
        slab->next = slabs;
        slabs = slab;
        struct fiber *f = slab->fiber;
        for (int i = 0; i < SLAB; i++) {
            f[i].stack = p + (size_t)i * STACK_BYTES;
            sanitizer_new_stack(f[i].stack, STACK_BYTES);
            if (guard_pages < GUARD_PAGES) {
                mprotect(f[i].stack, cpu_device.page, PROT_NONE);
                guard_pages++;
            }
            f[i].next = spare_stacks;
            spare_stacks = &f[i];
        }
    }
    for (int i = 0; i < SLAB && spare_stacks; i++) {
        struct fiber *f = spare_stacks;
        spare_stacks = f->next;
        f->next = w->free;
        w->free = f;
        w->stacks++;
    }
    pthread_mutex_unlock(&stacks_lock);
}

/* All of this worker's stacks; only between kernels. */
static void give_stacks_back(struct worker *w) {
    if (!w->free)
        return;
    struct fiber *last = w->free;
    while (last->next)
        last = last->next;
    pthread_mutex_lock(&stacks_lock);
    last->next = spare_stacks;
    spare_stacks = w->free;
    pthread_mutex_unlock(&stacks_lock);
    w->free = NULL;
    w->stacks = 0;
}

static struct fiber *fiber_get(struct worker *w) {
    if (!w->free)
        take_stacks(w);
    struct fiber *f = w->free;
    w->free = f->next;
    /* Stacks lie many pages apart: spread their tops over the cache's sets. */
    size_t colour = ((size_t)(f->stack - (char *)NULL) / STACK_BYTES % 64) * 128;
    fiber_prepare(f, f->stack + STACK_BYTES - colour, fiber_main);
    sanitizer_fresh_stack(&f->sanitizer, f->stack, STACK_BYTES);
    return f;
}
static void fiber_put(struct worker *w, struct fiber *f) {
    f->next = w->free;
    w->free = f;
}

/* Continues with fiber f; comes back when somebody continues with the caller. ends: nobody does. */
NOT_COUNTED static inline void go_to(struct worker *w, struct fiber *f, int ends) {
    struct fiber *from = w->running;
    if (f == from)
        return;
    w->running = f;
    trace_stack(f->stack, STACK_BYTES);
    if (__builtin_expect(sanitizer_linked, 0)) {
        w->left = from;
        sanitizer_leave(&from->sanitizer, &f->sanitizer, ends);
    }
    fiber_switch(from, f);
    if (__builtin_expect(sanitizer_linked, 0))
        sanitizer_arrive(&from->sanitizer, &w->left->sanitizer);
}

/* ---- The order of blocks and threads ----------------------------------------------------- */

/* The k-th of count items in a shuffled order: a bijection by a Feistel-like walk over the next
 * power of two, repeated until it falls inside. */
static unsigned long long shuffled(unsigned long long k, unsigned long long count, unsigned seed) {
    unsigned bits = 1;
    while ((1ull << bits) < count)
        bits++;
    unsigned long long mask = (1ull << bits) - 1;
    do {
        for (unsigned round = 0; round < 4; round++) {
            k = (k * 0x9E3779B97F4A7C15ull + seed + round) & mask; /* odd factor: a bijection */
            k ^= k >> ((bits + 1) / 2);
        }
    } while (k >= count);
    return k;
}

static unsigned long long in_schedule(unsigned long long k, unsigned long long count,
                                      unsigned seed) {
    if (cpu_device.schedule == REVERSED)
        return count - 1 - k;
    if (cpu_device.schedule == SHUFFLED)
        return shuffled(k, count, seed);
    return k;
}

static unsigned linear_thread(void) {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

int cpu_device_next_thread(void) {
    struct worker *w = self;
    if (w->started == w->threads)
        return 0;
    unsigned t = (unsigned)in_schedule(w->started++, w->threads, w->order_seed);
    threadIdx.x = t % blockDim.x;
    threadIdx.y = t / blockDim.x % blockDim.y;
    threadIdx.z = t / (blockDim.x * blockDim.y);
    trace_thread_begin(t);
    return 1;
}

/* Sets up the next block for this worker; 0: none is left. */
static int next_block(struct worker *w) {
    struct cpu_device_launch *l = w->launch;
    if (!TRACED && __atomic_load_n(&l->stop, __ATOMIC_RELAXED))
        return 0;
    int following = w->block != w->chunk_end; /* the last one's neighbour: no division needed */
    if (!following) {
        unsigned long long first = __atomic_fetch_add(&l->next_block, l->chunk, __ATOMIC_RELAXED);
        if (first >= l->blocks)
            return 0;
        w->block = first;
        w->chunk_end = first + l->chunk < l->blocks ? first + l->chunk : l->blocks;
    }
    unsigned long long b = w->block++;
    w->position = b;
    if (TRACED && b > __atomic_load_n(&l->error_position, __ATOMIC_RELAXED))
        return 0;
    if (cpu_device.schedule != IN_ORDER)
        b = in_schedule(b, l->blocks, cpu_device.seed);
    if (following && cpu_device.schedule == IN_ORDER) {
        if (++blockIdx.x == l->grid_dim[0]) {
            blockIdx.x = 0;
            if (++blockIdx.y == l->grid_dim[1])
                blockIdx.y = 0, blockIdx.z++;
        }
    } else {
        blockIdx.x = (unsigned)(b % l->grid_dim[0]);
        blockIdx.y = (unsigned)(b / l->grid_dim[0] % l->grid_dim[1]);
        blockIdx.z = (unsigned)(b / l->grid_dim[0] / l->grid_dim[1]);
    }
    cpu_device_one_by_one = cpu_device.schedule != IN_ORDER;
    w->order_seed = cpu_device.seed ^ (unsigned)(b * 2654435761u);
    w->started = w->finished = 0;
    if (cpu_device_one_by_one)
        memset(w->exited, 0, sizeof w->exited);
    trace_block_begin(b, w->position);
    return 1;
}

/* ---- Waiting for other threads of the block ---------------------------------------------- */

/* Up to here the block was a plain loop: all threads before this one have returned. */
static void leave_plain_loop(struct worker *w) {
    unsigned t = linear_thread();
    cpu_device_one_by_one = 1;
    w->started = t + 1;
    w->finished = t;
    memset(w->exited, 0, sizeof w->exited);
    memset(w->exited, 0xff, t / WARP * sizeof w->exited[0]);
    w->exited[t / WARP] |= (1u << t % WARP) - 1;
    trace_left_plain_loop(t);
}
void cpu_device_leave_plain_loop(void) { leave_plain_loop(self); }

/* Lanes that wait in __activemask learn who of their warp has come to the same line. */
static void release_parked(struct worker *w) {
    unsigned parked[MAX_THREADS / WARP] = {0};
    for (struct fiber *f = w->parked.head; f; f = f->next) {
        parked[f->thread / WARP] |= 1u << f->thread % WARP;
        w->lanes[f->thread / WARP][f->thread % WARP] = f;
    }
    for (struct fiber *f = w->parked.head; f; f = f->next) {
        f->lanes = 0;
        trace_released(f->thread);
        for (unsigned i = 0, warp = f->thread / WARP; i < WARP; i++)
            if (parked[warp] >> i & 1 && w->lanes[warp][i]->line == f->line)
                f->lanes |= 1u << i;
    }
    queue_append(&w->ready, &w->parked);
}

/* Who goes on when the running thread cannot; NULL: nobody can. */
static struct fiber *next_fiber(struct worker *w) {
    struct fiber *next = queue_pop(&w->ready);
    if (!next && w->started < w->threads)
        return fiber_get(w);
    if (!next && w->parked.head) {
        release_parked(w);
        next = queue_pop(&w->ready);
    }
    return next;
}

/* The calling thread stays behind; comes back when it has been made ready. */
static void stay_behind(struct worker *w) {
    struct fiber *me = w->running;
    me->index = threadIdx;
    struct fiber *next = next_fiber(w);
    go_to(w, next ? next : &w->own, 0);
    threadIdx = me->index;
    trace_resume(linear_thread());
}

/* All who wait go on, in the order in which they came. Their results stay valid until each of
 * them has reached the next barrier, since before that it cannot be released. */
static void release_barrier(struct worker *w) {
    int error = trace_barrier(w->finished);
    if (error)
        cpu_device_abandon(error);
    w->barrier_result[CPU_BARRIER_PLAIN] = 0;
    w->barrier_result[CPU_BARRIER_COUNT] = w->trues;
    w->barrier_result[CPU_BARRIER_AND] = w->trues == w->at_barrier;
    w->barrier_result[CPU_BARRIER_OR] = w->trues != 0;
    queue_append(&w->ready, &w->barrier);
    w->at_barrier = w->trues = 0;
}

int cpu_device_barrier(int kind, int value) {
    struct worker *w = self;
    if (w->threads == 1)
        return value != 0;
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    trace_suspend(linear_thread(), 1);
    trace_barrier_wait(linear_thread(), __builtin_return_address(0));
    w->at_barrier++;
    w->trues += value != 0;
    queue_push(&w->barrier, w->running);
    if (w->at_barrier + w->finished == w->threads)
        release_barrier(w);
    stay_behind(w);
    return (int)w->barrier_result[kind];
}

static unsigned lanes_present(struct worker *w, unsigned warp) {
    unsigned rest = w->threads - warp * WARP;
    unsigned exist = rest >= WARP ? ~0u : (1u << rest) - 1;
    return exist & ~w->exited[warp];
}

/* If all lanes that `mask` names, as far as they still run, wait with that mask: lets them go. */
static int release_lanes(struct worker *w, unsigned warp, unsigned mask) {
    unsigned lanes = mask & lanes_present(w, warp);
    if (lanes & ~w->waiting[warp])
        return 0;
    for (unsigned i = 0; i < WARP; i++)
        if (lanes >> i & 1 && w->lanes[warp][i]->mask != mask)
            return 0;
    for (unsigned i = 0; i < WARP; i++) {
        if (!(lanes >> i & 1))
            continue;
        struct fiber *f = w->lanes[warp][i];
        for (unsigned j = 0; j < WARP; j++)
            if (lanes >> j & 1)
                f->values[j] = w->lanes[warp][j]->value;
        f->lanes = lanes;
        queue_push(&w->ready, f);
    }
    w->waiting[warp] &= ~lanes;
    trace_warp_together(warp, lanes);
    return 1;
}

unsigned cpu_device_lane(void) { return linear_thread() % WARP; }

/* On a GPU the lanes that took a branch together run it together. Here each waits until nobody
 * else of the block can go on: those who have come to the same line by then are together. */
unsigned cpu_device_active_lanes(int line) {
    struct worker *w = self;
    if (w->threads == 1)
        return 1;
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    struct fiber *me = w->running;
    me->thread = linear_thread();
    me->line = line;
    trace_suspend(me->thread, 1);
    queue_push(&w->parked, me);
    stay_behind(w);
    return me->lanes;
}

unsigned cpu_device_warp_collect(unsigned mask, unsigned long long value,
                                 unsigned long long values[32]) {
    struct worker *w = self;
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    unsigned t = linear_thread(), warp = t / WARP, lane = t % WARP;
    struct fiber *me = w->running;
    mask |= 1u << lane; /* a caller that does not name itself: undefined in CUDA */
    me->mask = mask;
    me->value = value;
    me->values = values;
    w->lanes[warp][lane] = me;
    w->waiting[warp] |= 1u << lane;
    trace_suspend(t, 1);
    release_lanes(w, warp, mask); /* now I am ready too, behind the others */
    stay_behind(w);
    return me->lanes;
}

void cpu_device_yield(void) {
    struct worker *w = self;
    trace_polled();
    if (cpu_device_in_kernel() && __atomic_load_n(&w->launch->stop, __ATOMIC_RELAXED))
        cpu_device_abandon(cudaErrorLaunchFailure);
    /* Threads that have not started go first: one of them may be the one that is waited for. */
    if (cpu_device_in_kernel() && w->threads > 1)
        cpu_device_step_aside(w->threads);
}

void cpu_device_step_aside(unsigned fresh) {
    struct worker *w = self;
    if (!cpu_device_one_by_one)
        leave_plain_loop(w);
    struct fiber *me = w->running;
    struct fiber *next =
        w->started < w->threads && w->started < fresh ? fiber_get(w) : next_fiber(w);
    if (!next)
        return;
    queue_push(&w->ready, me);
    me->index = threadIdx;
    trace_suspend(linear_thread(), 0);
    go_to(w, next, 0);
    threadIdx = me->index;
    trace_resume(linear_thread());
}

void cpu_device_polled(void) {
    static __thread unsigned polls;
    trace_polled();
    if (++polls % 64 == 0 && cpu_device_in_kernel())
        cpu_device_yield();
}

void cpu_device_thread_done(void) {
    struct worker *w = self;
    unsigned t = linear_thread(), warp = t / WARP;
    trace_thread_end(t);
    w->finished++;
    w->exited[warp] |= 1u << t % WARP;
    if (w->at_barrier && w->at_barrier + w->finished == w->threads)
        release_barrier(w);
    /* Lanes that still wait for this one need wait no longer. */
    for (unsigned i = 0; w->waiting[warp] && i < WARP; i++)
        if (w->waiting[warp] >> i & 1)
            release_lanes(w, warp, w->lanes[warp][i]->mask);
}

/* What a fiber does: run the threads of the block from wherever they stand; then the next block,
 * as long as nobody had to stay behind in this one. */
NOT_COUNTED static void fiber_main(void) {
    struct worker *w = self;
    if (sanitizer_linked)
        sanitizer_arrive(&w->running->sanitizer, &w->left->sanitizer);
    for (;;) {
        w->launch->run_threads(w->launch->arguments);
        if (cpu_device_one_by_one && w->finished < w->threads) {
            struct fiber *next = next_fiber(w);
            fiber_put(w, w->running); /* not used again before the switch below */
            go_to(w, next ? next : &w->own, 1);
        }
        trace_block_end();
        if (!next_block(w)) {
            fiber_put(w, w->running);
            go_to(w, &w->own, 1);
        }
    }
}

/* ---- Errors in kernels ------------------------------------------------------------------- */

static void where(char *text, size_t size) {
    struct worker *w = self;
    snprintf(text, size, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u)", w->launch->name,
             blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
}

/* The launch is given up. A traced one runs the blocks before this one to their end, so that it is
 * the same error that is found on every run. */
static void stop(struct worker *w) {
    struct cpu_device_launch *l = w->launch;
    unsigned long long least = __atomic_load_n(&l->error_position, __ATOMIC_RELAXED);
    while (TRACED && w->position < least &&
           !__atomic_compare_exchange_n(&l->error_position, &least, w->position, 0,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    __atomic_store_n(&l->stop, 1, __ATOMIC_RELEASE);
}

/* Gives the launch up, as a GPU does: this worker goes back to its own stack. */
_Noreturn void cpu_device_abandon(int error) {
    cpu_device_lose((cudaError_t)error); /* before the others stop, so that this code wins */
    stop(self);
    self->error = error;
    go_to(self, &self->own, 1);
    abort();
}

static void say(const char *text) {
    if (write(2, text, strlen(text)) < 0)
        return;
}

void cpu_device_trap(int error, const char *what) {
    char text[400], place[200];
    if (!cpu_device_in_kernel())
        abort();
    where(place, sizeof place);
    snprintf(text, sizeof text, "CPU device: %s: %s\n", place, what);
    say(text);
    cpu_device_abandon(error);
}

static void deadlock(struct worker *w) {
    char text[300];
    unsigned in_warp = 0;
    for (unsigned i = 0; i < (w->threads + WARP - 1) / WARP; i++)
        in_warp += (unsigned)__builtin_popcount(w->waiting[i]);
    snprintf(text, sizeof text,
             "CPU device: kernel %s, block (%u,%u,%u) can never end: of %u threads %u have "
             "returned, %u wait at __syncthreads, %u in a warp function\n",
             w->launch->name, blockIdx.x, blockIdx.y, blockIdx.z, w->threads, w->finished,
             w->at_barrier, in_warp);
    w->error = trace_deadlock();
    if (!w->error) {
        say(text);
        w->error = cudaErrorLaunchTimeout;
    }
    stop(w);
}

/* gcc's alignment check calls this. What it is called for besides, in a program that is linked with
 * UndefinedBehaviorSanitizer, is left to that: weak, as clang's would be there twice otherwise. */
struct ubsan_access {
    const char *file;
    unsigned line, column;
    const void *type;
    unsigned char log_alignment, kind;
};
#pragma weak dlsym /* older C libraries have it elsewhere */
__attribute__((weak, no_sanitize("undefined"))) //
void __ubsan_handle_type_mismatch_v1(void *data, void *p) {
    const struct ubsan_access *access = data;
    if (cpu_device_in_kernel() && (uintptr_t)p & ((1u << access->log_alignment) - 1)) {
        char text[200];
        snprintf(text, sizeof text, "%s:%u: misaligned address %p, must be a multiple of %u",
                 access->file, access->line, p, 1u << access->log_alignment);
        cpu_device_trap(cudaErrorMisalignedAddress, text);
    }
    void (*others)(void *, void *) = NULL;
    void *found = &dlsym ? dlsym(RTLD_NEXT, "__ubsan_handle_type_mismatch_v1") : NULL;
    memcpy(&others, &found, sizeof others); /* ISO C converts no such pointer */
    if (others)
        others(data, p);
}

/* assert() in a kernel ends the kernel with error 710; on the host it is the C library's. */
_Noreturn void __assert_fail(const char *expression, const char *file, unsigned line,
                             const char *function) {
    char text[500];
    if (cpu_device_in_kernel()) {
        snprintf(text, sizeof text,
                 "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
                 line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
                 threadIdx.z, expression);
        say(text);
        cpu_device_abandon(cudaErrorAssert);
    }
    fflush(stdout);
    snprintf(text, sizeof text, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function,
             expression);
    say(text);
    abort();
}

static struct sigaction previous[NSIG];

/* Was the fault a write? -1: this machine does not say. */
static int is_write(void *context) {
#if defined(__x86_64__) && defined(REG_ERR)
    return (int)(((ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] >> 1 & 1);
#else
    (void)context;
    return -1;
#endif
}

/* x86-64 reports a misaligned 16-byte access like an address that no memory can have, and names
 * neither. The latter has to stand in a register, so look there. (gcc's alignment check has
 * caught most of the former before; clang's does not see whole structs.) */
static int wild_pointer(const void *context) {
#if defined(__x86_64__)
    const ucontext_t *u = context;
    for (int i = 0; i < 16; i++) {
        long long top = (long long)u->uc_mcontext.gregs[i] >> 47;
        if (top != 0 && top != -1)
            return 1;
    }
    return 0;
#else
    (void)context;
    return 1;
#endif
}

static void on_fault(int number, siginfo_t *info, void *context) {
    char text[500], place[200], what[200];
    const char *address = info->si_addr;
    if (number == SIGSEGV && cpu_device_pages_fault(address, is_write(context)))
        return;
    if (cpu_device_in_kernel()) {
        struct worker *w = self;
        where(place, sizeof place);
        cpu_device_memory_describe(address, what, sizeof what);
        if (!what[0])
            snprintf(what, sizeof what, "not device memory");
        for (unsigned i = 0; i < w->launch->host_pointer_count; i++) {
            struct cpu_device_host_pointer *h = &w->launch->host_pointers[i];
            ptrdiff_t off = address - (const char *)h->replacement;
            if (off > -(1ll << 32) && off < 1ll << 32)
                snprintf(what, sizeof what,
                         "argument %u is a host pointer (%p); a kernel needs device memory",
                         h->argument + 1, h->given);
        }
        int error = cudaErrorIllegalAddress;
        if (number == SIGSEGV && info->si_code == SI_KERNEL && !wild_pointer(context)) {
            snprintf(what, sizeof what, "misaligned address");
            error = cudaErrorMisalignedAddress;
        } else if (number == SIGSEGV && info->si_code == SI_KERNEL) {
            snprintf(what, sizeof what, "an address that no memory can have");
        } else if (number == SIGBUS && info->si_code == BUS_ADRALN) {
            snprintf(what, sizeof what, "misaligned address %p", (void *)address);
            error = cudaErrorMisalignedAddress;
        } else if (number == SIGFPE) {
            snprintf(what, sizeof what, "integer division by zero");
            error = cudaErrorLaunchFailure;
        } else if (number == SIGILL) {
            snprintf(what, sizeof what, "illegal instruction");
            error = cudaErrorIllegalInstruction;
        } else if (w->running != &w->own && address >= w->running->stack &&
                   address < w->running->stack + cpu_device.page) {
            snprintf(what, sizeof what, "the thread's stack (%d KiB) is full", STACK_BYTES >> 10);
        }
        snprintf(text, sizeof text, "CPU device: %s: illegal address %p: %s\n", place,
                 (void *)address, what);
        if (error != cudaErrorIllegalAddress)
            snprintf(text, sizeof text, "CPU device: %s: %s\n", place, what);
        if (TRACED)
            memcpy(w->fault, text, sizeof text);
        else
            say(text);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, number);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        cpu_device_abandon(error);
    }
    if (cpu_device_memory_ours(address) && (number == SIGSEGV || number == SIGBUS)) {
        cpu_device_memory_describe(address, what, sizeof what);
        snprintf(text, sizeof text,
                 "CPU device: host code used a device pointer, %p: %s. Copy the data with "
                 "cudaMemcpy.\n",
                 (void *)address, what);
        say(text);
    }
    /* The program ends as it would have without us. */
    sigaction(number, &previous[number], NULL);
    if (info->si_code <= 0)
        raise(number); /* sent, not a fault: it would not come again */
}

void cpu_device_block_start(void) {
    sanitizer_start();
    const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = on_fault;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int i = 0; i < 4; i++)
        sigaction(numbers[i], &a, &previous[numbers[i]]);
}

/* ---- Launches ---------------------------------------------------------------------------- */

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_work = PTHREAD_COND_INITIALIZER, pool_left = PTHREAD_COND_INITIALIZER;
static struct cpu_device_launch *pool; /* launches that helpers may join */
static int pool_threads;

static struct worker *worker_get(void) {
    if (!self) {
        self = calloc(1, sizeof *self);
        stack_t s;
        memset(&s, 0, sizeof s);
        s.ss_size = 64 << 10;
        s.ss_sp = self ? malloc(s.ss_size) : NULL;
        if (!s.ss_sp) {
            fprintf(stderr, "CPU device: out of memory\n");
            abort();
        }
        self->signal_stack = s.ss_sp;
        sanitizer_own_stack(&self->own.sanitizer);
        sigaltstack(&s, NULL); /* a full stack has no room for its own handler */
        cpu_device_memory_allow(1);
    }
    return self;
}

/* Fibers left behind by an abandoned launch are lost to their lists: collect them again. */
static void reclaim(struct worker *w) {
    w->ready.head = w->barrier.head = w->parked.head = NULL;
    w->at_barrier = w->trues = 0;
    memset(w->waiting, 0, sizeof w->waiting);
    w->free = NULL; /* after an error no kernel runs any more; the stacks stay until the end */
    w->running = &w->own;
}

/* Runs blocks of l until none is left, on the calling thread. */
static void run_blocks(struct cpu_device_launch *l) {
    struct worker *w = worker_get();
    w->launch = l;
    w->block = w->chunk_end = 0;
    w->error = w->fault[0] = 0;
    w->running = &w->own;
    w->threads = l->block_dim[0] * l->block_dim[1] * l->block_dim[2];
    blockDim.x = l->block_dim[0], blockDim.y = l->block_dim[1], blockDim.z = l->block_dim[2];
    gridDim.x = l->grid_dim[0], gridDim.y = l->grid_dim[1], gridDim.z = l->grid_dim[2];
    trace_join(l);
    w->in_kernel = 1;
    while (!w->error && next_block(w)) {
        go_to(w, fiber_get(w), 0);
        if (!w->error && cpu_device_one_by_one && w->finished < w->threads)
            deadlock(w);
    }
    if (w->error)
        cpu_device_memory_allow(1); /* a signal handler, which may have ended it, starts without */
    if (w->fault[0] && !trace_fault())
        say(w->fault);
    trace_leave();
    w->in_kernel = 0;
    if (w->error) {
        reclaim(w);
        cpu_device_lose((cudaError_t)w->error);
    } else if (w->stacks > SLAB) {
        give_stacks_back(w); /* other streams may need them */
    }
}

/* The calling thread ends: a stream has been destroyed. */
void cpu_device_worker_end(void) {
    stack_t none;
    if (!self)
        return;
    give_stacks_back(self);
    trace_thread_ends();
    memset(&none, 0, sizeof none);
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, NULL);
    free(self->signal_stack);
    free(self);
    self = NULL;
}

static void *helper_main(void *unused) {
    (void)unused;
    pthread_mutex_lock(&pool_lock);
    for (;;) {
        struct cpu_device_launch *l = pool;
        while (l && __atomic_load_n(&l->next_block, __ATOMIC_RELAXED) >= l->blocks)
            l = l->next;
        if (!l) {
            pthread_cond_wait(&pool_work, &pool_lock);
            continue;
        }
        l->helpers++;
        pthread_mutex_unlock(&pool_lock);
        run_blocks(l);
        pthread_mutex_lock(&pool_lock);
        if (--l->helpers == 0)
            pthread_cond_broadcast(&pool_left);
    }
    return NULL;
}

void cpu_device_kernel_run(struct cpu_device_launch *l) {
    l->blocks = (unsigned long long)l->grid_dim[0] * l->grid_dim[1] * l->grid_dim[2];
    l->next_block = 0;
    l->helpers = l->stop = 0;
    l->error_position = ~0ull;
    l->chunk = l->blocks / (16ull * (unsigned)cpu_device.workers) + 1;
    if (l->chunk > 256)
        l->chunk = 256;
    trace_launch_begin(l);
    int shared_out = l->blocks > 1 && cpu_device.workers > 1;
    if (shared_out) {
        pthread_mutex_lock(&pool_lock);
        while (pool_threads < cpu_device.workers - 1) {
            pthread_t t;
            if (pthread_create(&t, NULL, helper_main, NULL))
                break;
            pthread_detach(t);
            pool_threads++;
        }
        l->next = pool;
        pool = l;
        pthread_cond_broadcast(&pool_work);
        pthread_mutex_unlock(&pool_lock);
    }
    run_blocks(l);
    if (shared_out) {
        pthread_mutex_lock(&pool_lock);
        struct cpu_device_launch **p = &pool;
        while (*p != l)
            p = &(*p)->next;
        *p = l->next;
        while (l->helpers)
            pthread_cond_wait(&pool_left, &pool_lock);
        pthread_mutex_unlock(&pool_lock);
    }
    trace_launch_end(l);
}

/* ---- printf in kernels ------------------------------------------------------------------- */

/* As on a GPU, what kernels print appears when the host next synchronises. */
static pthread_mutex_t printed_lock = PTHREAD_MUTEX_INITIALIZER;
static char *printed;
static size_t printed_bytes, printed_room;
enum { PRINTED_LIMIT = 1 << 20 };

void cpu_device_printf_flush(void) {
    pthread_mutex_lock(&printed_lock);
    if (printed_bytes) {
        fwrite(printed, 1, printed_bytes, stdout);
        printed_bytes = 0;
    }
    pthread_mutex_unlock(&printed_lock);
}

static int kernel_vprintf(const char *format, va_list arguments) {
    char line[1024];
    va_list copy;
    va_copy(copy, arguments);
    int n = vsnprintf(line, sizeof line, format, copy);
    va_end(copy);
    if (n < 0)
        return n;
    pthread_mutex_lock(&printed_lock);
    if (printed_bytes + (size_t)n + 1 > printed_room && printed_room < PRINTED_LIMIT) {
        size_t room = printed_room * 2 + (size_t)n + 4096;
        char *more = realloc(printed, room);
        if (more)
            printed = more, printed_room = room;
    }
    if (printed_bytes + (size_t)n + 1 > printed_room) {
        fwrite(printed, 1, printed_bytes, stdout);
        printed_bytes = 0;
    }
    if ((size_t)n < sizeof line) {
        if (printed_bytes + (size_t)n < printed_room)
            memcpy(printed + printed_bytes, line, (size_t)n), printed_bytes += (size_t)n;
    } else if (printed_bytes + (size_t)n < printed_room) {
        vsnprintf(printed + printed_bytes, (size_t)n + 1, format, arguments);
        printed_bytes += (size_t)n;
    }
    pthread_mutex_unlock(&printed_lock);
    return n;
}

/* Stands before the C library's own: the same call serves kernels and host code. */
int printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = cpu_device_in_kernel() ? kernel_vprintf(format, arguments)
                                   : vfprintf(stdout, format, arguments);
    va_end(arguments);
    return n;
}
