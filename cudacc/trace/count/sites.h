/*
 * sites.h: what a worker counts, for each access site of the launch.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "trace/count/wavefronts.h"

enum { COUNT_SITES = 256 };

struct counted {
    struct trace_row row;
    uint64_t whole; /* requests of all lanes, side by side from a sector's start; not yet in row */
    const struct cpu_device_element *element; /* what the kernel takes the allocation for */
    unsigned stretch, warps;                  /* warps that came here since the last barrier */
    struct shared_pattern last;
    struct counted *next;
};

/* Where a site's accesses went last: most often the next one goes there, too. */
struct count_site {
    uint64_t place;
    uint64_t base, size;
    struct counted *counted;
};

struct trace_counts {
    struct count_site sites[COUNT_SITES];
    struct counted *slots[COUNT_SITES]; /* all of this launch, in lists by site */
    struct counted *spare;
    struct members *members;                /* vectorize.c's own */
    struct neighbors *neighbors[MAX_WARPS]; /* of each warp; its own, too */
    unsigned stretch;                       /* from barrier to barrier */
};
