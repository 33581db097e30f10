/*
 * graph.c: graphs, captured by a stream or made node by node: launched as one operation.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/capture.h"
#include <stdlib.h>
#include <string.h>

/* ---- Graphs, and what is made of them to be launched ------------------------------------- */

/* What a program holds: a handle is good until it is destroyed. */
struct handle {
    struct CUgraph_st *graph;
    struct handle *next;
};

/* The work of a graph, in an order that its edges allow. */
struct sequence {
    int references;
    size_t count;
    struct step {
        const struct CUgraphNode_st *node; /* to be found by; it may be gone */
        struct operation *work;
    } steps[];
};

struct CUgraphExec_st {
    struct sequence *sequence;  /* a new one for each change: what is launched keeps its own */
    struct CUstream_st *stream; /* of the newest launch; NULL: none yet */
    unsigned long number;       /* of that in its stream */
    struct CUgraphExec_st *next;
};

static struct handle *graphs;
static struct CUgraphExec_st *execs;

static struct handle **graph_of(cudaGraph_t g) { /* its place in the list, or the list's end */
    struct handle **p = &graphs;
    while (*p && (*p)->graph != g)
        p = &(*p)->next;
    return p;
}

static struct CUgraphExec_st **exec_of(cudaGraphExec_t x) {
    struct CUgraphExec_st **p = &execs;
    while (*p && *p != x)
        p = &(*p)->next;
    return p;
}

/* Gives a graph a handle; or frees it. */
static cudaError_t hand_out(struct CUgraph_st *g, cudaGraph_t *graph) {
    struct handle *h = g && graph ? malloc(sizeof *h) : NULL;
    if (!h) {
        if (g)
            graph_free(g);
        return graph ? cudaErrorMemoryAllocation : cudaSuccess;
    }
    *h = (struct handle){g, graphs};
    graphs = h;
    *graph = g;
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
        e = hand_out(g, graph);
    cpu_device_unlock();
    return cpu_device_return(e);
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    cpu_device_start();
    if (!graph || flags)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    cudaError_t e = hand_out(calloc(1, sizeof(struct CUgraph_st)), graph);
    cpu_device_unlock();
    return cpu_device_return(e);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    cpu_device_start();
    cpu_device_lock();
    const struct handle *h = *graph_of(graph);
    cudaError_t e = h && count ? cudaSuccess : cudaErrorInvalidValue;
    struct CUgraphNode_st *n = e ? NULL : h->graph->first;
    for (size_t i = 0; !e && nodes && i < *count; i++, n = n ? n->next : NULL)
        nodes[i] = n;
    if (!e)
        *count = nodes && *count < h->graph->count ? *count : h->graph->count;
    cpu_device_unlock();
    return cpu_device_return(e);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    cpu_device_start();
    cpu_device_lock();
    struct handle **p = graph_of(graph), *h = *p;
    if (h) {
        *p = h->next;
        graph_free(h->graph);
        free(h);
    }
    cpu_device_unlock();
    return cpu_device_return(h ? cudaSuccess : cudaErrorInvalidValue);
}

static int is_placed(const struct sequence *q, const struct CUgraphNode_st *n) {
    for (size_t i = 0; i < q->count; i++)
        if (q->steps[i].node == n)
            return 1;
    return 0;
}
static int may_follow(const struct CUgraph_st *g, const struct sequence *q,
                      const struct CUgraphNode_st *n) {
    for (const struct edge *e = g->edges; e; e = e->next)
        if (e->to == n && !is_placed(q, e->from))
            return 0;
    return 1;
}
static void place(struct sequence *q, const struct CUgraphNode_st *node, struct operation *work) {
    q->steps[q->count++] = (struct step){node, work};
    work->references++;
}
static struct sequence *sequence_new(size_t count) {
    struct sequence *q = calloc(1, sizeof *q + count * sizeof *q->steps);
    if (q)
        q->references = 1;
    return q;
}
static void sequence_drop(struct sequence *q) {
    if (--q->references)
        return;
    for (size_t i = 0; i < q->count; i++)
        graph_work_drop(q->steps[i].work);
    free(q);
}

