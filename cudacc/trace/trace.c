/*
 * trace.c: the launches of the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/trace.h"
#include <string.h>

/* A program may launch one kernel a million times: launches that are equal in all that can be
 * reported share one record. */
enum { RECENT = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace_launch **launches; /* by number */
static unsigned launch_count;
static struct trace_launch *recent[RECENT]; /* records that others may share */
static unsigned recent_count;

void trace_launch_add(struct trace_launch *launch) {
    WITH_LOCK(lock);
    launch->number = launch_count;
    TRACE_ADD(launches, launch_count, launch);
}

int trace_compare_sites(const struct trace_row *a, const struct trace_row *b) {
    return trace_compare((uintptr_t)a->pc, (uintptr_t)b->pc)
               ?: trace_compare(a->op, b->op)
               ?: trace_compare(a->space, b->space)
               ?: trace_compare(a->bytes, b->bytes)
               ?: trace_compare((uintptr_t)a->allocation, (uintptr_t)b->allocation)
               ?: trace_compare((uintptr_t)a->variable, (uintptr_t)b->variable);
}

/* From `all` on up to what is needed while rows are counted only. */
static int same_rows(const struct trace_row *a, const struct trace_row *b) {
    size_t bytes = offsetof(struct trace_row, joined) - offsetof(struct trace_row, all);
    for (; a && b; a = a->next, b = b->next)
        if (trace_compare_sites(a, b) || memcmp(&a->all, &b->all, bytes) != 0)
            return 0;
    return !a && !b;
}

static int same_launch(const struct trace_launch *a, const struct trace_launch *b) {
    return strcmp(a->kernel, b->kernel) == 0 && same_rows(a->rows, b->rows) &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           a->traced_blocks == b->traced_blocks && trace_same_arguments(a->arguments, b->arguments);
}

void trace_launch_done(struct trace_launch *launch) {
    WITH_LOCK(lock);
    launch->done = 1;
    unsigned i = 0;
    while (i < RECENT && !(recent[i] && same_launch(recent[i], launch)))
        i++;
    if (i == RECENT) {
        recent[recent_count++ % RECENT] = launch;
    } else {
        launches[launch->number] = recent[i];
        LIST_EACH (launch->rows, row)
            free(row);
        free(launch->arguments);
        free(launch);
    }
}

void trace_launches_each(void (*visit)(const struct trace_launch *launch, unsigned first,
                                       unsigned times, void *data),
                         void *data) {
    WITH_LOCK(lock);
    for (unsigned i = 0, times; i < launch_count; i += times) {
        for (times = 1; i + times < launch_count && launches[i + times] == launches[i];)
            times++;
        if (launches[i]->done)
            visit(launches[i], i, times, data);
    }
}
