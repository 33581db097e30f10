/*
 * capture.c: see capture.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/capture.h"
#include <stdlib.h>

struct capture {
    struct CUstream_st *stream;
    enum cudaStreamCaptureMode mode;
    pthread_t thread; /* that began it */
    int invalid;
    struct CUgraph_st *graph;
    struct capture *next;
};
static struct capture *captures;
static atomic_int capture_count;

static struct capture *capture_of(const struct CUstream_st *s) {
    struct capture *c = captures;
    while (c && c->stream != s)
        c = c->next;
    return c;
}

struct operation *graph_work(struct operation work) {
    struct operation *o = malloc(sizeof *o);
    if (o) {
        *o = work;
        o->references = 1;
    }
    return o;
}

void graph_work_drop(struct operation *work) {
    if (--work->references)
        return;
    operation_end(work);
    free(work);
}

struct CUgraphNode_st *graph_add(struct CUgraph_st *g, struct operation *work) {
    struct CUgraphNode_st *n = work ? calloc(1, sizeof *n) : NULL;
    if (!n)
        return NULL;
    n->work = work;
    *(g->last ? &g->last->next : &g->first) = n;
    g->last = n;
    g->count++;
    return n;
}

void graph_free(struct CUgraph_st *g) {
    for (struct CUgraphNode_st *n = g->first, *next; n; n = next) {
        next = n->next;
        graph_work_drop(n->work);
        free(n);
    }
    for (struct edge *e = g->edges, *next; e; e = next) {
        next = e->next;
        free(e);
    }
    free(g);
}

cudaError_t capture_begin(struct CUstream_st *s, enum cudaStreamCaptureMode mode) {
    if (s->legacy)
        return cudaErrorStreamCaptureUnsupported;
    if (capture_of(s))
        return cudaErrorIllegalState;
    struct capture *c = calloc(1, sizeof *c);
    struct CUgraph_st *g = calloc(1, sizeof *g);
    if (!c || !g) {
        free(c);
        free(g);
        return cudaErrorMemoryAllocation;
    }
    *c = (struct capture){s, mode, pthread_self(), 0, g, captures};
    captures = c;
    atomic_fetch_add(&capture_count, 1);
    return cudaSuccess;
}

void capture_discard(struct CUstream_st *s) {
    struct capture **p = &captures, *c = capture_of(s);
    if (!c)
        return;
    while (*p != c)
        p = &(*p)->next;
    *p = c->next;
    atomic_fetch_sub(&capture_count, 1);
    if (c->graph)
        graph_free(c->graph);
    free(c);
}

cudaError_t capture_end(struct CUstream_st *s, struct CUgraph_st **graph) {
    struct capture *c = capture_of(s);
    *graph = NULL;
    if (!c)
        return cudaErrorIllegalState;
    if (c->mode != cudaStreamCaptureModeRelaxed && !c->invalid &&
        !pthread_equal(c->thread, pthread_self()))
        return cudaErrorStreamCaptureWrongThread;
    if (c->invalid) {
        capture_discard(s);
        return cudaErrorStreamCaptureInvalidated;
    }
    *graph = c->graph;
    c->graph = NULL;
    capture_discard(s);
    return cudaSuccess;
}

enum cudaStreamCaptureStatus capture_status(const struct CUstream_st *s) {
    const struct capture *c = capture_of(s);
    return !c           ? cudaStreamCaptureStatusNone
           : c->invalid ? cudaStreamCaptureStatusInvalidated
                        : cudaStreamCaptureStatusActive;
}

void capture_spoil(struct CUstream_st *s) {
    struct capture *c = capture_of(s);
    if (c)
        c->invalid = 1;
}

cudaError_t capture_add(struct CUstream_st *s, struct operation work) {
    struct CUgraph_st *g = capture_of(s)->graph;
    struct operation *o = work.not_captured ? NULL : graph_work(work);
    if (!graph_add(g, o)) {
        capture_spoil(s);
        operation_end(&work);
        free(o);
        return work.not_captured ? cudaErrorStreamCaptureUnsupported : cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

/* ---- What a call may not do -------------------------------------------------------------- */

static int is_blocking(const struct capture *c) {
    return !(c->stream->flags & cudaStreamNonBlocking);
}

int capture_hinders_legacy(void) {
    for (const struct capture *c = captures; c; c = c->next)
        if (is_blocking(c))
            return 1;
    return 0;
}

/* The legacy stream would wait for those that capture, and they for it. */
static cudaError_t refuse_legacy(void) {
    int any = 0;
    for (struct capture *c = captures; c; c = c->next)
        if (is_blocking(c))
            any = c->invalid = 1;
    return any ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

cudaError_t capture_refuses(struct CUstream_st *s) {
    if (s->legacy)
        return refuse_legacy();
    return capture_status(s) == cudaStreamCaptureStatusInvalidated
               ? cudaErrorStreamCaptureInvalidated
               : cudaSuccess;
}

static cudaError_t refuse_call(int whatever_the_mode) {
    int any = 0;
    for (struct capture *c = captures; c; c = c->next)
        if (whatever_the_mode || c->mode == cudaStreamCaptureModeGlobal ||
            (c->mode == cudaStreamCaptureModeThreadLocal &&
             pthread_equal(c->thread, pthread_self())))
            any = c->invalid = 1;
    return any ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t capture_refuses_wait(struct CUstream_st *s) {
    cudaError_t e = s && s->legacy ? refuse_legacy() : cudaSuccess;
    if (!e && s && capture_of(s)) {
        capture_spoil(s);
        e = cudaErrorStreamCaptureUnsupported;
    }
    return e ? e : refuse_call(!s);
}

cudaError_t capture_refuses_call(int has_lock) {
    if (!atomic_load(&capture_count))
        return cudaSuccess;
    if (!has_lock)
        cpu_device_lock();
    cudaError_t e = refuse_call(0);
    if (!has_lock)
        cpu_device_unlock();
    return e;
}
