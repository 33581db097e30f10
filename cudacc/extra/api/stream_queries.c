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
