/*
 * stream_queries.c: what a program may ask about a stream.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/queue.h"

struct description {
    unsigned flags;
    unsigned long long id;
    int priority;
};
static cudaError_t describe(cudaStream_t handle, const void *answer, struct description *d) {
    cpu_device_start();
    cpu_device_lock();
    const struct CUstream_st *s = stream_of(handle);
    if (s)
        *d = (struct description){s->flags, s->id, s->priority};
    cpu_device_unlock();
    return cpu_device_return(!s       ? cudaErrorInvalidResourceHandle
                             : answer ? cudaSuccess
                                      : cudaErrorInvalidValue);
}
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
    struct description d = {0, 0, 0};
    cudaError_t e = describe(handle, flags, &d);
    if (!e)
        *flags = d.flags;
    return e;
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
    struct description d = {0, 0, 0};
    cudaError_t e = describe(handle, priority, &d);
    if (!e)
        *priority = d.priority;
    return e;
}
cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
    struct description d = {0, 0, 0};
    cudaError_t e = describe(handle, id, &d);
    if (!e)
        *id = d.id;
    return e;
}
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *number) {
    struct description d = {0, 0, 0};
    cudaError_t e = describe(handle, number, &d);
    if (!e)
        *number = 0;
    return e;
}
