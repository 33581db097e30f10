/*
 * grid.c: cooperative launches.  Each block has a thread of the operating system to itself, so that
 * all of them can wait for each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "extra/runtime/groups.h"
#include "runtime/worker.h"
#include <stdlib.h>

struct grid {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*run_block)(struct cpu_device_launch *l);
    unsigned long long waiting, ended, round; /* blocks; barriers so far */
    int hopeless, told, stopped;              /* hopeless: some wait for others that have ended */
};

/* With the lock. The last one to come opens the barrier. */
static void look(struct grid *g, unsigned long long blocks) {
    if (!g->waiting || g->waiting + g->ended < blocks)
        return;
    if (g->ended) {
        g->hopeless = 1;
    } else {
        g->waiting = 0;
        g->round++;
    }
    pthread_cond_broadcast(&g->changed);
}

static void block_ended(struct worker *w) {
    struct grid *g = w->launch->grid;
    pthread_mutex_lock(&g->lock);
    g->ended++;
    look(g, w->launch->blocks);
    pthread_mutex_unlock(&g->lock);
}

/* ---- What a kernel calls ----------------------------------------------------------------- */

int cpu_device_grid_is_cooperative(void) { return self->launch->grid != NULL; }

void cpu_device_grid_check(void) {
    if (!self->launch->grid)
        cpu_device_die(cudaErrorLaunchFailure,
                       "a barrier over the grid needs cudaLaunchCooperativeKernel",
                       __builtin_return_address(0));
}

void cpu_device_grid_barrier(void) {
    struct worker *w = self;
    struct grid *g = w->launch->grid;
    /* No block is further ahead than the next barrier: two places distinguish them. */
    const char *place = (const char *)g + g->round % 2;
    OBSERVE(grid_barrier, place, 0);
    pthread_mutex_lock(&g->lock);
    unsigned long long round = g->round;
    g->waiting++;
    look(g, w->launch->blocks);
    while (g->round == round && !g->hopeless && !g->stopped)
        pthread_cond_wait(&g->changed, &g->lock);
    int passed = g->round != round, hopeless = g->hopeless && (OBSERVED || !g->told);
    g->told |= hopeless;
    pthread_mutex_unlock(&g->lock);
    if (!passed && hopeless)
        cpu_device_die(cudaErrorLaunchTimeout,
                       "waits at a barrier over the grid for blocks that have returned",
                       __builtin_return_address(0));
    if (!passed) { /* given up, for an error that another block has reported */
        w->error = g->hopeless ? cudaErrorLaunchTimeout : cudaErrorLaunchFailure;
        go_to(w, &w->own, 1);
        abort();
    }
    OBSERVE(grid_barrier, place, 1);
}

/* ---- Threads ----------------------------------------------------------------------------- */

static void *block_main(void *launch) {
    struct cpu_device_launch *l = launch;
    pthread_mutex_lock(&l->grid->lock); /* until all are there */
    int stopped = l->grid->stopped;
    pthread_mutex_unlock(&l->grid->lock);
    if (!stopped)
        l->grid->run_block(l);
    return NULL;
}

static void run(struct cpu_device_launch *l, void (*run_block)(struct cpu_device_launch *l)) {
    struct grid g = {.lock = PTHREAD_MUTEX_INITIALIZER,
                     .changed = PTHREAD_COND_INITIALIZER,
                     .run_block = run_block};
    pthread_t *threads = malloc(l->blocks * sizeof *threads);
    unsigned long long count = 0;
    l->grid = &g;
    pthread_mutex_lock(&g.lock);
    while (threads && count < l->blocks && !pthread_create(&threads[count], NULL, block_main, l))
        count++;
    int refused = count < l->blocks; /* once unlocked, `stopped` may be a block's, for its error */
    g.stopped = refused;
    pthread_mutex_unlock(&g.lock);
    if (refused) {
        cpu_device_print("CPU device: no thread for each block of a cooperative launch\n");
        cpu_device_lose(cudaErrorLaunchOutOfResources);
    }
    while (count)
        pthread_join(threads[--count], NULL);
    free(threads);
    l->grid = NULL;
}

static void stop_blocks(struct cpu_device_launch *l) {
    pthread_mutex_lock(&l->grid->lock);
    l->grid->stopped = 1;
    pthread_cond_broadcast(&l->grid->changed);
    pthread_mutex_unlock(&l->grid->lock);
}

const struct cooperation cooperation = {run, block_ended, stop_blocks};
