/*
 * wavefronts.h: the passes that the 32 banks of shared memory need for a request.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "trace/count/shape.h"

/* How a site's last request lay in memory, and what it took: most often the next one's is the same,
 * but for where it begins. */
struct shared_pattern {
    unsigned lanes, begin, row;   /* begin: in a word; row: the first lane's place in its row */
    uint64_t distance[WARP];      /* from the first lane; 0: of a lane that does not take part */
    struct trace_joined joined;   /* of such a request */
    struct shape_summary summary; /* shape.h */
};
/* Adds a request to its row; width: threads in a row of the block. */
void trace_count_shared(struct trace_row *row, struct shared_pattern *last,
                        const struct trace_request *r, unsigned width);
/* Adds its wavefronts alone. */
void trace_count_wavefronts(struct trace_joined *sum, const struct trace_request *r);
