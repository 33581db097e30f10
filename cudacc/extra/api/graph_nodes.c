/*
 * graph_nodes.c: graphs made node by node, looked at, copied and changed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/copy.h"
#include "api/graph.h"
#include "extra/api/extra.h"
#include <stdlib.h>
#include <string.h>

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    cpu_device_start();
    if (!graph || flags)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    cudaError_t e = graph_hand_out(calloc(1, sizeof(struct CUgraph_st)), graph);
    cpu_device_unlock();
    return cpu_device_return(e);
}

/* Those that come after no other, or all. */
static cudaError_t give_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, int roots) {
    cpu_device_start();
    cpu_device_lock();
    struct CUgraph_st *h = *graph_of(graph);
    cudaError_t e = h && count ? cudaSuccess : cudaErrorInvalidValue;
    size_t found = 0;
    for (struct CUgraphNode_st *n = e ? NULL : h->first; n; n = n->next)
        if (!roots || !n->edges) {
            if (nodes && found < *count)
                nodes[found] = n;
            found++;
        }
    for (size_t i = found; !e && nodes && i < *count; i++)
        nodes[i] = NULL;
    if (!e)
        *count = nodes && *count < found ? *count : found;
    cpu_device_unlock();
    return cpu_device_return(e);
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    return give_nodes(graph, nodes, count, 0);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    return give_nodes(graph, nodes, count, 1);
}

/* What a node does is what a stream captures of the call that does the same, but that reports name
 * the call that has added the node. */
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
        return copy_box(c->copy, s, 1);
    if (c->set)
        return set_elements(c->set, s);
    if (c->host)
        return cudaLaunchHostFunc(s, c->host->fn, c->host->userData);
    return c->to ? copy_queue(copy_line(c->to, c->from, c->bytes), c->kind, s, 1) : cudaSuccess;
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

/* With the lock: NULL if no graph that a program holds has it. */
static struct CUgraph_st *graph_with(const struct CUgraphNode_st *node) {
    struct CUgraph_st *h = graphs;
    while (h && !is_node_of(h, node))
        h = h->next;
    return h;
}

/* With the lock. */
static cudaError_t add_edges(struct CUgraph_st *g, const cudaGraphNode_t *from,
                             const cudaGraphNode_t *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!is_node_of(g, from[i]) || !is_node_of(g, to[i]) || from[i] == to[i])
            return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!graph_add_edge(from[i], to[i]))
            return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    cpu_device_start();
    cpu_device_lock();
    const struct operation *work = type && graph_with(node) ? node->work : NULL;
    if (work)
        *type = work->kernel            ? cudaGraphNodeTypeKernel
                : work->end == nothing  ? cudaGraphNodeTypeEmpty
                : work->run == run_copy ? cudaGraphNodeTypeMemcpy
                : work->run == run_set  ? cudaGraphNodeTypeMemset
                                        : cudaGraphNodeTypeHost;
    cpu_device_unlock();
    return cpu_device_return(work ? cudaSuccess : cudaErrorInvalidValue);
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
    struct CUgraph_st *h = *graph_of(graph);
    for (size_t i = 0; i < count; i++)
        if (h && !is_node_of(h, after[i]))
            h = NULL;
    struct CUgraphNode_st *n = h ? graph_add(h, work) : NULL;
    if (!n)
        graph_work_drop(work);
    e = n ? cudaSuccess : h ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < count; i++)
        e = add_edges(h, &after[i], &n, 1);
    cpu_device_unlock();
    if (!e)
        *node = n;
    return cpu_device_return(e);
}

#define ADD_NODE(name, params, member)                                                             \
    cudaError_t name(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,       \
                     size_t count, const struct params *p) {                                       \
        CALLED();                                                                                  \
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
    CALLED();
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
    struct CUgraph_st *h = *graph_of(graph);
    cudaError_t e =
        h && (!count || (from && to)) ? add_edges(h, from, to, count) : cudaErrorInvalidValue;
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
    struct CUgraph_st *h = *graph_of(graph);
    struct CUgraph_st *g = h && clone ? calloc(1, sizeof *g) : NULL;
    cudaError_t e = g ? cudaSuccess : cudaErrorInvalidValue;
    for (struct CUgraphNode_st *n = g ? h->first : NULL; n; n = n->next)
        if (graph_add(g, n->work))
            n->work->references++;
        else
            e = cudaErrorMemoryAllocation;
    struct CUgraphNode_st *to = e ? NULL : g->first;
    for (const struct CUgraphNode_st *n = e ? NULL : h->first; n; n = n->next, to = to->next)
        for (const struct edge *d = n->edges; d && !e; d = d->next)
            if (!graph_add_edge(counterpart(h, g, d->from), to))
                e = cudaErrorMemoryAllocation;
    if (!e)
        e = graph_hand_out(g, clone);
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
    if (graph_with(node) && node->work->run == work->run) {
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

static void drop_edges(struct CUgraphNode_st *n, const struct CUgraphNode_st *from) {
    for (struct edge **p = &n->edges, *e; (e = *p);)
        if (!from || e->from == from) {
            *p = e->next;
            free(e);
        } else {
            p = &e->next;
        }
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    cpu_device_start();
    cpu_device_lock();
    struct CUgraph_st *h = graph_with(node);
    struct CUgraphNode_st *before = NULL;
    for (struct CUgraphNode_st *n = h ? h->first : NULL; n; n = n->next) {
        before = n->next == node ? n : before;
        drop_edges(n, n == node ? NULL : node);
    }
    if (h) {
        *(before ? &before->next : &h->first) = node->next;
        h->last = node->next ? h->last : before;
        h->count--;
        graph_work_drop(node->work);
        free(node);
    }
    cpu_device_unlock();
    return cpu_device_return(h ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p) {
    struct operation *work;
    cudaError_t e = begin_change(p, &work);
    if (e)
        return cpu_device_return(e);
    struct CUgraphExec_st *x = *exec_of(exec);
    struct sequence *q = x ? sequence_like(x->sequence) : NULL;
    e = cudaErrorInvalidValue;
    for (size_t i = 0; q && i < x->sequence->count; i++) {
        struct step s = x->sequence->steps[i];
        int changed = s.node == node && s.work->run == work->run;
        sequence_place(q, s.node, changed ? work : s.work);
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
    struct CUgraph_st *h = *graph_of(graph);
    enum cudaGraphExecUpdateResult result = x && h ? update(x, h) : cudaGraphExecUpdateError;
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

/* Nothing is to be brought to the device before the first launch. */
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    (void)stream;
    cpu_device_start();
    cpu_device_lock();
    const struct CUgraphExec_st *x = *exec_of(exec);
    cpu_device_unlock();
    return cpu_device_return(x ? cudaSuccess : cudaErrorInvalidValue);
}
