/*
 * graph.c: graphs, as a stream captures them: launched as one operation of a stream.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/capture.h"
#include <stdlib.h>

/* ---- Capture ----------------------------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
    cpu_device_start();
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = s ? capture_begin(s, mode) : cudaErrorInvalidResourceHandle;
    cpu_device_unlock();
    return cpu_device_return(e);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status) {
    cpu_device_start();
    if (!status)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = s ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (s == stream_legacy && capture_hinders_legacy())
        e = cudaErrorStreamCaptureImplicit;
    if (!e)
        *status = capture_status(s);
    cpu_device_unlock();
    return cpu_device_return(e);
}

/* ---- Graphs, and what is made of them to be launched ------------------------------------- */

/* What a program holds: a handle is good until it is destroyed. */
struct handle {
    struct CUgraph_st *graph;
    struct handle *next;
};

struct CUgraphExec_st {
    struct CUgraph_st *graph;
    struct CUstream_st *stream; /* of the newest launch; NULL: none yet */
    unsigned long number;       /* of that in its stream */
    int references;
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

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
    cpu_device_start();
    struct handle *h = malloc(sizeof *h);
    struct CUgraph_st *g = NULL;
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = s ? capture_end(s, &g) : cudaErrorInvalidResourceHandle;
    if (g && graph && h) {
        *h = (struct handle){g, graphs};
        graphs = h;
        h = NULL;
    } else if (g) {
        graph_drop(g);
        e = graph ? cudaErrorMemoryAllocation : cudaSuccess;
        g = NULL;
    }
    cpu_device_unlock();
    free(h);
    if (graph)
        *graph = g;
    return cpu_device_return(e);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    cpu_device_start();
    cpu_device_lock();
    const struct handle *h = *graph_of(graph);
    cudaError_t e = h && count ? cudaSuccess : cudaErrorInvalidValue;
    const struct operation *o = e ? NULL : h->graph->first;
    for (size_t i = 0; !e && nodes && i < *count; i++, o = o ? o->next : NULL)
        nodes[i] = (cudaGraphNode_t)o;
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
        graph_drop(h->graph);
        free(h);
    }
    cpu_device_unlock();
    return cpu_device_return(h ? cudaSuccess : cudaErrorInvalidValue);
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
    if (x && h) {
        *x = (struct CUgraphExec_st){.graph = h->graph, .references = 1, .next = execs};
        x->graph->references++;
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

static void exec_drop(struct CUgraphExec_st *x) {
    if (--x->references)
        return;
    if (x->stream)
        stream_drop(x->stream);
    graph_drop(x->graph);
    free(x);
}

/* Launches that are queued still run. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    cpu_device_start();
    cpu_device_lock();
    struct CUgraphExec_st **p = exec_of(exec), *x = *p;
    if (x) {
        *p = x->next;
        exec_drop(x);
    }
    cpu_device_unlock();
    return cpu_device_return(x ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- Launches ---------------------------------------------------------------------------- */

static void run_graph(void *data) {
    for (struct operation *o = ((struct CUgraphExec_st *)data)->graph->first; o; o = o->next)
        if (!atomic_load(&cpu_device.lost))
            o->run(o->data);
}
static void end_graph(void *data) {
    cpu_device_lock();
    exec_drop(data);
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
    for (struct operation *o = x->graph->first; o; o = o->next)
        if (o->queued)
            o->queued(o->data);
    x->references++;
    s->references++;
    unsigned long number = stream_put(
        s, (struct operation){.run = run_graph, .end = end_graph, .data = x}, x->stream, x->number);
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
