/*
 * streams.c: streams with a priority; what a program may ask about a stream; callbacks in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/capture.h"
#include <stdlib.h>

/* An H200's. A priority is a hint to CUDA; here streams of any priority run alike. */
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return cpu_device_return(cudaSuccess);
}

/* A priority beyond the range becomes the nearest in it. */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    cudaError_t e = cudaStreamCreateWithFlags(stream, flags);
    if (e)
        return e;
    cpu_device_lock();
    (*stream)->priority = priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                          : priority > LEAST_PRIORITY  ? LEAST_PRIORITY
                                                       : priority;
    cpu_device_unlock();
    return cudaSuccess;
}

struct description {
    unsigned flags;
    unsigned long long id;
    int priority, device;
};
static cudaError_t describe(cudaStream_t handle, const void *answer, struct description *d) {
    cpu_device_start();
    cpu_device_lock();
    const struct CUstream_st *s = stream_of(handle);
    if (s)
        *d = (struct description){s->flags, s->id, s->priority, 0};
    cpu_device_unlock();
    return cpu_device_return(!s       ? cudaErrorInvalidResourceHandle
                             : answer ? cudaSuccess
                                      : cudaErrorInvalidValue);
}
/* A call that asks for one of these. */
#define ASKS(name, type, member)                                                                   \
    cudaError_t name(cudaStream_t handle, type *answer) {                                          \
        struct description d = {0, 0, 0, 0};                                                       \
        cudaError_t e = describe(handle, answer, &d);                                              \
        if (!e)                                                                                    \
            *answer = d.member;                                                                    \
        return e;                                                                                  \
    }
ASKS(cudaStreamGetFlags, unsigned, flags)
ASKS(cudaStreamGetPriority, int, priority)
ASKS(cudaStreamGetId, unsigned long long, id)
ASKS(cudaStreamGetDevice, int, device)

struct callback {
    struct host_call call;
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *argument;
};
static void call_back(void *callback) {
    const struct callback *c = callback;
    c->function(c->stream, cudaSuccess, c->argument);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *argument, unsigned flags) {
    if (flags)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_start();
    if (!callback)
        return cpu_device_return(cudaErrorInvalidValue);
    struct callback *c = malloc(sizeof *c);
    if (!c)
        return cpu_device_return(cudaErrorMemoryAllocation);
    *c = (struct callback){{call_back, c}, callback, stream, argument};
    return cpu_device_return(cpu_device_stream_enqueue(
        stream, (struct operation){.run = host_run, .data = c, .not_captured = 1}, 0));
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