/* NULL: no memory, or a cycle. */
static struct sequence *sequence_of(const struct CUgraph_st *g) {
    struct sequence *q = sequence_new(g->count);
    for (size_t before = 1; q && q->count < g->count && before;) {
        before = q->count + 1;
        for (const struct CUgraphNode_st *n = g->first; n; n = n->next)
            if (!g->edges || (!is_placed(q, n) && may_follow(g, q, n)))
                place(q, n, n->work);
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
    const struct handle *h = *graph_of(graph);
    struct sequence *q = x && h ? sequence_of(h->graph) : NULL;
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
    cpu_device_start();
    cpu_device_lock();
    struct CUgraphExec_st **p = exec_of(exec), *x = *p;
    if (x) {
        *p = x->next;
        if (x->stream)
            stream_drop(x->stream);
        sequence_drop(x->sequence);
        free(x);
    }
    cpu_device_unlock();
    return cpu_device_return(x ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- Launches ---------------------------------------------------------------------------- */

static void run_graph(void *data) {
    struct sequence *q = data;
    for (size_t i = 0; i < q->count; i++)
        if (q->steps[i].work->run && !atomic_load(&cpu_device.lost))
            q->steps[i].work->run(q->steps[i].work->data);
}
static void end_graph(void *data) {
    cpu_device_lock();
    sequence_drop(data);
    cpu_device_unlock();
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
    if (x->stream)
        stream_drop(x->stream);
    x->stream = s;
    x->number = number;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    cpu_device_start();
    if (in_host_function)
        return cpu_device_return(cudaErrorNotPermitted);
    cpu_device_printf_flush();
    cpu_device_lock();
    struct CUgraphExec_st *x = *exec_of(exec);
    cudaError_t e = x ? put_graph(x, stream) : cudaErrorInvalidValue;
    if (!e && cpu_device.launch_blocking)
        stream_wait_for(x->stream, x->number);
    cpu_device_unlock();
    return cpu_device_return(e);
}

/* ---- Node by node ------------------------------------------------------------------------ */

/* What a node does is what a stream captures of the call that does the same. */
struct call {
    const struct cudaKernelNodeParams *kernel;
    const struct cudaMemcpy3DParms *copy;
    const struct cudaMemsetParams *set;
    const struct cudaHostNodeParams *host;
    void *to;
    const void *from;
    size_t bytes;
    enum cudaMemcpyKind kind;
};

static cudaError_t make(const struct call *c, cudaStream_t s) {
    if (c->kernel)
        return cudaLaunchKernel(c->kernel->func, c->kernel->gridDim, c->kernel->blockDim,
                                c->kernel->kernelParams, c->kernel->sharedMemBytes, s);
    if (c->copy)
        return cudaMemcpy3DAsync(c->copy, s);
    if (c->set)
        return set_elements(c->set, s);
    if (c->host)
        return cudaLaunchHostFunc(s, c->host->fn, c->host->userData);
    return c->to ? cudaMemcpyAsync(c->to, c->from, c->bytes, c->kind, s) : cudaSuccess;
}

static void nothing(void *unused) { (void)unused; }

/* The work of that call, with a reference. */
static cudaError_t record(const struct call *c, struct operation **work) {
    cudaStream_t s;
    struct CUgraph_st *g = NULL;
    cudaError_t e = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    if (e)
        return e;
    e = cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    if (!e)
        e = make(c, s);
    cpu_device_lock();
    cudaError_t ended = capture_end(stream_of(s), &g);
    e = e ? e : ended;
    *work = NULL;
    if (g && g->first) {
        *work = g->first->work;
        (*work)->references++;
    } else if (!e) {
        *work = graph_work((struct operation){.end = nothing});
    }
    if (g)
        graph_free(g);
    cpu_device_unlock();
    cudaStreamDestroy(s);
    return e || *work ? e : cudaErrorMemoryAllocation;
}

static int is_node_of(const struct CUgraph_st *g, const struct CUgraphNode_st *node) {
    const struct CUgraphNode_st *n = g->first;
    while (n && n != node)
        n = n->next;
    return n != NULL;
}

/* With the lock. */
static cudaError_t add_edges(struct CUgraph_st *g, const cudaGraphNode_t *from,
                             const cudaGraphNode_t *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!is_node_of(g, from[i]) || !is_node_of(g, to[i]) || from[i] == to[i])
            return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        struct edge *e = malloc(sizeof *e);
        if (!e)
            return cudaErrorMemoryAllocation;
        *e = (struct edge){from[i], to[i], g->edges};
        g->edges = e;
    }
    return cudaSuccess;
}

static cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                            size_t count, const struct call *c) {
    cpu_device_start();
    if (!node || (count && !after))
        return cpu_device_return(cudaErrorInvalidValue);
    struct operation *work;
    cudaError_t e = record(c, &work);
    if (e)
        return cpu_device_return(e);
    cpu_device_lock();
    const struct handle *h = *graph_of(graph);
    for (size_t i = 0; i < count; i++)
        if (h && !is_node_of(h->graph, after[i]))
            h = NULL;
    struct CUgraphNode_st *n = h ? graph_add(h->graph, work) : NULL;
    if (!n)
        graph_work_drop(work);
    e = n ? cudaSuccess : h ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < count; i++)
        e = add_edges(h->graph, &after[i], &n, 1);
    cpu_device_unlock();
    if (!e)
        *node = n;
    return cpu_device_return(e);
}

