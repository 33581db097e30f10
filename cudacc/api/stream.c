/*
 * stream.c: streams, and functions of the host in them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/capture.h"
#include "runtime/observer.h"
#include <stdlib.h>

/* A priority beyond the range becomes the nearest in it. */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    cpu_device_start();
    if (!stream || flags & ~(unsigned)cudaStreamNonBlocking)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_result_at(stream);
    cpu_device_lock();
    *stream = stream_new(flags);
    if (*stream)
        (*stream)->priority = priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                              : priority > LEAST_PRIORITY  ? LEAST_PRIORITY
                                                           : priority;
    cpu_device_unlock();
    return cpu_device_return(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
}
/* Made by a kernel: a block's launches run in their order, whatever its streams. */
#define STREAM_OF_KERNEL ((cudaStream_t)0x5)

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    if (cpu_device_in_kernel()) {
        *stream = STREAM_OF_KERNEL;
        return flags == cudaStreamNonBlocking ? cudaSuccess
                                              : cpu_device_return(cudaErrorInvalidValue);
    }
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

/* Returns at once; what is queued still runs. */
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    if (cpu_device_in_kernel())
        return cpu_device_return(handle == STREAM_OF_KERNEL ? cudaSuccess
                                                            : cudaErrorInvalidResourceHandle);
    cpu_device_start();
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    int right = s && !stream_is_own(s);
    if (right)
        stream_end(s);
    cpu_device_unlock();
    return cpu_device_return(right ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cpu_device_stream_check(cudaStream_t handle) {
    cpu_device_start();
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    cpu_device_unlock();
    return s ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    cpu_device_start();
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = s ? capture_refuses_wait(s) : cudaErrorInvalidResourceHandle;
    if (!e) {
        s->references++;
        cpu_device_host_wait(stream_done, s);
        stream_drop(s);
    }
    cpu_device_unlock();
    cpu_device_printf_flush();
    return cpu_device_return(e);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    cpu_device_start();
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = s ? capture_refuses_wait(s) : cudaErrorInvalidResourceHandle;
    if (!e && !stream_done(s))
        e = cudaErrorNotReady;
    if (cpu_device.late)
        streams_release(); /* after the look, so that a loop of queries ends */
    cpu_device_unlock();
    return cpu_device_return(e);
}

struct host_data {
    cudaHostFn_t function;
    cudaStreamCallback_t callback;
    cudaStream_t stream;
    void *argument;
};
static void run_host(void *data) {
    struct host_data *h = data;
    cpu_device_memory_allow(0);
    in_host_function = 1;
    OBSERVE(host_function, 0);
    if (h->function)
        h->function(h->argument);
    else
        h->callback(h->stream, cudaSuccess, h->argument);
    in_host_function = 0;
    OBSERVE(host_function, 1);
    cpu_device_memory_allow(1);
}
static cudaError_t enqueue_host(cudaStream_t stream, cudaHostFn_t function,
                                cudaStreamCallback_t callback, void *argument) {
    cpu_device_start();
    if (!function && !callback)
        return cudaErrorInvalidValue;
    struct host_data *h = calloc(1, sizeof *h);
    if (!h)
        return cudaErrorMemoryAllocation;
    h->function = function;
    h->callback = callback;
    h->stream = stream;
    h->argument = argument;
    return cpu_device_stream_enqueue(
        stream, (struct operation){.run = run_host, .data = h, .not_captured = !function}, 0);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument) {
    return cpu_device_return(enqueue_host(stream, function, NULL, argument));
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *argument, unsigned flags) {
    if (flags)
        return cpu_device_return(cudaErrorInvalidValue);
    return cpu_device_return(enqueue_host(stream, NULL, callback, argument));
}

/* ---- Captures: graph.c ends them --------------------------------------------------------- */

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
