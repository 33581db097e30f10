// SPDX-License-Identifier: MIT
// Sees the API calls of the learner's code in which the host waits for the device or asks whether
// it is done, and those that move bytes outside of kernels. The linker leads them through here
// (ld --wrap) where a check.cu includes this.
//
//     WATCH(process(a, b));          calls.waits: in that call
//     limit_copies(0);               calls.copied: bytes, in all of them
//
// To change here: which calls of the API are seen. A line WATCHED(...) is enough for one more:
// Build.pm reads their names here and tells the linker.
#ifndef API_CALLS_H
#define API_CALLS_H

#include "check.h"

static struct {
    int watched; // 0: the check's own calls
    int waits;
    double copied; // bytes, by cudaMemcpy, cudaMemset and their kind
    // Called before each wait, with its name and its stream or event, or NULL.
    void (*at_wait)(const char *call, const void *handle);
    int events;                           // created, and not destroyed
    void (*after_queued)(cudaStream_t s); // called after each event and prefetch is queued
    int (*stream_waits)(cudaStream_t s);  // called when it is to wait for an event; 0: no host does
    // May put another time in the place of one that there is.
    void (*at_elapsed)(float *ms, cudaEvent_t a, cudaEvent_t b);
} calls;

#define WATCH(...) LEARNER(calls.waits = 0; calls.watched = 1; __VA_ARGS__; calls.watched = 0)

static inline void count_wait(const char *call, const void *handle) {
    if (!calls.watched)
        return;
    calls.waits++;
    if (calls.at_wait)
        calls.at_wait(call, handle);
}

static inline void count_copy(size_t bytes) { calls.copied += calls.watched ? (double)bytes : 0; }

// What kernels are to do, the host and the copy engine may not.
static inline void limit_copies(double most) {
    SEEN(calls.copied);
    limit("bytes copied or set outside of kernels", number(calls.copied), 0, most);
}

static inline enum cudaMemoryType type_of(const void *p) {
    struct cudaPointerAttributes attributes;
    must(cudaPointerGetAttributes(&attributes, p), "cudaPointerGetAttributes");
    return attributes.type;
}

// Asynchronous by name alone: memory that the device cannot get at by itself.
static inline int touches_pageable(const void *a, const void *b) {
    return calls.watched &&
           (type_of(a) == cudaMemoryTypeUnregistered || type_of(b) == cudaMemoryTypeUnregistered);
}

static inline int sets_host(const void *p) {
    return calls.watched && type_of(p) != cudaMemoryTypeDevice;
}

static inline size_t bytes_3d(const struct cudaMemcpy3DParms *p) {
    return p->extent.width * p->extent.height * p->extent.depth;
}

// A function of the API, and what is done before it and after it.
#define AROUND(name, parameters, arguments, before, after)                                         \
    extern "C" cudaError_t __real_##name parameters;                                               \
    extern "C" cudaError_t __wrap_##name parameters {                                              \
        before;                                                                                    \
        cudaError_t error = __real_##name arguments;                                               \
        after;                                                                                     \
        return error;                                                                              \
    }
