/*
 * wavefronts.h: the passes that the 32 banks of shared memory need for a request.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "trace/trace.h"

/* Adds a request to its row. */
void trace_count_shared(struct trace_row *row, const struct trace_request *r, unsigned width);
/* Adds its wavefronts alone. */
void trace_count_wavefronts(struct trace_joined *sum, const struct trace_request *r);
