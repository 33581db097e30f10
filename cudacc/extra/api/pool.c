/*
 * pool.c: memory that streams give and take, and its pools. They keep nothing back: what is
 * reserved is what is in use.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/observer.h"
#include "runtime/queue.h"
#include <stdlib.h>
#include <string.h>

struct CUmemPoolHandle_st {
    unsigned long long attribute[cudaMemPoolAttrUsedMemHigh + 1];
};

/* Which pool an allocation is from; those of cudaMalloc are from none. */
struct pooled {
    const void *p;
    size_t bytes;
    struct CUmemPoolHandle_st *pool;
    struct pooled *next;
};
static struct CUmemPoolHandle_st the_default = {{0, 1, 1, 1}}, *current = &the_default;
static struct pooled *pooled; /* with the lock */

static void count(struct CUmemPoolHandle_st *pool, size_t bytes) {
    unsigned long long *a = pool->attribute;
    a[cudaMemPoolAttrUsedMemCurrent] += bytes;
    a[cudaMemPoolAttrReservedMemCurrent] = a[cudaMemPoolAttrUsedMemCurrent];
    for (int high = cudaMemPoolAttrReservedMemHigh; high <= cudaMemPoolAttrUsedMemHigh; high += 2)
        if (a[high] < a[high - 1])
            a[high] = a[high - 1];
}

static int pool_gets_back(const void *p) {
    cpu_device_lock();
    struct pooled **n = &pooled, *found;
    while (*n && (*n)->p != p)
        n = &(*n)->next;
    if ((found = *n)) {
        *n = found->next;
        count(found->pool, -found->bytes);
    }
    cpu_device_unlock();
    free(found);
    return found != NULL;
}
static void pool_gave(struct CUmemPoolHandle_st *pool, const void *p, size_t bytes) {
    struct pooled *n = p ? malloc(sizeof *n) : NULL;
    if (!n)
        return;
    cpu_device_lock();
    memory_goes_back = pool_gets_back;
    pool = pool ? pool : current;
    *n = (struct pooled){p, bytes, pool, pooled};
    pooled = n;
    count(pool, bytes);
    cpu_device_unlock();
}

/* ---- Memory in the order of a stream ------------------------------------------------------ */

struct pointer_data {
    void *p;
    struct api_call call;
};
/* Puts it into the stream. */
static cudaError_t enqueue(void (*run)(void *), void *p, cudaStream_t stream) {
    struct pointer_data *d = malloc(sizeof *d);
    if (!d)
        return cudaErrorMemoryAllocation;
    *d = (struct pointer_data){p, cpu_device_call};
    return cpu_device_stream_enqueue(
        stream, (struct operation){.run = run, .data = d, .not_captured = 1}, 0);
}

/* The memory is there at once; the stream only says from where on it may be used. */
static void run_give(void *data) {
    cpu_device_call = ((struct pointer_data *)data)->call;
    OBSERVE(given, ((struct pointer_data *)data)->p);
}

static cudaError_t give_from(struct CUmemPoolHandle_st *pool, void **p, size_t bytes,
                             cudaStream_t stream) {
    cudaError_t e = cpu_device_stream_check(stream, 0);
    if (!e && cpu_device_stream_captures(stream)) { /* a GPU makes a node of it */
        cpu_device_stream_spoil(stream);
        e = cudaErrorStreamCaptureUnsupported;
    }
    if (!e && !(e = memory_give(p, bytes, MEMORY_DEVICE))) {
        pool_gave(pool, *p, bytes);
        e = OBSERVED && *p ? enqueue(run_give, *p, stream) : cudaSuccess;
    }
    return cpu_device_return(e);
}
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream) {
    CALLED();
    return give_from(NULL, p, bytes, stream);
}
cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    CALLED();
    return pool ? give_from(pool, p, bytes, stream) : cpu_device_return(cudaErrorInvalidValue);
}
static void run_free(void *data) {
    const struct pointer_data *d = data;
    if (OBSERVED)
        cpu_device_let_run(); /* who uses it until then is found each time */
    cpu_device_call = d->call;
    pool_gets_back(d->p);
    cpu_device_memory_release(d->p);
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
    cpu_device_start();
    CALLED();
    if (cpu_device_memory_find(p).base != p || !p) {
        OBSERVE(free_failed, p);
        return cpu_device_return(cudaErrorInvalidValue);
    }
    return cpu_device_return(enqueue(run_free, p, stream));
}

/* ---- Pools ---------------------------------------------------------------- */

static cudaError_t give_pool(cudaMemPool_t *pool, struct CUmemPoolHandle_st *which, int device) {
    cpu_device_start();
    if (!pool || device)
        return cpu_device_return(pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    *pool = which;
    return cpu_device_return(cudaSuccess);
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    return give_pool(pool, &the_default, device);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    return give_pool(pool, current, device);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    cpu_device_start();
    if (!pool || device)
        return cpu_device_return(pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    current = pool;
    return cpu_device_return(cudaSuccess);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
    cpu_device_start();
    if (!pool || !props || props->allocType != cudaMemAllocationTypePinned ||
        props->location.type != cudaMemLocationTypeDevice || props->location.id)
        return cpu_device_return(cudaErrorInvalidValue);
    if (!(*pool = malloc(sizeof **pool)))
        return cpu_device_return(cudaErrorMemoryAllocation);
    **pool = (struct CUmemPoolHandle_st){{0, 1, 1, 1}};
    return cpu_device_return(cudaSuccess);
}
/* What it has given stays; it is never reused, so the few bytes of its own do, too. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    cpu_device_start();
    if (!pool || pool == &the_default)
        return cpu_device_return(cudaErrorInvalidValue);
    if (current == pool)
        current = &the_default;
    return cpu_device_return(cudaSuccess);
}

static size_t size_of(enum cudaMemPoolAttr a) {
    return a >= cudaMemPoolReuseFollowEventDependencies &&
                   a <= cudaMemPoolReuseAllowInternalDependencies
               ? sizeof(int)
           : a >= cudaMemPoolAttrReleaseThreshold && a <= cudaMemPoolAttrUsedMemHigh
               ? sizeof(unsigned long long)
               : 0;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr a, void *value) {
    cpu_device_start();
    if (!pool || !value || !size_of(a))
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    memcpy(value, &pool->attribute[a], size_of(a));
    cpu_device_unlock();
    return cpu_device_return(cudaSuccess);
}
/* The high marks can only be set to 0: they begin again at what is in use. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr a, void *value) {
    cpu_device_start();
    unsigned long long n = 0;
    int is_high = a == cudaMemPoolAttrReservedMemHigh || a == cudaMemPoolAttrUsedMemHigh;
    int counts = a == cudaMemPoolAttrReservedMemCurrent || a == cudaMemPoolAttrUsedMemCurrent;
    if (pool && value)
        memcpy(&n, value, size_of(a));
    if (!pool || !value || !size_of(a) || counts || (is_high && n))
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    pool->attribute[a] = is_high ? pool->attribute[a - 1] : n;
    cpu_device_unlock();
    return cpu_device_return(cudaSuccess);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep) {
    (void)bytes_to_keep;
    cpu_device_start();
    return cpu_device_return(pool ? cudaSuccess : cudaErrorInvalidValue);
}
