/*
 * trace.c: the launches of the program, and who looks at what they do.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/trace.h"

const struct trace_consumer *trace_consumer;
atomic_uint trace_copies;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace_launch *launches, **launches_end = &launches;
static unsigned launch_count;

void trace_launch_add(struct trace_launch *launch) {
    pthread_mutex_lock(&lock);
    launch->number = launch_count++;
    *launches_end = launch;
    launches_end = &launch->next;
    pthread_mutex_unlock(&lock);
}

void trace_launches_each(void (*visit)(const struct trace_launch *launch, void *data), void *data) {
    pthread_mutex_lock(&lock);
    for (struct trace_launch *t = launches; t; t = t->next)
        if (t->done)
            visit(t, data);
    pthread_mutex_unlock(&lock);
}
