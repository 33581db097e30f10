/*
 * count.h: requests become counts: sectors of global memory, wavefronts of shared memory.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/trace.h"

/* What record/ hands on. */
void trace_count_request(struct trace_worker *w, const struct trace_request *r);
void trace_count_barrier(struct trace_worker *w); /* also a block's begin */
/* A fence, or __syncwarp(): nothing that follows joins what came before. */
void trace_count_order(struct trace_worker *w, unsigned warp);
void trace_count_worker_begin(struct trace_worker *w); /* this worker joins in a launch */
void trace_count_worker_end(struct trace_worker *w);   /* and leaves: adds up into w->record */
void trace_count_thread_ends(struct trace_worker *w);
void trace_row_add(struct trace_row *sum, const struct trace_row *row);

/* The addresses of the lanes that take part, from `base` on; 0 for the others. */
static inline void addresses_from(uint64_t base, const struct trace_request *r, uint64_t *address) {
    for (unsigned i = 0; i < WARP; i++)
        address[i] = r->address[i] - base;
    EACH_LANE (i, ~r->lanes)
        address[i] = 0;
}

/* shape.c: how the addresses of a request follow each other. The report's advice rests on it. */
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

/* How a site's last request to shared memory lay, and what it took: most often the next one's is
 * the same, but for where it begins. */
struct shared_pattern {
    unsigned lanes, begin, row; /* begin: in a word; row: the first lane's place in its row */
    uint64_t distance[WARP];    /* from the first lane; 0: of a lane that does not take part */
    struct trace_tally tally;   /* of such a request */
    struct shape_summary summary;
};

/* What a worker counts, for each access site of the launch. */
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
    struct counted *slots[COUNT_SITES];     /* all of this launch, in lists by site */
    struct members *members;                /* vectorize.c's own; NULL: none yet */
    struct neighbors *neighbors[MAX_WARPS]; /* of each warp; likewise */
    unsigned stretch;                       /* from barrier to barrier */
};

/* sectors.c */
enum { SECTOR = 32 };

/* Adds a request to its row; width: threads in a row of the block. */
void trace_count_sectors(struct trace_row *row, const struct trace_request *r, unsigned width);

/* wavefronts.c */
/* Adds a request to its row; width: as above. */
void trace_count_shared(struct trace_row *row, struct shared_pattern *last,
                        const struct trace_request *r, unsigned width);
/* What it takes. */
struct trace_tally trace_wavefronts(const struct trace_request *r);

/* vectorize.c */
void trace_vectorize_end(struct trace_counts *all); /* a worker leaves a launch */
void trace_vectorize_thread_ends(struct trace_counts *all);

/* Global memory. */
/* 1: the request has been counted, with others of the same object or as their first. is_whole: it
 * has all lanes, side by side from a sector's start, and so no others. */
int trace_vectorize_members(struct trace_worker *w, struct counted *c,
                            const struct trace_request *r, int is_whole);

/* Shared memory. */
/* Notes what a request may be joined with; it is counted as it is, too. */
void trace_vectorize_neighbors(struct trace_worker *w, struct counted *c,
                               const struct trace_request *r);
/* Its row begins; rows_of_block: of threads. */
void trace_vectorize_row(struct trace_row *row, const struct trace_request *r,
                         unsigned rows_of_block);
void trace_vectorize_add(struct trace_row *sum, const struct trace_row *row);
/* The launch ends, all have been counted: where nvcc knows the window, its count stands. */
void trace_vectorize_choose(struct trace_row *rows);
