/*
 * managed.c: prefetch and advice for managed memory.
 *
 * On the CPU device there is one memory, so neither moves anything.  What a program asked for is
 * kept page by page, so that cudaMemRangeGetAttribute answers as CUDA's does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/queue.h"
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, NOWHERE = 0, HOST = 1, DEVICE = 2 };

struct page {
    unsigned char read_mostly, preferred, accessed_by, prefetched;
};
/* The pages of [p, p + bytes), made on first use; NULL: not managed memory. Takes the lock on
 * success, and the caller gives it back. */
static struct page *pages_of(const void *p, size_t bytes, size_t *count) {
    cpu_device_start();
    struct memory m = cpu_device_memory_find(p);
    if (m.kind != MEMORY_MANAGED || !bytes || bytes > m.bytes - (size_t)((const char *)p - m.base))
        return NULL;
    cpu_device_lock();
    void **note = cpu_device_memory_note(m.base);
    if (!*note && !(*note = calloc(m.bytes / PAGE + 1, sizeof(struct page))))
        abort();
    size_t first = (size_t)((const char *)p - m.base) / PAGE;
    size_t last = ((size_t)((const char *)p - m.base) + bytes - 1) / PAGE;
    *count = last - first + 1;
    return (struct page *)*note + first;
}

/* HOST, DEVICE, or NOWHERE for a place that there is not. */
static int place_of(struct cudaMemLocation l) {
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
    int place;
};
static void run_prefetch(void *data) {
    struct prefetch_data *d = data;
    size_t count;
    struct page *page = pages_of(d->p, d->bytes, &count);
    if (!page)
        return; /* freed meanwhile */
    for (size_t i = 0; i < count; i++)
        page[i].prefetched = (unsigned char)d->place;
    cpu_device_unlock();
    cpu_device_pages_prefetch(d->p, d->bytes, d->place == DEVICE);
}

static int concurrent(void) {
    int yes = 0;
    cudaDeviceGetAttribute(&yes, cudaDevAttrConcurrentManagedAccess, 0);
    return yes;
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
    size_t count;
    int place = place_of(location);
    struct page *page = pages_of(p, bytes, &count);
    if (page)
        cpu_device_unlock();
    if (!page || flags)
        return cpu_device_return(cudaErrorInvalidValue);
    if (!place || !concurrent())
        return cpu_device_return(cudaErrorInvalidDevice);
    struct prefetch_data *d = malloc(sizeof *d);
    if (!d)
        return cpu_device_return(cudaErrorMemoryAllocation);
    d->p = p, d->bytes = bytes, d->place = place;
    return cpu_device_return(cpu_device_stream_enqueue(
        stream, (struct operation){.run = run_prefetch, .data = d, .not_captured = 1}, 0));
}

cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    int place = place_of(location);
    int needs_place = advice >= cudaMemAdviseSetPreferredLocation &&
                      advice != cudaMemAdviseUnsetPreferredLocation;
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return cpu_device_return(cudaErrorInvalidValue);
    if (needs_place && !place)
        return cpu_device_return(cudaErrorInvalidValue);
    if (needs_place && place == DEVICE && !concurrent())
        return cpu_device_return(cudaErrorInvalidDevice);
    size_t count;
    struct page *page = pages_of(p, bytes, &count);
    if (!page)
        return cpu_device_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        switch (advice) {
        case cudaMemAdviseSetReadMostly:
            page[i].read_mostly = 1;
            break;
        case cudaMemAdviseUnsetReadMostly:
            page[i].read_mostly = 0;
            break;
        case cudaMemAdviseSetPreferredLocation:
            page[i].preferred = (unsigned char)place;
            break;
        case cudaMemAdviseUnsetPreferredLocation:
            page[i].preferred = NOWHERE;
            break;
        case cudaMemAdviseSetAccessedBy:
            page[i].accessed_by |= (unsigned char)place;
            break;
        default:
            page[i].accessed_by &= (unsigned char)~place;
            break;
        }
    cpu_device_unlock();
    cpu_device_pages_advise(p, bytes, advice, place == DEVICE);
    return cpu_device_return(cudaSuccess);
}

static int device_number(int place) {
    return place == DEVICE ? 0 : place == HOST ? cudaCpuDeviceId : cudaInvalidDeviceId;
}
static int location_type(int place) {
    return place == DEVICE ? cudaMemLocationTypeDevice
           : place == HOST ? cudaMemLocationTypeHost
                           : cudaMemLocationTypeInvalid;
}

/* What these pages agree on; otherwise no, or nowhere. */
static struct page agreement_of(const struct page *page, size_t count) {
    struct page all = page[0];
    for (size_t i = 1; i < count; i++) {
        all.read_mostly &= page[i].read_mostly;
        all.accessed_by &= page[i].accessed_by;
        if (all.preferred != page[i].preferred)
            all.preferred = NOWHERE;
        if (all.prefetched != page[i].prefetched)
            all.prefetched = NOWHERE;
    }
    return all;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *p, size_t bytes) {
    size_t count;
    if (!data || size < sizeof(int) || size % sizeof(int))
        return cpu_device_return(cudaErrorInvalidValue);
    struct page *page = pages_of(p, bytes, &count);
    if (!page)
        return cpu_device_return(cudaErrorInvalidValue);
    struct page all = agreement_of(page, count);
    cpu_device_unlock();
    int *out = data;
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        *out = all.read_mostly;
        break;
    case cudaMemRangeAttributePreferredLocation:
        *out = device_number(all.preferred);
        break;
    case cudaMemRangeAttributeLastPrefetchLocation:
        *out = device_number(all.prefetched);
        break;
    case cudaMemRangeAttributePreferredLocationType:
        *out = location_type(all.preferred);
        break;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        *out = location_type(all.prefetched);
        break;
    case cudaMemRangeAttributePreferredLocationId:
    case cudaMemRangeAttributeLastPrefetchLocationId:
        *out = 0;
        break;
    case cudaMemRangeAttributeAccessedBy: {
        size_t room = size / sizeof(int), n = 0;
        if (all.accessed_by & DEVICE && n < room)
            out[n++] = 0;
        if (all.accessed_by & HOST && n < room)
            out[n++] = cudaCpuDeviceId;
        while (n < room)
            out[n++] = cudaInvalidDeviceId;
        break;
    }
    default:
        return cpu_device_return(cudaErrorInvalidValue);
    }
    return cpu_device_return(cudaSuccess);
}

/* Nothing comes of it: the host may use managed memory while a kernel runs. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t bytes, unsigned flags) {
    cudaError_t e = cpu_device_stream_check(stream);
    atomic_store(&cpu_device.attaches, 1);
    struct memory m = cpu_device_memory_find(p);
    int variable = !cpu_device_memory_ours(p); /* whose size is not known here */
    cudaStream_t one = cpu_device_stream(stream);
    int to_all = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost;
    int to_one = flags == cudaMemAttachSingle && one && one != cudaStreamLegacy;
    if (!e && (m.kind != MEMORY_MANAGED || !(to_all || to_one) ||
               (bytes && bytes != m.bytes && !variable)))
        e = cudaErrorInvalidValue;
    return cpu_device_return(e);
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
void cpu_device_pages_stop(struct cpu_device_pages *result) { cpu_device_pages_off(result); }
