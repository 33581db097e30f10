/*
 * shape.h: how the addresses of a request follow each other. The report's advice rests on it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "trace/trace.h"

struct shape_summary {
    unsigned count,
        rows;     /* active lanes; rows of the block, of `width` threads, that they are of */
    int rises;    /* in order */
    int even;     /* at one distance, within each row */
    int64_t step; /* that distance */
};
struct shape {
    struct shape_summary is;
    uint64_t address[WARP]; /* of the active lanes */
};
void trace_shape_of(const struct trace_request *r, unsigned width, struct shape *s);
/* What of it the row keeps. */
void trace_shape_note(struct trace_row *row, const struct shape_summary *s);
