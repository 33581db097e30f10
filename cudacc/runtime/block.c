/*
 * block.c: runs kernels.
 *
 * The blocks of a launch are taken in chunks by the stream's own thread and by the helpers of a
 * pool, one per further core.  A worker runs the threads of its block one after another, as a
 * fast path inside one fiber.  Only when a thread has to wait for others, at a barrier or in a
 * warp function, does that fiber stay behind with it, and another fiber carries the loop on.
 *
 * A fiber never leaves its worker, so thread-local variables serve as the block's shared memory
 * and as threadIdx, blockIdx, blockDim and gridDim.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
            k = (hash64(k) + seed + round) & mask; /* an odd factor: a bijection */
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

int cpu_device_next_thread(void) {
    struct worker *w = self;
    if (w->started == w->threads) {
        if (w->finished < w->threads) { /* others wait: this fiber is done. A return to fiber_main
                                         * would be one that no processor foresees. */
            struct fiber *next = next_fiber(w);
            fiber_put(w, w->running); /* not used again before the switch below */
            go_to(w, next ? next : &w->own, 1);
        }
        return 0;
    }
    unsigned t = (unsigned)in_schedule(w->started++, w->threads, w->order_seed);
    threadIdx.x = t % blockDim.x;
    threadIdx.y = t / blockDim.x % blockDim.y;
    threadIdx.z = t / (blockDim.x * blockDim.y);
    OBSERVE(thread_begins, t);
    return 1;
}

/* Sets up the next block for this worker; 0: none is left. */
static int next_block(struct worker *w) {
    struct cpu_device_launch *l = w->launch;
    if (!OBSERVED && __atomic_load_n(&l->stop, __ATOMIC_RELAXED))
        return 0;
    int following = w->block != w->chunk_end; /* the last one's neighbor: no division needed */
    if (!following) {
        unsigned long long first = __atomic_fetch_add(&l->next_block, l->chunk, __ATOMIC_RELAXED);
        if (first >= l->blocks)
            return 0;
        w->block = first;
        w->chunk_end = first + l->chunk < l->blocks ? first + l->chunk : l->blocks;
    }
    unsigned long long b = w->block++;
    w->position = b;
    w->blocks++;
    if (OBSERVED && b > __atomic_load_n(&l->error_position, __ATOMIC_RELAXED))
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
    if (__atomic_load_n(&l->polled, __ATOMIC_RELAXED)) /* else nobody asks */
        __atomic_fetch_add(&l->progress, 1, __ATOMIC_RELAXED);
    if (cpu_device_one_by_one)
        memset(w->exited, 0, sizeof w->exited);
    OBSERVE(block_begins, b, w->position);
    return 1;
}

/* ---- Threads ----------------------------------------------------------------------------- */

/* As launch.h's loop, of a kernel that is called for each thread. */
static void run_threads(const struct cpu_device_launch *l) {
    if (!cpu_device_one_by_one) {
        for (unsigned z = 0; z < blockDim.z; z++)
            for (unsigned y = 0; y < blockDim.y; y++)
                for (unsigned x = 0; x < blockDim.x; x++) {
                    threadIdx = (uint3){x, y, z};
                    l->run_thread(l->arguments);
                    if (cpu_device_one_by_one)
                        goto one_by_one;
                }
        return;
    one_by_one:
        if (cpu_device_one_by_one == CPU_DEVICE_DONE) {
            cpu_device_one_by_one = 0;
            return;
        }
        cpu_device_thread_done();
    }
    while (cpu_device_next_thread()) {
        l->run_thread(l->arguments);
        cpu_device_thread_done();
    }
}

/* What a fiber does: run the threads of the block from wherever they stand; then the next block,
 * if it has run the last of them. */
NOT_COUNTED static void fiber_main(void) {
    struct worker *w = self;
    if (sanitizer_linked)
        sanitizer_arrive(&w->running->sanitizer, &w->left->sanitizer);
    for (;;) {
        if (w->launch->run_thread)
            run_threads(w->launch);
        else
            w->launch->run_threads(w->launch->arguments);
        OBSERVE(block_ended);
        if (w->launch->cooperation)
            w->launch->cooperation->block_ended(w);
        if (!next_block(w)) {
            fiber_put(w, w->running);
            go_to(w, &w->own, 1);
        }
    }
}

