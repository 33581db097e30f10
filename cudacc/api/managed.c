/*
 * managed.c: prefetch and advice for managed memory.
 *
 * On the CPU device there is one memory, so neither moves anything; but a model counts the pages
 * that would move (runtime/pages.c).
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/queue.h"
#include <stdlib.h>

const struct managed_notes *managed_notes;

int is_managed(const void *p, size_t bytes) {
    struct memory m = cpu_device_memory_find(p);
    return m.kind == MEMORY_MANAGED && bytes &&
           bytes <= m.bytes - (size_t)((const char *)p - m.base);
}

/* HOST, DEVICE, or NOWHERE for a place that there is not. */
static enum place place_of(struct cudaMemLocation l) {
    switch (l.type) {
    case cudaMemLocationTypeDevice:
        return l.id == 0 ? DEVICE : NOWHERE;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
        return HOST;
    default:
        return NOWHERE;
    }
}

struct prefetch_data {
    const void *p;
    size_t bytes;
    enum place place;
};
static void run_prefetch(void *data) {
    struct prefetch_data *d = data;
    if (!is_managed(d->p, d->bytes))
        return; /* freed meanwhile */
    cpu_device_pages_prefetch(d->p, d->bytes, d->place == DEVICE);
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
    cpu_device_start();
    enum place place = place_of(location);
    if (!is_managed(p, bytes) || flags)
        return cpu_device_return(cudaErrorInvalidValue);
    if (!place || cpu_device.one_at_a_time)
        return cpu_device_return(cudaErrorInvalidDevice);
    struct prefetch_data *d = malloc(sizeof *d);
    if (!d)
        return cpu_device_return(cudaErrorMemoryAllocation);
    d->p = p, d->bytes = bytes, d->place = place;
    cudaError_t error = cpu_device_stream_enqueue(
        stream, (struct operation){.run = run_prefetch, .data = d, .not_captured = 1}, 0);
    if (!error && managed_notes) /* as asked for, whether done or not */
        managed_notes->prefetched(p, bytes, place);
    return cpu_device_return(error);
}

cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    cpu_device_start();
    enum place place = place_of(location);
    int needs_place = advice >= cudaMemAdviseSetPreferredLocation &&
                      advice != cudaMemAdviseUnsetPreferredLocation;
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy ||
        (needs_place && !place))
        return cpu_device_return(cudaErrorInvalidValue);
    if (needs_place && place == DEVICE && cpu_device.one_at_a_time)
        return cpu_device_return(cudaErrorInvalidDevice);
    if (!is_managed(p, bytes))
        return cpu_device_return(cudaErrorInvalidValue);
    if (managed_notes)
        managed_notes->advised(p, bytes, advice, place);
    cpu_device_pages_advise(p, bytes, advice, place == DEVICE);
    return cpu_device_return(cudaSuccess);
}

/* ---- signatures of CUDA 11 and 12: a device number, or cudaCpuDeviceId ---- */

static struct cudaMemLocation location_of(int number) {
    struct cudaMemLocation where = {cudaMemLocationTypeDevice, number};
    if (number == cudaCpuDeviceId)
        where.type = cudaMemLocationTypeHost;
    return where;
}

EXPORTED cudaError_t cpu_device_mem_prefetch_12(const void *p, size_t bytes, int number,
                                                cudaStream_t stream) {
    return cudaMemPrefetchAsync(p, bytes, location_of(number), 0, stream);
}

EXPORTED cudaError_t cpu_device_mem_advise_12(const void *p, size_t bytes,
                                              enum cudaMemoryAdvise advice, int number) {
    return cudaMemAdvise(p, bytes, advice, location_of(number));
}

/* ---- The page model (pages.h) ------------------------------------------------------------ */

void cpu_device_pages_start(void) {
    cpu_device_start();
    cpu_device_pages_on();
}
