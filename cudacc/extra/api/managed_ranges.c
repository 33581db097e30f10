/*
 * managed_ranges.c: what a program has asked for managed memory, so that cudaMemRangeGetAttribute
 * answers as CUDA's does: kept page by page, from the first call on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/queue.h"
#include <stdlib.h>

enum { PAGE = 4096 };

struct page {
    unsigned char read_mostly, preferred, accessed_by, prefetched; /* enum place */
};
/* The pages of [p, p + bytes), made on first use; NULL: not managed memory. Takes the lock on
 * success, and the caller gives it back. */
static struct page *pages_of(const void *p, size_t bytes, size_t *count) {
    cpu_device_start();
    if (!is_managed(p, bytes))
        return NULL;
    struct memory m = cpu_device_memory_find(p);
    cpu_device_lock();
    void **note = cpu_device_memory_note(m.base);
    if (!*note && !(*note = calloc(m.bytes / PAGE + 1, sizeof(struct page))))
        abort();
    size_t first = (size_t)((const char *)p - m.base) / PAGE;
    size_t last = ((size_t)((const char *)p - m.base) + bytes - 1) / PAGE;
    *count = last - first + 1;
    return (struct page *)*note + first;
}

static void note_prefetch(const void *p, size_t bytes, enum place place) {
    size_t count;
    struct page *page = pages_of(p, bytes, &count);
    if (!page)
        return;
    for (size_t i = 0; i < count; i++)
        page[i].prefetched = (unsigned char)place;
    cpu_device_unlock();
}

static void note_advice(const void *p, size_t bytes, enum cudaMemoryAdvise advice,
                        enum place place) {
    size_t count;
    struct page *page = pages_of(p, bytes, &count);
    if (!page)
        return;
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
    cudaError_t e = cpu_device_stream_check(stream, 0);
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

__attribute__((constructor(101))) static void begin(void) {
    static const struct managed_notes notes = {note_prefetch, note_advice};
    managed_notes = &notes;
}
