/*
 * capture.c: streams that are capturing: work that is put into them becomes a graph instead.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/capture.h"
#include <stdlib.h>

struct session {
    unsigned long id;
    enum cudaStreamCaptureMode mode;
    pthread_t thread; /* the host thread that began it */
    int invalid;
    struct CUgraph_st *graph;
    unsigned streams; /* that have joined so far: the first began it */
};

/* One stream's part in a session. */
struct capture {
    struct CUstream_st *stream;
    struct session *session;
    unsigned index;      /* among the session's streams */
    struct progress has; /* what the stream's next operation comes after, its own included */
    struct capture *next;
};
static struct capture *captures;
static atomic_int capture_count;

static struct capture *capture_of(const struct CUstream_st *s) {
    return LIST_FIND(captures, c, c->stream == s);
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
    LIST_EACH (g->first, n) {
        LIST_EACH (n->edges, e)
            free(e);
        graph_work_drop(n->work);
        free(n);
    }
    free(g);
}

int graph_add_edge(const struct CUgraphNode_st *from, struct CUgraphNode_st *to) {
    struct edge *e = malloc(sizeof *e);
    if (e) {
        *e = (struct edge){from, to->edges};
        to->edges = e;
    }
    return e != NULL;
}

static struct capture *take_part(struct CUstream_st *s, struct session *session) {
    struct capture *c = session->streams < CAPTURE_STREAMS ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    c->stream = s;
    c->session = session;
    c->index = session->streams++;
    c->has.session = session->id;
    LIST_ADD(captures, c);
    atomic_fetch_add(&capture_count, 1);
    return c;
}

cudaError_t capture_begin(struct CUstream_st *s, enum cudaStreamCaptureMode mode) {
    static unsigned long id;
    if (s->legacy)
        return cudaErrorStreamCaptureUnsupported;
    if (capture_of(s))
        return cudaErrorIllegalState;
    struct session *session = calloc(1, sizeof *session);
    struct CUgraph_st *g = calloc(1, sizeof *g);
    if (session && g) {
        *session = (struct session){++id, mode, pthread_self(), 0, g, 0};
        if (take_part(s, session))
            return cudaSuccess;
    }
    free(session);
    free(g);
    return cudaErrorMemoryAllocation;
}

static void leave(struct capture *c) {
    LIST_REMOVE(captures, c);
    atomic_fetch_sub(&capture_count, 1);
    free(c);
}

void capture_discard(struct CUstream_st *s) {
    struct capture *c = capture_of(s);
    if (!c)
        return;
    struct session *session = c->session;
    if (c->index) {
        session->invalid = 1;
        leave(c);
        return;
    }
    LIST_EACH (captures, other)
        if (other->session == session)
            leave(other);
    if (session->graph)
        graph_free(session->graph);
    free(session);
}

/* Does the stream that began come after all that the others have? */
static int is_joined(const struct capture *first) {
    return !LIST_FIND(captures, c,
                      c->session == first->session &&
                          first->has.done[c->index] < c->has.done[c->index]);
}

cudaError_t capture_end(struct CUstream_st *s, struct CUgraph_st **graph) {
    struct capture *c = capture_of(s);
    *graph = NULL;
    if (!c)
        return cudaErrorIllegalState;
    struct session *session = c->session;
    if (session->mode != cudaStreamCaptureModeRelaxed && !session->invalid &&
        !pthread_equal(session->thread, pthread_self()))
        return cudaErrorStreamCaptureWrongThread;
    if (c->index) {
        session->invalid = 1;
        return cudaErrorStreamCaptureUnmatched;
    }
    cudaError_t e = session->invalid ? cudaErrorStreamCaptureInvalidated
                    : !is_joined(c)  ? cudaErrorStreamCaptureUnjoined
                                     : cudaSuccess;
    if (!e) {
        *graph = session->graph;
        session->graph = NULL;
    }
    capture_discard(s);
    return e;
}

enum cudaStreamCaptureStatus capture_status(const struct CUstream_st *s) {
    const struct capture *c = capture_of(s);
    return !c                    ? cudaStreamCaptureStatusNone
           : c->session->invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
}

void capture_spoil(struct CUstream_st *s) {
    struct capture *c = capture_of(s);
    if (c)
        c->session->invalid = 1;
}

cudaError_t capture_add(struct CUstream_st *s, struct operation work) {
    struct capture *c = capture_of(s);
    struct operation *o = work.not_captured ? NULL : graph_work(work);
    if (!graph_add(c->session->graph, o)) {
        capture_spoil(s);
        operation_end(&work);
        free(o);
        return work.not_captured ? cudaErrorStreamCaptureUnsupported : cudaErrorMemoryAllocation;
    }
    /* It comes after the last one of each stream that its own stream has waited for. */
    struct CUgraphNode_st *added = c->session->graph->last;
    for (const struct CUgraphNode_st *n = c->session->graph->first; n != added; n = n->next)
        if (n->number == c->has.done[n->stream] && !graph_add_edge(n, added)) {
            capture_spoil(s);
            return cudaErrorMemoryAllocation;
        }
    added->stream = c->index;
    added->number = ++c->has.done[c->index];
    return cudaSuccess;
}

struct progress capture_progress(const struct CUstream_st *s) {
    return capture_of(s)->has;
}

cudaError_t capture_wait(struct CUstream_st *s, const struct progress *p) {
    struct capture *own = capture_of(s);
    const struct capture *c = LIST_FIND(captures, i, i->session->id == p->session);
    if (!c) /* that capture has ended */
        return cudaErrorInvalidValue;
    struct session *session = c->session;
    if (session->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (s->legacy || (own && own->session != session)) {
        session->invalid = 1;
        if (own)
            own->session->invalid = 1;
        return own ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureImplicit;
    }
    if (!own && !(own = take_part(s, session))) {
        session->invalid = 1;
        return cudaErrorStreamCaptureUnsupported;
    }
    for (unsigned i = 0; i < CAPTURE_STREAMS; i++)
        if (own->has.done[i] < p->done[i])
            own->has.done[i] = p->done[i];
    return cudaSuccess;
}

/* ---- What a call may not do -------------------------------------------------------------- */

static int is_blocking(const struct capture *c) {
    return !(c->stream->flags & cudaStreamNonBlocking);
}

int capture_hinders_legacy(void) { return LIST_FIND(captures, c, is_blocking(c)) != NULL; }

/* The legacy stream would wait for those that capture, and they for it. */
static cudaError_t refuse_legacy(void) {
    int any = 0;
    for (struct capture *c = captures; c; c = c->next)
        if (is_blocking(c))
            any = c->session->invalid = 1;
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
    for (struct capture *c = captures; c; c = c->next) {
        struct session *session = c->session;
        if (whatever_the_mode || session->mode == cudaStreamCaptureModeGlobal ||
            (session->mode == cudaStreamCaptureModeThreadLocal &&
             pthread_equal(session->thread, pthread_self())))
            any = session->invalid = 1;
    }
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
