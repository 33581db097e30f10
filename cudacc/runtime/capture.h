/*
 * capture.h: streams that are capturing: work that is put into them becomes a graph instead.  With
 * the device's lock held, where nothing else is said.
 *
 * A capture is invalidated by a call that would need its work to be done, or could; the errors are
 * those of an H200.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "runtime/queue.h"

/* Operations to be run any number of times, in the order in which they were captured or added, but
 * for what the edges say; nothing but edges is promised. */
struct CUgraphNode_st {
    struct operation *work;
    struct edge *edges; /* from what it comes after */
    unsigned stream;    /* of a capture, and its number in that */
    size_t number;
    size_t place; /* in the sequence made last */
    struct CUgraphNode_st *next;
};
struct edge {
    const struct CUgraphNode_st *from;
    struct edge *next;
};
struct CUgraph_st {
    struct CUgraphNode_st *first, *last;
    size_t count;
    struct CUgraph_st *next; /* api/graph.c's own */
};
void graph_free(struct CUgraph_st *g);
/* A node at the end, which takes over a reference to its work; NULL: no memory. */
struct CUgraphNode_st *graph_add(struct CUgraph_st *g, struct operation *work);
/* 0: no memory. */
int graph_add_edge(const struct CUgraphNode_st *from, struct CUgraphNode_st *to);
struct operation *graph_work(struct operation work); /* with one reference; NULL: no memory */
void graph_work_drop(struct operation *work);        /* one reference less */

/* How far each stream of a capture is, by the count of its operations. */
enum { CAPTURE_STREAMS = 64 };
struct progress {
    unsigned long session;
    size_t done[CAPTURE_STREAMS];
};
/* Of a stream that captures: for the events that it records. */
struct progress capture_progress(const struct CUstream_st *s);
/* The stream waits for such an event: it joins the capture, or comes after more of it. */
cudaError_t capture_wait(struct CUstream_st *s, const struct progress *p);

cudaError_t capture_begin(struct CUstream_st *s, enum cudaStreamCaptureMode mode);
/* Only by the stream that began, which then does not capture any more, nor do those that joined;
 * graph: NULL, or it is the caller's. */
cudaError_t capture_end(struct CUstream_st *s, struct CUgraph_st **graph);
enum cudaStreamCaptureStatus capture_status(const struct CUstream_st *s);
void capture_discard(struct CUstream_st *s); /* the stream ends, and with it its capture */
void capture_spoil(struct CUstream_st *s);   /* invalidates its capture, if there is one */
/* Adds an operation that the stream would have got. */
cudaError_t capture_add(struct CUstream_st *s, struct operation work);

/* May work be put into this stream, recorded or not? */
cudaError_t capture_refuses(struct CUstream_st *s);
/* Does a blocking stream capture, so that the legacy stream cannot be used? */
int capture_hinders_legacy(void);
/* May the host wait for that stream, or ask whether it is done? NULL: for all. */
cudaError_t capture_refuses_wait(struct CUstream_st *s);
/* May a call do what could wait for any stream, as giving and taking memory does? */
cudaError_t capture_refuses_call(int has_lock);