#define ADD_NODE(name, params, member)                                                             \
    cudaError_t name(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,       \
                     size_t count, const struct params *p) {                                       \
        return p ? add_node(node, graph, after, count, &(struct call){.member = p})                \
                 : cpu_device_return(cudaErrorInvalidValue);                                       \
    }
ADD_NODE(cudaGraphAddKernelNode, cudaKernelNodeParams, kernel)
ADD_NODE(cudaGraphAddMemcpyNode, cudaMemcpy3DParms, copy)
ADD_NODE(cudaGraphAddMemsetNode, cudaMemsetParams, set)
ADD_NODE(cudaGraphAddHostNode, cudaHostNodeParams, host)
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t count, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    const struct call c = {.to = to, .from = from, .bytes = bytes, .kind = kind};
    return to ? add_node(node, graph, after, count, &c) : cpu_device_return(cudaErrorInvalidValue);
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t count) {
    return add_node(node, graph, after, count, &(struct call){0});
}

/* As CUDA 12 has it; CUDA 13 adds what only programmatic launches need. */
EXPORTED cudaError_t cpu_device_graph_add_dependencies_12(cudaGraph_t graph,
                                                          const cudaGraphNode_t *from,
                                                          const cudaGraphNode_t *to, size_t count) {
    cpu_device_start();
    cpu_device_lock();
    const struct handle *h = *graph_of(graph);
    cudaError_t e = h && (!count || (from && to)) ? add_edges(h->graph, from, to, count)
                                                  : cudaErrorInvalidValue;
    cpu_device_unlock();
    return cpu_device_return(e);
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                     size_t count) {
    return data ? cpu_device_return(cudaErrorNotSupported)
                : cpu_device_graph_add_dependencies_12(graph, from, to, count);
}

static struct CUgraphNode_st *counterpart(const struct CUgraph_st *g, const struct CUgraph_st *copy,
                                          const struct CUgraphNode_st *node) {
    struct CUgraphNode_st *c = copy->first;
    for (const struct CUgraphNode_st *n = g->first; n != node; n = n->next)
        c = c->next;
    return c;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
    cpu_device_start();
    cpu_device_lock();
    const struct handle *h = *graph_of(graph);
    struct CUgraph_st *g = h && clone ? calloc(1, sizeof *g) : NULL;
    cudaError_t e = g ? cudaSuccess : cudaErrorInvalidValue;
    for (struct CUgraphNode_st *n = g ? h->graph->first : NULL; n; n = n->next)
        if (graph_add(g, n->work))
            n->work->references++;
        else
            e = cudaErrorMemoryAllocation;
    for (const struct edge *d = e ? NULL : h->graph->edges; d && !e; d = d->next) {
        struct CUgraphNode_st *from = counterpart(h->graph, g, d->from);
        struct CUgraphNode_st *to = counterpart(h->graph, g, d->to);
        e = add_edges(g, &from, &to, 1);
    }
    if (!e)
        e = hand_out(g, clone);
    else if (g)
        graph_free(g);
    cpu_device_unlock();
    return cpu_device_return(e);
}

