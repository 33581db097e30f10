/*
 * graph.c: graphs, which a stream has captured: launched as one operation.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/graph.h"
#include "runtime/observer.h"
#include <stdlib.h>
#include <string.h>

/* ---- Graphs, and what is made of them to be launched ------------------------------------- */

struct CUgraph_st *graphs;
static struct CUgraphExec_st *execs;

struct CUgraph_st **graph_of(cudaGraph_t g) {
    return LIST_PLACE(graphs, i, i == g);
}

struct CUgraphExec_st **exec_of(cudaGraphExec_t x) {
    return LIST_PLACE(execs, i, i == x);
}

cudaError_t graph_hand_out(struct CUgraph_st *g, cudaGraph_t *graph) {
    if (!g || !graph) {
        if (g)
            graph_free(g);
        return graph ? cudaErrorMemoryAllocation : cudaSuccess;
    }
    g->next = graphs;
    *graph = graphs = g;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
    cpu_device_start();
    struct CUgraph_st *g = NULL;
    if (graph)
        *graph = NULL;
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = s ? capture_end(s, &g) : cudaErrorInvalidResourceHandle;
    if (!e)
        e = graph_hand_out(g, graph);
    return call_ends(e);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    call_begins();
    struct CUgraph_st **p = graph_of(graph), *g = *p;
    if (g) {
        *p = g->next;
        graph_free(g);
    }
    return call_ends(g ? cudaSuccess : cudaErrorInvalidValue);
}

static int is_placed(const struct sequence *q, const struct CUgraphNode_st *n) {
    return n->place < q->count && q->steps[n->place].node == n;
}
static int may_follow(const struct sequence *q, const struct CUgraphNode_st *n) {
    return !LIST_FIND(n->edges, e, !is_placed(q, e->from));
}
void sequence_place(struct sequence *q, const struct CUgraphNode_st *node, struct operation *work) {
    q->steps[q->count++] = (struct step){node, work};
    work->references++;
}
static struct sequence *sequence_new(size_t count, size_t pair_count) {
    struct sequence *q = calloc(1, sizeof *q + count * sizeof *q->steps);
    unsigned(*pairs)[2] = malloc((pair_count + 1) * sizeof *pairs);
    if (!q || !pairs) {
        free(q);
        free(pairs);
        return NULL;
    }
    q->references = 1;
    q->pairs = pairs;
    return q;
}
struct sequence *sequence_like(const struct sequence *other) {
    struct sequence *q = sequence_new(other->count, other->pair_count);
    if (q) {
        memcpy(q->pairs, other->pairs, other->pair_count * sizeof *q->pairs);
        q->pair_count = other->pair_count;
    }
    return q;
}
void sequence_drop(struct sequence *q) {
    if (--q->references)
        return;
    for (size_t i = 0; i < q->count; i++)
        graph_work_drop(q->steps[i].work);
    free(q->pairs);
    free(q);
}

/* n is next. */
static void place(struct sequence *q, struct CUgraphNode_st *n) {
    for (const struct edge *e = n->edges; e; e = e->next) {
        unsigned *pair = q->pairs[q->pair_count++];
        pair[0] = (unsigned)e->from->place;
        pair[1] = (unsigned)q->count;
    }
    n->place = q->count;
    sequence_place(q, n, n->work);
}

struct sequence *sequence_of(const struct CUgraph_st *g) {
    size_t edges = 0;
    for (const struct CUgraphNode_st *n = g->first; n; n = n->next)
        for (const struct edge *e = n->edges; e; e = e->next)
            edges++;
    struct sequence *q = sequence_new(g->count, edges);
    for (size_t before = 1; q && q->count < g->count && before;) {
        before = q->count + 1;
        for (struct CUgraphNode_st *n = g->first; n; n = n->next)
            if (!is_placed(q, n) && may_follow(q, n))
                place(q, n);
        before = q->count >= before;
    }
    if (q && q->count < g->count) {
        sequence_drop(q);
        q = NULL;
    }
    return q;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    const unsigned known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                           cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;
    cpu_device_start();
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return cpu_device_return(cudaErrorNotSupported);
    struct CUgraphExec_st *x = exec && !(flags & ~known) ? calloc(1, sizeof *x) : NULL;
    cudaError_t e =
        x || !exec || flags & ~known ? cudaErrorInvalidValue : cudaErrorMemoryAllocation;
    cpu_device_lock();
    const struct CUgraph_st *g = *graph_of(graph);
    struct sequence *q = x && g ? sequence_of(g) : NULL;
    if (q) {
        *x = (struct CUgraphExec_st){.sequence = q, .next = execs};
        *exec = execs = x;
        e = cudaSuccess;
    }
    cpu_device_unlock();
    if (e)
        free(x);
    return cpu_device_return(e);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
/* As CUDA 11 has it. */
EXPORTED cudaError_t cpu_device_graph_instantiate_11(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                     cudaGraphNode_t *error_node, char *log,
                                                     size_t bytes) {
    (void)error_node;
    if (log && bytes)
        *log = 0;
    return cudaGraphInstantiateWithFlags(exec, graph, 0);
}

/* Launches that are queued still run. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    call_begins();
    struct CUgraphExec_st **p = exec_of(exec), *x = *p;
    if (x) {
        *p = x->next;
        stream_drop(x->stream);
        sequence_drop(x->sequence);
        free(x);
    }
    return call_ends(x ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- Launches ---------------------------------------------------------------------------- */

static void run_graph(void *data) {
    struct sequence *q = data;
    for (size_t i = 0; i < q->count; i++)
        if (q->steps[i].work->run && !atomic_load(&cpu_device.lost)) {
            OBSERVE(node_begins, (unsigned)i);
            q->steps[i].work->run(q->steps[i].work->data);
        }
}
static void end_graph(void *data) {
    WITH_LOCK(cpu_device.lock);
    sequence_drop(data);
}

/* With the lock: after the launch of this exec before, which uses the same data. */
static cudaError_t put_graph(struct CUgraphExec_st *x, cudaStream_t handle) {
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = s ? capture_refuses(s) : cudaErrorInvalidResourceHandle;
    if (!e && capture_status(s) != cudaStreamCaptureStatusNone) {
        capture_spoil(s);
        e = cudaErrorStreamCaptureUnsupported;
    }
    if (e)
        return e;
    struct sequence *q = x->sequence;
    for (size_t i = 0; i < q->count; i++)
        if (q->steps[i].work->queued)
            q->steps[i].work->queued(q->steps[i].work->data);
    q->references++;
    s->references++;
    unsigned long number = stream_put(
        s, (struct operation){.run = run_graph, .end = end_graph, .data = q}, x->stream, x->number);
    OBSERVE(graph_put, s->id, number, (unsigned)q->count, (const unsigned(*)[2])q->pairs,
            q->pair_count);
    stream_drop(x->stream);
    x->stream = s;
    x->number = number;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    cpu_device_start();
    cudaError_t e = cpu_device_return(in_host_function ? cudaErrorNotPermitted : cudaSuccess);
    if (e)
        return e;
    cpu_device_printf_flush();
    cpu_device_lock();
    struct CUgraphExec_st *x = *exec_of(exec);
    e = x ? put_graph(x, stream) : cudaErrorInvalidValue;
    int blocking = !e && cpu_device.launch_blocking;
    if (blocking)
        stream_wait_for(x->stream, x->number);
    cpu_device_unlock();
    /* What goes wrong in the graph shows in a later call, however fast it was. */
    return e || blocking ? cpu_device_return(e) : cudaSuccess;
}
