/*
 * stream.c: streams, and functions of the host in them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/capture.h"
#include "runtime/observer.h"
#include <stdlib.h>

/* Made by a kernel: a block's launches run in their order, whatever its streams. */
#define STREAM_OF_KERNEL ((cudaStream_t)0x5)

static cudaError_t create(cudaStream_t *stream, unsigned flags) {
    cpu_device_start();
    if (!stream || flags & ~(unsigned)cudaStreamNonBlocking)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_result_at(stream);
    cpu_device_lock();
    *stream = stream_new(flags);
    return call_ends(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    if (cpu_device_in_kernel()) {
        *stream = STREAM_OF_KERNEL;
        return flags == cudaStreamNonBlocking ? cudaSuccess
                                              : cpu_device_return(cudaErrorInvalidValue);
    }
    return create(stream, flags);
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return create(stream, cudaStreamDefault); }

/* Returns at once; what is queued still runs. */
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    if (cpu_device_in_kernel())
        return cpu_device_return(handle == STREAM_OF_KERNEL ? cudaSuccess
                                                            : cudaErrorInvalidResourceHandle);
    call_begins();
    struct CUstream_st *s = stream_of(handle);
    int right = s && !stream_is_own(s);
    if (right)
        stream_end(s);
    return call_ends(right ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cpu_device_stream_check(cudaStream_t handle, int waits) {
    call_begins();
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = !s      ? cudaErrorInvalidResourceHandle
                    : waits ? capture_refuses_wait(s)
                            : cudaSuccess;
    cpu_device_unlock();
    return e;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    call_begins();
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
    call_begins();
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = s ? capture_refuses_wait(s) : cudaErrorInvalidResourceHandle;
    if (!e && !stream_done(s))
        e = cudaErrorNotReady;
    streams_release(); /* after the look, so that a loop of queries ends */
    return call_ends(e);
}

void host_run(void *call) {
    const struct host_call *c = call;
    cpu_device_memory_allow(0);
    in_host_function = 1;
    OBSERVE(host_function, 0);
    c->function(c->argument);
    in_host_function = 0;
    OBSERVE(host_function, 1);
    cpu_device_memory_allow(1);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument) {
    cpu_device_start();
    if (!function)
        return cpu_device_return(cudaErrorInvalidValue);
    struct host_call *c = malloc(sizeof *c);
    if (!c)
        return cpu_device_return(cudaErrorMemoryAllocation);
    *c = (struct host_call){function, argument};
    return cpu_device_return(
        cpu_device_stream_enqueue(stream, (struct operation){.run = host_run, .data = c}, 0));
}

/* ---- Captures: graph.c ends them --------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
    cpu_device_start();
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    struct CUstream_st *s = stream_of(handle);
    cudaError_t e = s ? capture_begin(s, mode) : cudaErrorInvalidResourceHandle;
    return call_ends(e);
}