/* ---- Launches ---------------------------------------------------------------------------- */

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_work = PTHREAD_COND_INITIALIZER, pool_left = PTHREAD_COND_INITIALIZER;
static struct cpu_device_launch *pool; /* launches that helpers may join */
static int pool_threads;

static void call_helper(struct worker *w);

static struct worker *worker_get(void) {
    if (!self) {
        self = aligned_alloc(_Alignof(struct worker), sizeof *self);
        if (self)
            memset(self, 0, sizeof *self);
        stack_t s;
        memset(&s, 0, sizeof s);
        s.ss_size = 64 << 10;
        s.ss_sp = self ? malloc(s.ss_size) : NULL;
        if (!s.ss_sp) {
            fprintf(stderr, "CPU device: out of memory\n");
            abort();
        }
        self->signal_stack = s.ss_sp;
        self->main = fiber_main;
        self->call_helper = call_helper;
        sanitizer_own_stack(&self->own.sanitizer);
        sigaltstack(&s, NULL); /* a full stack has no room for its own handler */
        cpu_device_memory_allow(1);
        behind_shared_close(1);
    }
    return self;
}

/* Fibers left behind by an abandoned launch are lost to their lists: collect them again. */
static void reclaim(struct worker *w) {
    w->ready.head = w->barrier.head = w->parked.head = w->stepping.head = NULL;
    w->at_barrier = w->trues = 0;
    memset(w->waiting, 0, sizeof w->waiting);
    w->free = NULL; /* after an error no kernel runs any more; the stacks stay until the end */
    w->running = &w->own;
    w->has_failed = 0;
}

/* A store past the end that hit nothing: said when all blocks have ended. */
static void check_behind_shared(struct worker *w) {
    char text[500];
    const char *past;
    size_t bytes = behind_shared_stored(w->launch, &past);
    if (!bytes)
        return;
    snprintf(text, sizeof text,
             "CPU device: kernel %s: a thread has stored up to %zu bytes past the end of its "
             "block's %s; cudacc --trace shows the line\n",
             w->launch->name, bytes, past);
    if (!__atomic_exchange_n(&w->launch->stop, 1, __ATOMIC_RELAXED))
        cpu_device_print(text);
    w->error = cudaErrorIllegalAddress;
    stop(w);
}

/* Runs blocks of l until none is left, on the calling thread. */
static void run_blocks(struct cpu_device_launch *l) {
    struct worker *w = worker_get();
    w->launch = l;
    w->error = 0;
    w->patience_from = w->helped_at = 0;
    w->running = &w->own;
    w->threads = l->block_dim[0] * l->block_dim[1] * l->block_dim[2];
    blockDim.x = l->block_dim[0], blockDim.y = l->block_dim[1], blockDim.z = l->block_dim[2];
    gridDim.x = l->grid_dim[0], gridDim.y = l->grid_dim[1], gridDim.z = l->grid_dim[2];
    OBSERVE(worker_joins, l);
    if (!OBSERVED)
        behind_shared_begin(l);
    w->in_kernel = 1;
    while (!w->error && next_block(w)) {
        go_to(w, fiber_get(w), 0);
        if (!w->error && cpu_device_one_by_one && w->finished < w->threads)
            deadlock(w);
    }
    if (!OBSERVED && !w->error)
        check_behind_shared(w);
    if (w->error) {
        cpu_device_memory_allow(1); /* a signal handler, which may have ended it, starts without */
        OBSERVE(died);
    }
    OBSERVE(worker_leaves);
    w->in_kernel = 0;
    w->block = w->chunk_end = 0;
    if (w->error) {
        reclaim(w);
        cpu_device_lose((cudaError_t)w->error);
    } else if (w->stacks > STACKS_AT_A_TIME) {
        fibers_give_back(w); /* other streams may need them */
    }
}

/* The calling thread ends: a stream has been destroyed. */
void cpu_device_worker_end(void) {
    stack_t none;
    if (!self)
        return;
    fibers_give_back(self);
    behind_shared_close(0);
    OBSERVE(thread_ends);
    memset(&none, 0, sizeof none);
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, NULL);
    free(self->signal_stack);
    free(self->copies);
    free(self);
    self = NULL;
}