// One that waits where `waits` holds, and moves `bytes`.
#define WATCHED(name, waits, handle, bytes, parameters, arguments)                                 \
    AROUND(name, parameters, arguments,                                                            \
           (count_copy(bytes), (waits) ? count_wait(#name, handle) : (void)0), )

WATCHED(cudaDeviceSynchronize, 1, NULL, 0, (void), ())
WATCHED(cudaStreamSynchronize, 1, s, 0, (cudaStream_t s), (s))
WATCHED(cudaStreamQuery, 1, s, 0, (cudaStream_t s), (s))
WATCHED(cudaEventSynchronize, 1, e, 0, (cudaEvent_t e), (e))
WATCHED(cudaEventQuery, 1, e, 0, (cudaEvent_t e), (e))
WATCHED(cudaFree, 1, NULL, 0, (void *p), (p))
WATCHED(cudaMemcpy, kind != cudaMemcpyDeviceToDevice, NULL, n,
        (void *to, const void *from, size_t n, enum cudaMemcpyKind kind), (to, from, n, kind))
WATCHED(cudaMemcpyAsync, (in_default_stream += calls.watched && !s, touches_pageable(to, from)), s,
        n, (void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s),
        (to, from, n, kind, s))

// A GPU runs what has passed on the CPU device: these are counted there.
#ifdef __CUDACC_CPU__
#define WATCHED_HERE WATCHED
WATCHED_HERE(cudaDeviceReset, 1, NULL, 0, (void), ())
WATCHED_HERE(cudaFreeHost, 1, NULL, 0, (void *p), (p))
WATCHED_HERE(cudaHostUnregister, 1, NULL, 0, (void *p), (p))
WATCHED_HERE(cudaMemcpy2D, kind != cudaMemcpyDeviceToDevice, NULL, width *height,
             (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
              size_t height, enum cudaMemcpyKind kind),
             (to, to_pitch, from, from_pitch, width, height, kind))
WATCHED_HERE(cudaMemcpy3D, p->kind != cudaMemcpyDeviceToDevice, NULL, bytes_3d(p),
             (const struct cudaMemcpy3DParms *p), (p))
WATCHED_HERE(cudaMemcpyToSymbol, kind != cudaMemcpyDeviceToDevice, NULL, n,
             (const void *symbol, const void *from, size_t n, size_t offset,
              enum cudaMemcpyKind kind),
             (symbol, from, n, offset, kind))
WATCHED_HERE(cudaMemcpyFromSymbol, kind != cudaMemcpyDeviceToDevice, NULL, n,
             (void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind),
             (to, symbol, n, offset, kind))
WATCHED_HERE(cudaMemcpyPeer, 1, NULL, n,
             (void *to, int to_device, const void *from, int from_device, size_t n),
             (to, to_device, from, from_device, n))
WATCHED_HERE(cudaMemcpy2DAsync, touches_pageable(to, from), s, width *height,
             (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
              size_t height, enum cudaMemcpyKind kind, cudaStream_t s),
             (to, to_pitch, from, from_pitch, width, height, kind, s))
WATCHED_HERE(cudaMemcpy3DAsync, touches_pageable(p->dstPtr.ptr, p->srcPtr.ptr), s, bytes_3d(p),
             (const struct cudaMemcpy3DParms *p, cudaStream_t s), (p, s))
WATCHED_HERE(cudaMemcpyToSymbolAsync, touches_pageable(from, from), s, n,
             (const void *symbol, const void *from, size_t n, size_t offset,
              enum cudaMemcpyKind kind, cudaStream_t s),
             (symbol, from, n, offset, kind, s))
WATCHED_HERE(cudaMemcpyFromSymbolAsync, touches_pageable(to, to), s, n,
             (void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind,
              cudaStream_t s),
             (to, symbol, n, offset, kind, s))
WATCHED_HERE(cudaMemcpyPeerAsync, 0, s, n,
             (void *to, int to_device, const void *from, int from_device, size_t n, cudaStream_t s),
             (to, to_device, from, from_device, n, s))
WATCHED_HERE(cudaMemset, sets_host(p), NULL, n, (void *p, int value, size_t n), (p, value, n))
WATCHED_HERE(cudaMemset2D, sets_host(p), NULL, width *height,
             (void *p, size_t pitch, int value, size_t width, size_t height),
             (p, pitch, value, width, height))
WATCHED_HERE(cudaMemset3D, sets_host(p.ptr), NULL, e.width *e.height *e.depth,
             (struct cudaPitchedPtr p, int value, struct cudaExtent e), (p, value, e))
WATCHED_HERE(cudaMemsetAsync, 0, s, n, (void *p, int value, size_t n, cudaStream_t s),
             (p, value, n, s))
WATCHED_HERE(cudaMemset2DAsync, 0, s, width *height,
             (void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t s),
             (p, pitch, value, width, height, s))
WATCHED_HERE(cudaMemset3DAsync, 0, s, e.width *e.height *e.depth,
             (struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t s),
             (p, value, e, s))
WATCHED_HERE(cudaStreamWaitEvent, calls.watched &&calls.stream_waits &&calls.stream_waits(s), NULL,
             0, (cudaStream_t s, cudaEvent_t e, unsigned flags), (s, e, flags))

static inline int count_events(int n) { return calls.events += calls.watched ? n : 0, 0; }
WATCHED_HERE(cudaEventCreate, count_events(1), NULL, 0, (cudaEvent_t * e), (e))
WATCHED_HERE(cudaEventCreateWithFlags, count_events(1), NULL, 0, (cudaEvent_t * e, unsigned flags),
             (e, flags))
WATCHED_HERE(cudaEventDestroy, count_events(-1), NULL, 0, (cudaEvent_t e), (e))

static inline void queued(cudaStream_t s) {
    if (calls.watched && calls.after_queued)
        calls.after_queued(s);
}
#define AROUND_HERE AROUND
AROUND_HERE(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, s), , queued(s))
AROUND_HERE(cudaMemPrefetchAsync,
            (const void *p, size_t n, struct cudaMemLocation to, unsigned flags, cudaStream_t s),
            (p, n, to, flags, s), , queued(s))
// A question; a host that asks until there is an answer has waited.
AROUND_HERE(cudaEventElapsedTime, (float *ms, cudaEvent_t a, cudaEvent_t b), (ms, a, b), ,
            if (error == cudaErrorNotReady) count_wait("cudaEventElapsedTime", b);
            if (error == cudaSuccess && calls.at_elapsed) calls.at_elapsed(ms, a, b))
#endif

#endif
