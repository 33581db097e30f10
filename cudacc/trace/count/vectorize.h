/*
 * vectorize.h: neighbors that a thread accesses one by one, or in the rounds of a loop. nvcc makes
 * one access of 8 or 16 bytes of them where it knows their place in a window of that size:
 *
 *   in global memory    members of a struct or vector, from the alignment of its type
 *   in shared memory    from the place of the array: each thread's is the same in its window. That
 *                       is seen at the end of the launch, so each window is counted by itself.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "trace/trace.h"

struct counted; /* sites.h */
struct trace_counts;

void trace_vectorize_begin(struct trace_counts *all); /* a worker joins in a launch */
void trace_vectorize_end(struct trace_counts *all);   /* and leaves */
void trace_vectorize_thread_ends(struct trace_counts *all);
/* A fence, or __syncwarp(): nothing that follows joins what came before. */
void trace_vectorize_order(struct trace_counts *all, unsigned warp);

/* ---- Global memory ----------------------------------------------------------------------- */

/* 1: the request has been counted, with others of the same object or as their first. is_whole: it
 * has all lanes, side by side from a sector's start, and so no others. */
int trace_vectorize_members(struct trace_worker *w, struct counted *c,
                            const struct trace_request *r, int is_whole);

/* ---- Shared memory ----------------------------------------------------------------------- */

/* Notes what a request may be joined with; it is counted as it is, too. */
void trace_vectorize_neighbors(struct trace_worker *w, struct counted *c,
                               const struct trace_request *r);
/* Its row begins; rows_of_block: of threads. */
void trace_vectorize_row(struct trace_row *row, const struct trace_request *r,
                         unsigned rows_of_block);
void trace_vectorize_add(struct trace_row *sum, const struct trace_row *row);
/* All have been counted: where nvcc knows the window, its count stands. */
void trace_vectorize_choose(struct trace_row *rows);