static void run_a_block(struct cpu_device_launch *l) {
    run_blocks(l);
    cpu_device_worker_end();
}

static void *helper_main(void *unused) {
    (void)unused;
    pthread_mutex_lock(&pool_lock);
    for (;;) {
        struct cpu_device_launch *l =
            LIST_FIND(pool, i, __atomic_load_n(&i->next_block, __ATOMIC_RELAXED) < i->blocks);
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

struct helper {
    struct cpu_device_launch *launch;
    unsigned long long block, chunk_end; /* what its caller had left to do, */
    uint3 index;                         /* and where it stood */
};

static void *called_helper_main(void *argument) {
    struct helper h = *(struct helper *)argument;
    free(argument);
    struct worker *w = worker_get();
    w->block = h.block;
    w->chunk_end = h.chunk_end;
    blockIdx = h.index;
    run_blocks(h.launch);
    cpu_device_worker_end();
    WITH_LOCK(pool_lock);
    if (--h.launch->helpers == 0)
        pthread_cond_broadcast(&pool_left);
    return NULL;
}

static void call_helper(struct worker *w) {
    struct cpu_device_launch *l = w->launch;
    struct helper *h = malloc(sizeof *h);
    pthread_t t;
    int more =
        w->block != w->chunk_end || __atomic_load_n(&l->next_block, __ATOMIC_RELAXED) < l->blocks;
    pthread_mutex_lock(&pool_lock);
    more = more && h && !l->cooperation && l->helpers < MOST_HELPERS;
    l->helpers += more;
    pthread_mutex_unlock(&pool_lock);
    if (more) {
        *h = (struct helper){l, w->block, w->chunk_end, blockIdx};
        if (!pthread_create(&t, NULL, called_helper_main, h)) {
            pthread_detach(t);
            w->chunk_end = w->block;
            __atomic_fetch_add(&l->extra_workers, 1, __ATOMIC_RELAXED);
            return;
        }
        pthread_mutex_lock(&pool_lock);
        l->helpers--; /* not to 0 while this worker runs: its own stream waits for none */
        pthread_mutex_unlock(&pool_lock);
    }
    free(h);
}

static void kernel_run(struct cpu_device_launch *l) {
    l->blocks = (unsigned long long)l->grid_dim[0] * l->grid_dim[1] * l->grid_dim[2];
    l->next_block = 0;
    l->helpers = l->stop = l->polled = l->extra_workers = 0;
    l->error_position = ~0ull;
    l->chunk = l->blocks / (16ull * (unsigned)cpu_device.workers) + 1;
    if (l->chunk > 256)
        l->chunk = 256;
    OBSERVE(launch_begins, l);
    if (l->cooperation) {
        l->chunk = 1;
        l->cooperation->run(l, run_a_block);
        OBSERVE(launch_ended, l);
        return;
    }
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
        LIST_ADD(pool, l);
        pthread_cond_broadcast(&pool_work);
        pthread_mutex_unlock(&pool_lock);
    }
    run_blocks(l);
    if (shared_out) {
        pthread_mutex_lock(&pool_lock);
        LIST_REMOVE(pool, l);
        pthread_mutex_unlock(&pool_lock);
    }
    pthread_mutex_lock(&pool_lock);
    while (l->helpers)
        pthread_cond_wait(&pool_left, &pool_lock);
    pthread_mutex_unlock(&pool_lock);
    OBSERVE(launch_ended, l);
}

cudaError_t (*cpu_device_child_put)(struct cpu_device_launch *l);

void cpu_device_launch_run(void *launch) {
    struct cpu_device_launch *l = launch;
    if (!l->trace) /* a graph's or a child: not seen yet */
        OBSERVE(launch_queued, l);
    if (!atomic_load(&cpu_device.lost)) {
        cpu_device_pages_launch();
        kernel_run(l);
    } else {
        OBSERVE(launch_lost, l);
    }
    if (l->ended)
        l->ended(l);
}

void cpu_device_launch_end(void *launch) {
    struct cpu_device_launch *l = launch;
    if (l->destroy)
        l->destroy(l->arguments);
    free(l->arguments);
    free(l->trace_arguments);
    free(l);
}
