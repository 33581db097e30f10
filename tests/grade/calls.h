// SPDX-License-Identifier: MIT
// Sees the API calls of the learner's code in which the host waits for the device or asks whether
// it is done. tests/grade/exercises has the linker lead them through here (ld --wrap) where a
// check.cu includes this.
//
//     calls.waits = 0; calls.watched = 1;
//     ...the learner's function...
//     calls.watched = 0;
#ifndef GRADE_CALLS_H
#define GRADE_CALLS_H

#include "grade.h"

static struct {
    int watched; // 0: the check's own calls
    int waits;
    // Told of each before it begins: its name, and the stream or event that it is about, or NULL.
    void (*at_wait)(const char *call, const void *handle);
} calls;

static inline void count_wait(const char *call, const void *handle) {
    if (!calls.watched)
        return;
    calls.waits++;
    if (calls.at_wait)
        calls.at_wait(call, handle);
}

// A function of the API that waits where `waits` holds.
#define WATCHED(name, waits, handle, parameters, arguments)                                        \
    extern "C" cudaError_t __real_##name parameters;                                               \
    extern "C" cudaError_t __wrap_##name parameters {                                              \
        if (waits)                                                                                 \
            count_wait(#name, handle);                                                             \
        return __real_##name arguments;                                                            \
    }

WATCHED(cudaDeviceSynchronize, 1, NULL, (void), ())
WATCHED(cudaStreamSynchronize, 1, s, (cudaStream_t s), (s))
WATCHED(cudaStreamQuery, 1, s, (cudaStream_t s), (s))
WATCHED(cudaEventSynchronize, 1, e, (cudaEvent_t e), (e))
WATCHED(cudaEventQuery, 1, e, (cudaEvent_t e), (e))
WATCHED(cudaFree, 1, NULL, (void *p), (p))
// Asynchronous by name alone: memory that the device cannot get at by itself.
static inline int is_pageable(const void *p) {
    struct cudaPointerAttributes attributes;
    must(cudaPointerGetAttributes(&attributes, p), "cudaPointerGetAttributes");
    return attributes.type == cudaMemoryTypeUnregistered;
}

WATCHED(cudaMemcpyAsync, calls.watched && (is_pageable(to) || is_pageable(from)), s,
        (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s),
        (to, from, bytes, kind, s))
WATCHED(cudaMemcpy, kind != cudaMemcpyDeviceToDevice, NULL,
        (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
        (to, from, bytes, kind))

#endif
