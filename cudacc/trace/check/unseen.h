/*
 * unseen.h: accesses that were not seen.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/trace.h"

/* On the stream's thread; is_current: the launch has its turn (check.h); is_sampled: only some of
 * its blocks are traced. */
void trace_unseen_launch_begin(int is_current, int is_sampled);
void trace_unseen_launch_end(int is_current, int has_failed);
void trace_unseen_request(const struct trace_request *r);
void trace_unseen_freed(const void *base);

/* A copy or a memset (from: NULL) is about to write, and has written. */
void trace_unseen_copying(void *to, const void *from, size_t bytes);
void trace_unseen_copied(void *to, const void *from, size_t bytes);

/* Memory is scrambled: at execution, before the access. */
void trace_unseen_touch(const void *p, size_t bytes);