/* ---- Changes ----------------------------------------------------------------------------- */

/* What a kernel node does from now on; where that is an error, the lock is not held afterward. */
static cudaError_t begin_change(const struct cudaKernelNodeParams *p, struct operation **work) {
    cpu_device_start();
    cudaError_t e = p ? record(&(struct call){.kernel = p}, work) : cudaErrorInvalidValue;
    if (!e)
        cpu_device_lock();
    return e;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *p) {
    struct operation *work;
    cudaError_t e = begin_change(p, &work);
    if (e)
        return cpu_device_return(e);
    const struct handle *h = graphs;
    while (h && !is_node_of(h->graph, node))
        h = h->next;
    if (h && node->work->run == work->run) {
        struct operation *before = node->work;
        node->work = work;
        work = before;
    } else {
        e = cudaErrorInvalidValue;
    }
    graph_work_drop(work);
    cpu_device_unlock();
    return cpu_device_return(e);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p) {
    struct operation *work;
    cudaError_t e = begin_change(p, &work);
    if (e)
        return cpu_device_return(e);
    struct CUgraphExec_st *x = *exec_of(exec);
    struct sequence *q = x ? sequence_new(x->sequence->count) : NULL;
    e = cudaErrorInvalidValue;
    for (size_t i = 0; q && i < x->sequence->count; i++) {
        struct step s = x->sequence->steps[i];
        int changed = s.node == node && s.work->run == work->run;
        place(q, s.node, changed ? work : s.work);
        if (changed)
            e = cudaSuccess;
    }
    if (!e) {
        struct sequence *before = x->sequence;
        x->sequence = q;
        q = before;
    }
    if (q)
        sequence_drop(q);
    graph_work_drop(work);
    cpu_device_unlock();
    return cpu_device_return(e);
}

/* The nodes of both, in their order, must be of the same kinds. */
static enum cudaGraphExecUpdateResult update(struct CUgraphExec_st *x, struct CUgraph_st *g) {
    struct sequence *q = sequence_of(g), *before = x->sequence;
    if (!q)
        return cudaGraphExecUpdateError;
    enum cudaGraphExecUpdateResult result = q->count == before->count
                                                ? cudaGraphExecUpdateSuccess
                                                : cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; !result && i < q->count; i++) {
        if (q->steps[i].work->run != before->steps[i].work->run)
            result = cudaGraphExecUpdateErrorNodeTypeChanged;
        q->steps[i].node = before->steps[i].node;
    }
    if (!result)
        x->sequence = q;
    sequence_drop(result ? q : before);
    return result;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
    cpu_device_start();
    cpu_device_lock();
    struct CUgraphExec_st *x = *exec_of(exec);
    const struct handle *h = *graph_of(graph);
    enum cudaGraphExecUpdateResult result = x && h ? update(x, h->graph) : cudaGraphExecUpdateError;
    if (info)
        *info = (cudaGraphExecUpdateResultInfo){.result = result};
    cpu_device_unlock();
    return cpu_device_return(!x || !h ? cudaErrorInvalidValue
                             : result ? cudaErrorGraphExecUpdateFailure
                                      : cudaSuccess);
}
/* As CUDA 11 has it. */
EXPORTED cudaError_t cpu_device_graph_exec_update_11(cudaGraphExec_t exec, cudaGraph_t graph,
                                                     cudaGraphNode_t *error_node,
                                                     enum cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info;
    cudaError_t e = cudaGraphExecUpdate(exec, graph, &info);
    if (result)
        *result = info.result;
    if (error_node)
        *error_node = NULL;
    return e;
}
