/*
 * children.c: kernels that launch kernels. A launch is complete when those it has launched are.
 * Here children run after all blocks of their parent, one at a time: by parent block, then in the
 * order of their launches, tail launches last. A kernel cannot wait for a child, so only a program
 * that needs both to run at once can tell.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"
#include <stdlib.h>

enum { DEEPEST = 24 };

static pthread_mutex_t children_lock = PTHREAD_MUTEX_INITIALIZER;

static int by_order(const void *first, const void *second) {
    const struct cpu_device_launch *a = *(struct cpu_device_launch *const *)first,
                                   *b = *(struct cpu_device_launch *const *)second;
    int a_tail = a->stream == cudaStreamTailLaunch, b_tail = b->stream == cudaStreamTailLaunch;
    if (a_tail != b_tail)
        return a_tail - b_tail;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static void run_children(struct cpu_device_launch *l) {
    unsigned long count = l->child_count;
    struct cpu_device_launch **child = malloc(count * sizeof *child), *next = l->children;
    if (!child)
        abort();
    for (unsigned long i = 0; i < count; i++, next = next->next)
        child[i] = next;
    l->children = NULL; /* reset: a graph may launch it again */
    l->child_count = 0;
    l->ended = NULL;
    qsort(child, count, sizeof(struct cpu_device_launch *), by_order);
    for (unsigned long i = 0; i < count; i++) {
        cpu_device_launch_run(child[i]);
        cpu_device_launch_end(child[i]);
    }
    free(child);
}

static cudaError_t put(struct cpu_device_launch *l) {
    struct cpu_device_launch *parent = self->launch;
    l->depth = parent->depth + 1;
    if (l->depth > DEEPEST)
        return cudaErrorLaunchMaxDepthExceeded;
    l->position = self->position;
    pthread_mutex_lock(&children_lock);
    l->number = parent->child_count++;
    l->next = parent->children;
    parent->children = l;
    parent->ended = run_children;
    pthread_mutex_unlock(&children_lock);
    return cudaSuccess;
}

__attribute__((constructor(101))) static void begin(void) { cpu_device_child_put = put; }
