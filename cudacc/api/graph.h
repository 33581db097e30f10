/*
 * graph.h: graphs that a program holds, and the work of those that are launched.  With the device's
 * lock held.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "api/api.h"
#include "runtime/capture.h"

/* The work of a graph, in an order that its edges allow. */
struct sequence {
    int references;
    size_t count, pair_count;
    unsigned (*pairs)[2]; /* of an edge: the first step's number, and the second one's */
    struct step {
        const struct CUgraphNode_st *node; /* a key for looking up; it may be freed */
        struct operation *work;
    } steps[];
};

struct CUgraphExec_st {
    struct sequence *sequence;  /* a new one for each change: what is launched keeps its own */
    struct CUstream_st *stream; /* of the newest launch; NULL: none yet */
    unsigned long number;       /* that launch's number in its stream */
    struct CUgraphExec_st *next;
};

extern struct CUgraph_st *graphs; /* those that a program holds */

/* Its place in the list, or the list's end. */
struct CUgraph_st **graph_of(cudaGraph_t g);
struct CUgraphExec_st **exec_of(cudaGraphExec_t x);
/* Lets the program hold a graph, until it is destroyed; or frees it. */
cudaError_t graph_hand_out(struct CUgraph_st *g, cudaGraph_t *graph);

void sequence_place(struct sequence *q, const struct CUgraphNode_st *node, struct operation *work);
/* NULL: no memory, or a cycle. */
struct sequence *sequence_of(const struct CUgraph_st *g);
/* A copy of another one with its edges; NULL: no memory. */
struct sequence *sequence_like(const struct sequence *other);
void sequence_drop(struct sequence *q); /* one reference less */
