/*
 * count.h: requests become counts: sectors of global memory, wavefronts of shared memory.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/trace.h"

/* What record/ hands on, see struct trace_consumer. */
void trace_count_request(struct trace_worker *w, const struct trace_request *r);
void trace_count_barrier(struct trace_worker *w);              /* also a block's begin */
void trace_count_order(struct trace_worker *w, unsigned warp); /* a fence, or __syncwarp */
void trace_count_worker_begin(struct trace_worker *w);         /* this worker joins in a launch */
void trace_count_worker_end(struct trace_worker *w); /* and leaves: adds up into w->record */
void trace_count_thread_ends(struct trace_worker *w);
void trace_count_launch_end(struct trace_launch *record);
void trace_row_add(struct trace_row *sum, const struct trace_row *row);
