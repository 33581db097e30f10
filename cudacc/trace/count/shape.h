/*
 * shape.h: how the addresses of a request follow each other. The report's advice rests on it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "trace/trace.h"

/* The addresses of the active lanes. */
struct shape {
    uint64_t address[WARP];
    unsigned count, rows; /* rows of the block, of `width` threads, that they belong to */
    int rises;            /* in order */
    int even;             /* at one distance, within each row */
    int64_t step;         /* that distance */
};
void trace_shape_of(const struct trace_request *r, unsigned width, struct shape *s);
/* What of it the row keeps. */
void trace_shape_note(struct trace_row *row, const struct shape *s);
