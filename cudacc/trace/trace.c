/*
 * trace.c: the launches of the program, and who looks at what they do.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/trace.h"
#include <string.h>

const struct trace_consumer *trace_consumer;
atomic_int trace_unwaited;
int trace_scrambled;

/* A program may launch one kernel a million times: launches that are equal in all that can be
 * reported share one record. */
enum { RECENT = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace_launch **launches; /* by number */
static unsigned launch_count;
static struct trace_launch *recent[RECENT]; /* records that others may share */
static unsigned recent_count;

void trace_launch_add(struct trace_launch *launch) {
    pthread_mutex_lock(&lock);
    launch->number = launch_count;
    TRACE_ADD(launches, launch_count, launch);
    pthread_mutex_unlock(&lock);
}

static int same_launch(const struct trace_launch *a, const struct trace_launch *b) {
    return strcmp(a->kernel, b->kernel) == 0 && a->rows == b->rows &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           a->traced_blocks == b->traced_blocks && trace_same_arguments(a->arguments, b->arguments);
}

void trace_launch_done(struct trace_launch *launch) {
    pthread_mutex_lock(&lock);
    launch->done = 1;
    unsigned i = 0;
    while (i < RECENT && !(recent[i] && same_launch(recent[i], launch)))
        i++;
    if (i == RECENT) {
        recent[recent_count++ % RECENT] = launch;
    } else {
        launches[launch->number] = recent[i];
        free(launch->arguments);
        free(launch);
    }
    pthread_mutex_unlock(&lock);
}

void trace_launches_each(void (*visit)(const struct trace_launch *launch, unsigned first,
                                       unsigned times, void *data),
                         void *data) {
    pthread_mutex_lock(&lock);
    for (unsigned i = 0, times; i < launch_count; i += times) {
        for (times = 1; i + times < launch_count && launches[i + times] == launches[i];)
            times++;
        if (launches[i]->done)
            visit(launches[i], i, times, data);
    }
    pthread_mutex_unlock(&lock);
}
