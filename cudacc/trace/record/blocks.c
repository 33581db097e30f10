/*
 * blocks.c: launches, workers and blocks begin and end; which blocks are recorded.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"
#include <string.h>

unsigned cpu_device_trace_blocks __attribute__((weak));

/* ---- Launches ---------------------------------------------------------------------------- */

void trace_launch_queued(struct cpu_device_launch *l) {
    struct trace_launch *t = trace_must(calloc(1, sizeof *t));
    t->kernel = l->name = trace_kernel_name(l->name, l->function);
    memcpy(t->grid, l->grid_dim, sizeof t->grid);
    memcpy(t->block, l->block_dim, sizeof t->block);
    t->blocks = (unsigned long long)t->grid[0] * t->grid[1] * t->grid[2];
    t->shared_bytes = l->shared_bytes;
    t->traced_blocks = !l->traced ? 0
                       : cpu_device_trace_blocks && cpu_device_trace_blocks < t->blocks
                           ? cpu_device_trace_blocks
                           : t->blocks;
    t->arguments = trace_copy_arguments(l->trace_arguments); /* a graph launches it again */
    l->trace = t;
    trace_launch_add(t);
}

void trace_start(void) { cpu_device_memory_range(&recorder_memory, &recorder_memory_bytes); }
int trace_started(void) { return recorder_memory_bytes != 0; }

void trace_launch_begin(struct cpu_device_launch *l) {
    l->trace->map = trace_map_take();
    trace_check_launch_begin(l->trace);
}

void trace_launch_end(struct cpu_device_launch *l) {
    trace_vectorize_choose(l->trace->rows);
    trace_check_launch_end(l->trace, l);
    trace_map_give(l->trace->map);
    l->trace->map = NULL;
    trace_launch_done(l->trace);
    l->trace = NULL;
}

static void recording(int on) {
    recorder_state = on ? RECORDING : IN_UNTRACED_BLOCK;
    cpu_device_trace_lane.range = on ? recorder_memory_bytes : 0;
    recorder_shared_bytes = recorder_variables_bytes = 0;
    if (!on)
        return;
    trace_shared_range(&recorder_shared, &recorder_shared_bytes);
    trace_shared_variables(&recorder_variables, &recorder_variables_bytes);
    if (record_holds_built_in(recorder_variables, recorder_variables + recorder_variables_bytes))
        recorder_variables_bytes = 0;
}

/* ---- Workers ----------------------------------------------------------------------------- */

void trace_join(struct cpu_device_launch *l) {
    if (!recorder)
        recorder = trace_must(calloc(1, sizeof *recorder));
    struct trace_worker *w = &recorder->worker;
    w->launch = l;
    w->record = l->trace;
    w->map = l->trace->map;
    w->threads = l->block_dim[0] * l->block_dim[1] * l->block_dim[2];
    trace_shared_start();
    trace_count_worker_begin(w);
    trace_check_worker_begin(w);
}

void trace_leave(void) {
    recording(0);
    recorder_state = ON_HOST;
    record_nothing();
    record_forget();
    trace_check_worker_end(&recorder->worker);
    trace_count_worker_end(&recorder->worker);
}

void trace_thread_ends(void) {
    if (!recorder)
        return;
    record_give_back();
    trace_count_thread_ends(&recorder->worker);
    free(recorder);
    recorder = NULL;
}

/* ---- Blocks ------------------------------------------------------------------------------ */

void trace_block_begin(unsigned long long block, unsigned long long position) {
    struct trace_worker *w = &recorder->worker;
    unsigned long long all = w->launch->blocks, some = w->record->traced_blocks;
    w->block = block;
    w->position = position;
    /* Spread evenly: the blocks where the count of those before, scaled, takes a step. */
    recording(some == all || (unsigned long long)((double)block * some / all) !=
                                 (unsigned long long)((double)(block + 1) * some / all));
    recorder->running = NULL;
    if (recorder_state != RECORDING) {
        record_nothing();
        return;
    }
    trace_check_block_begin(w);
    trace_count_barrier(w);
    record_plain_begin();
    record_outside();
}

void trace_block_end(void) {
    if (recorder_state == RECORDING)
        trace_check_block_end(&recorder->worker);
}
