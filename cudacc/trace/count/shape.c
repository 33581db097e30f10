/*
 * shape.c: how the addresses of a request follow each other. The report's advice rests on it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/count.h"

void trace_shape_of(const struct trace_request *r, unsigned width, struct shape *s) {
    unsigned n = 0, steps = 0, row = 0, of_row = 0, end = width % WARP ? 0 : WARP; /* of the row */
    s->is.rows = s->is.rises = s->is.even = 1;
    s->is.step = 0;
    for (unsigned lanes = r->lanes; lanes; lanes &= lanes - 1, n++) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        if (lane >= end) {
            of_row = (r->warp * WARP + lane) / width;
            end = (of_row + 1) * width - r->warp * WARP;
        }
        s->address[n] = r->address[lane];
        if (n) {
            int64_t step = (int64_t)(s->address[n] - s->address[n - 1]);
            s->is.rises &= step >= 0;
            if (of_row != row)
                s->is.rows++;
            else if (steps++ == 0)
                s->is.step = step;
            else
                s->is.even &= step == s->is.step;
        }
        row = of_row;
    }
    s->is.count = n;
    s->is.even &= n > s->is.rows; /* there is a distance */
}

void trace_shape_note(struct trace_row *row, const struct shape_summary *s) {
    if (s->count < 2 || !s->even)
        return;
    if (s->step == 0) {
        row->same += s->rows == 1;
    } else if (s->rows > 1 && llabs(s->step) == (int64_t)row->bytes) {
        row->narrow++;
    } else if (s->step != (int64_t)row->bytes && s->step != -(int64_t)row->bytes) {
        row->stride_varies |= row->strided && row->stride != s->step;
        if (!row->strided++)
            row->stride = s->step;
    }
}
