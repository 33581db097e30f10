// SPDX-License-Identifier: MIT
// Sees the API calls of the learner's code in which the host waits for the device or asks whether
// it is done, and those that move bytes outside of kernels. The linker leads them through here
// (ld --wrap) where a check.cu includes this.
//
//     WATCH(process(a, b));          calls.waits: in that call
//     limit_copies(0);               calls.copied: bytes, in all of them
//
// To change here: which calls of the API are seen. A line WATCHED(...) is enough for one more:
// Build.pm reads their names here and tells the linker: ..._HERE is for the CPU device, ..._THERE
// for a GPU. Of copies and memsets the CPU device itself says what they do.
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
    void (*stream_waits)(cudaStream_t s); // called before it is to wait for an event
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

// A copy or a memset is queued. Asynchronous by name alone is one of pageable memory, which the
// device cannot get at by itself.
static inline void moves(const char *call, cudaStream_t s, size_t bytes, int waits) {
    if (!calls.watched)
        return;
    calls.copied += (double)bytes;
    in_default_stream += !s;
    if (waits)
        count_wait(call, s);
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
// One that waits for this stream or event, or asks whether it is done.
#define WATCHED(name, handle, parameters, arguments)                                               \
    AROUND(name, parameters, arguments, count_wait(#name, handle), )

WATCHED(cudaDeviceSynchronize, NULL, (void), ())
WATCHED(cudaStreamSynchronize, s, (cudaStream_t s), (s))
WATCHED(cudaStreamQuery, s, (cudaStream_t s), (s))
WATCHED(cudaEventSynchronize, e, (cudaEvent_t e), (e))
WATCHED(cudaEventQuery, e, (cudaEvent_t e), (e))
WATCHED(cudaFree, NULL, (void *p), (p))

// A GPU runs what has passed on the CPU device: other calls are counted there.
#ifndef __CUDACC_CPU__
#define AROUND_THERE AROUND
static inline int is_pageable(const void *p) {
    return calls.watched && type_of(p) == cudaMemoryTypeUnregistered;
}
AROUND_THERE(cudaMemcpy, (void *to, const void *from, size_t n, enum cudaMemcpyKind kind),
             (to, from, n, kind), moves("cudaMemcpy", NULL, n, kind != cudaMemcpyDeviceToDevice), )
AROUND_THERE(cudaMemcpyAsync,
             (void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s),
             (to, from, n, kind, s),
             moves("cudaMemcpyAsync", s, n, is_pageable(to) || is_pageable(from)), )
#else
extern "C" void cpu_device_moves(const char *call, const void *stream, size_t bytes, int waits) {
    moves(call, (cudaStream_t)stream, bytes, waits);
}

#define WATCHED_HERE WATCHED
WATCHED_HERE(cudaDeviceReset, NULL, (void), ())
WATCHED_HERE(cudaFreeHost, NULL, (void *p), (p))
WATCHED_HERE(cudaHostUnregister, NULL, (void *p), (p))

#define AROUND_HERE AROUND
AROUND_HERE(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned flags), (s, e, flags),
            if (calls.watched && calls.stream_waits) calls.stream_waits(s), )
AROUND_HERE(cudaEventCreate, (cudaEvent_t * e), (e), calls.events += calls.watched, )
AROUND_HERE(cudaEventCreateWithFlags, (cudaEvent_t * e, unsigned flags), (e, flags),
            calls.events += calls.watched, )
AROUND_HERE(cudaEventDestroy, (cudaEvent_t e), (e), calls.events -= calls.watched, )

static inline void queued(cudaStream_t s) {
    if (calls.watched && calls.after_queued)
        calls.after_queued(s);
}
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
