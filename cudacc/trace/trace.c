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
 * reported share one record, and those of them that follow each other one place in the list. */
struct run {
    struct trace_launch *launch;
    unsigned first, times; /* their numbers */
};
enum { RECENT = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct run *runs;
static size_t run_count, run_room;
static unsigned launch_count;
static struct trace_launch *recent[RECENT]; /* records that others may share */
static unsigned recent_count;

static void join_runs(void) {
    size_t kept = 0;
    for (size_t i = 1; i < run_count; i++)
        if (runs[i].launch == runs[kept].launch)
            runs[kept].times += runs[i].times;
        else
            runs[++kept] = runs[i];
    run_count = kept + 1;
}

void trace_launch_add(struct trace_launch *launch) {
    pthread_mutex_lock(&lock);
    if (run_count == run_room) {
        if (run_count)
            join_runs();
        if (run_count >= run_room / 2) {
            run_room = run_room ? 2 * run_room : 1024;
            runs = trace_must(realloc(runs, run_room * sizeof *runs));
        }
    }
    launch->number = launch_count++;
    runs[run_count++] = (struct run){launch, launch->number, 1};
    pthread_mutex_unlock(&lock);
}

static int same_launch(const struct trace_launch *a, const struct trace_launch *b) {
    return strcmp(a->kernel, b->kernel) == 0 && a->rows == b->rows &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           a->traced_blocks == b->traced_blocks && trace_same_arguments(a->arguments, b->arguments);
}

/* The place of a launch that nothing has been joined with yet. */
static struct run *run_of(const struct trace_launch *launch) {
    size_t low = 0, high = run_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(runs[middle].first <= launch->number ? &low : &high) = middle;
    }
    return &runs[low];
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
        run_of(launch)->launch = recent[i];
        free(launch->arguments);
        free(launch);
    }
    pthread_mutex_unlock(&lock);
}

void trace_launches_each(void (*visit)(const struct trace_launch *launch, unsigned first,
                                       unsigned times, void *data),
                         void *data) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < run_count; i++)
        if (runs[i].launch->done)
            visit(runs[i].launch, runs[i].first, runs[i].times, data);
    pthread_mutex_unlock(&lock);
}
