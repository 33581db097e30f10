/*
 * event.c: events, stamped when their stream reaches them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/capture.h"
#include "runtime/observer.h"
#include <stdlib.h>

struct CUevent_st {
    unsigned flags;
    int references, destroyed;
    struct CUstream_st *stream; /* of the newest record */
    unsigned long number;       /* of the newest record in that stream; 0: never recorded */
    struct progress captured;   /* if that record is part of a capture; else its session is 0 */
    double seconds;
    struct CUevent_st *next;
};

static struct CUevent_st *events;

static struct CUevent_st *event_of(cudaEvent_t handle) {
    return LIST_FIND(events, e, e == handle && !e->destroyed);
}

static void event_drop(struct CUevent_st *e) {
    if (--e->references)
        return;
    LIST_REMOVE(events, e);
    stream_drop(e->stream);
    free(e);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    cpu_device_start();
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    const unsigned shared = cudaEventInterprocess | cudaEventDisableTiming;
    if (!event || flags & ~known || (flags & shared) == cudaEventInterprocess)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_result_at(event);
    struct CUevent_st *e = calloc(1, sizeof *e);
    if (!e)
        return cpu_device_return(cudaErrorMemoryAllocation);
    e->flags = flags;
    e->references = 1;
    cpu_device_lock();
    LIST_ADD(events, e);
    cpu_device_unlock();
    *event = e;
    return cpu_device_return(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    call_begins();
    struct CUevent_st *e = event_of(handle);
    if (e) {
        e->destroyed = 1;
        event_drop(e);
    }
    return call_ends(e ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static void run_stamp(void *event) {
    double t = cpu_device_seconds(CLOCK_MONOTONIC);
    WITH_LOCK(cpu_device.lock);
    ((struct CUevent_st *)event)->seconds = t;
}
static void end_stamp(void *event) {
    WITH_LOCK(cpu_device.lock);
    event_drop(event);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
    cpu_device_start();
    if (flags != cudaEventRecordDefault) /* cudaEventRecordExternal is for captures */
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    struct CUevent_st *e = event_of(handle);
    struct CUstream_st *s = stream_of(stream);
    cudaError_t refused = e && s ? capture_refuses(s) : cudaErrorInvalidResourceHandle;
    if (refused)
        return call_ends(refused);
    unsigned long number = 0;
    e->captured.session = 0;
    if (capture_status(s) != cudaStreamCaptureStatusNone) {
        e->captured = capture_progress(s);
    } else {
        e->references++;
        number = stream_put(s, (struct operation){.run = run_stamp, .end = end_stamp, .data = e},
                            NULL, 0);
    }
    if (e->stream != s) {
        stream_drop(e->stream);
        e->stream = s;
        s->references++;
    }
    e->number = number;
    return call_ends(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

static int event_done(void *argument) {
    struct CUevent_st *e = argument;
    return !e->number || e->stream->completed >= e->number;
}

/* May the host ask for the event, or wait for it? */
static cudaError_t check_event(const struct CUevent_st *e) {
    if (!e)
        return cudaErrorInvalidResourceHandle;
    if (!e->captured.session)
        return capture_refuses_call(1);
    capture_spoil(e->stream);
    return cudaErrorCapturedEvent;
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    call_begins();
    struct CUevent_st *e = event_of(handle);
    cudaError_t result = check_event(e);
    if (!result && !event_done(e))
        result = cudaErrorNotReady;
    if (!result && e->number)
        OBSERVE(host_after, e->stream->id, e->number);
    streams_release();
    return call_ends(result);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    call_begins();
    struct CUevent_st *e = event_of(handle);
    cudaError_t result = check_event(e);
    if (!result && e->number)
        stream_wait_for(e->stream, e->number);
    cpu_device_unlock();
    cpu_device_printf_flush();
    return cpu_device_return(result);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start_handle, cudaEvent_t end_handle) {
    cpu_device_start();
    if (!ms)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_result_at(ms);
    cudaError_t result = cudaSuccess;
    cpu_device_lock();
    struct CUevent_st *a = event_of(start_handle), *b = event_of(end_handle);
    if ((a && a->captured.session) || (b && b->captured.session))
        result = cudaErrorCapturedEvent;
    else if (!a || !b || !a->number || !b->number || (a->flags | b->flags) & cudaEventDisableTiming)
        result = cudaErrorInvalidResourceHandle;
    else if (!event_done(a) || !event_done(b))
        result = cudaErrorNotReady;
    else
        *ms = (float)(1e3 * (b->seconds - a->seconds));
    streams_release(); /* as in cudaEventQuery */
    return call_ends(result);
}

/* A capture waits for nothing outside of it; a stream that waits for an event of one joins it. */
static cudaError_t check_wait(struct CUstream_st *s, const struct CUevent_st *e) {
    cudaError_t refused = capture_refuses(s);
    if (refused || !e->stream)
        return refused;
    if (e->captured.session)
        return capture_wait(s, &e->captured);
    if (capture_status(s) == cudaStreamCaptureStatusNone)
        return cudaSuccess;
    capture_spoil(s);
    return cudaErrorStreamCaptureIsolation;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle, unsigned flags) {
    cpu_device_start();
    if (flags != cudaEventWaitDefault) /* cudaEventWaitExternal is for captures */
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    struct CUevent_st *e = event_of(handle);
    struct CUstream_st *s = stream_of(stream);
    cudaError_t result = e && s ? check_wait(s, e) : cudaErrorInvalidResourceHandle;
    if (!result && e->number && !e->captured.session)
        stream_put(s, (struct operation){.run = NULL}, e->stream, e->number);
    return call_ends(result);
}
