/*
 * shape.c: how the addresses of a request follow each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/shape.h"

void trace_shape_of(const struct trace_request *r, unsigned width, struct shape *s) {
    unsigned n = 0, steps = 0, row = 0;
    s->rows = s->rises = s->even = 1;
    s->step = 0;
    for (unsigned lanes = r->lanes; lanes; lanes &= lanes - 1, n++) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        unsigned of_row = width % WARP ? (r->warp * WARP + lane) / width : 0;
        s->address[n] = r->address[lane];
        if (n) {
            int64_t step = (int64_t)(s->address[n] - s->address[n - 1]);
            s->rises &= step >= 0;
            if (of_row != row)
                s->rows++;
            else if (steps++ == 0)
                s->step = step;
            else
                s->even &= step == s->step;
        }
        row = of_row;
    }
    s->count = n;
    s->even &= n > s->rows; /* there is a distance */
}

void trace_shape_note(struct trace_row *row, const struct shape *s) {
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
