/*
 * device_queries.c: what the device says of itself (device_attributes.h), and what it is set to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/queue.h"
#include <stdio.h>
#include <string.h>

int cpu_device_cudart_version = CUDART_VERSION;

enum {
    THREADS_PER_MULTIPROCESSOR = 2048,
    BLOCKS_PER_MULTIPROCESSOR = 32,
    SHARED_PER_MULTIPROCESSOR = 228 << 10,
    SHARED_RESERVED = 1 << 10, /* of each block, for the system */
    REGISTERS = 65536,
    CLOCK_KHZ = 1000000 /* clock64() counts nanoseconds */
};

/* ---- which device ---- */

static cudaError_t give(int *result, int value) {
    if (!result)
        return cpu_device_answer(cudaErrorInvalidValue);
    cpu_device_result_at(result);
    *result = value;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *count) { return give(count, 1); }
cudaError_t cudaGetDevice(int *number) { return give(number, 0); }
cudaError_t cudaSetDevice(int number) { return cpu_device_return(check_device(number)); }
cudaError_t cudaDriverGetVersion(int *version) { return give(version, cpu_device_cudart_version); }
cudaError_t cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }

/* ---- properties ---- */

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int number) {
    if (!value || (int)which <= 0 || which >= cudaDevAttrMax)
        return cpu_device_answer(cudaErrorInvalidValue);
    if (check_device(number) != cudaSuccess)
        return cpu_device_answer(cudaErrorInvalidDevice);
    cpu_device_start(); /* which finds out how many workers there are */
    *value = 0;
    switch (which) {
#define CPU_DEVICE_ATTRIBUTE(name, number, is)                                                     \
    case number:                                                                                   \
        *value = is;                                                                               \
        break;
#define CPU_DEVICE_PROPERTY(type, field, ...) CPU_DEVICE_ATTRIBUTE(__VA_ARGS__)
#define CPU_DEVICE_ELEMENT(field, ...) CPU_DEVICE_ATTRIBUTE(__VA_ARGS__)
#include "include/cpu_device/device_attributes.h"
    default:; /* of a number between them */
    }
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int number) {
    cpu_device_start(); /* which finds out how much memory there is */
    if (!p)
        return cpu_device_answer(cudaErrorInvalidValue);
    if (check_device(number) != cudaSuccess)
        return cpu_device_answer(cudaErrorInvalidDevice);
    cpu_device_result_at(p);
    memset(p, 0, sizeof *p);
    strcpy(p->name, "CPU device");
    strcpy(p->uuid.bytes, "CPU device");
    p->totalGlobalMem = cpu_device_memory_total();
#define CPU_DEVICE_ATTRIBUTE(name, number, is)
#define CPU_DEVICE_PROPERTY(type, field, name, number, is) p->field = (type)(is);
#define CPU_DEVICE_ELEMENT(field, name, number, is) p->field = is;
#include "include/cpu_device/device_attributes.h"
    return cudaSuccess;
}

/* ---- settings ---- */

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    unsigned how = flags & cudaDeviceScheduleMask;
    if (flags & ~(unsigned)cudaDeviceMask || (how & (how - 1)))
        return cpu_device_return(cudaErrorInvalidValue);
    atomic_store(&cpu_device.host_flags, flags);
    return cpu_device_return(cudaSuccess);
}

/* Kept and given back. Of most only the numbers matter here: stacks have no such limit. */
static atomic_size_t stack, pending, granularity, none;
static const struct {
    atomic_size_t *now;
    size_t first;
    atomic_int *used; /* nonzero: from here on it must not be set; malloc: where it is traced */
} limits[] = {
    [cudaLimitStackSize] = {&stack, 1024},
    [cudaLimitPrintfFifoSize] = {&cpu_device.print_bytes, 1 << 20, &cpu_device.print_used},
    [cudaLimitMallocHeapSize] = {&cpu_device.heap_bytes, 8 << 20, &cpu_device.heap_used},
    [cudaLimitDevRuntimeSyncDepth] = {&none, 0},
    [cudaLimitDevRuntimePendingLaunchCount] = {&pending, 2048},
    [cudaLimitMaxL2FetchGranularity] = {&granularity, 64},
    [cudaLimitPersistingL2CacheSize] = {&none, 0},
};

static cudaError_t check_limit(enum cudaLimit limit) {
    if ((size_t)limit >= sizeof limits / sizeof *limits)
        return cudaErrorInvalidValue;
    return limit != cudaLimitDevRuntimeSyncDepth ? cudaSuccess : cudaErrorUnsupportedLimit;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    cudaError_t e = value ? check_limit(limit) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *value = atomic_load(limits[limit].now);
    return cpu_device_return(e);
}

/* Also before what a program constructs before main(). */
__attribute__((constructor(101))) static void limits_reset(void) {
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        atomic_store(limits[i].now, limits[i].first);
    cpu_device.print_used = cpu_device.heap_used = 0;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    cudaError_t e = check_limit(limit);
    if (limit == cudaLimitPersistingL2CacheSize && value)
        e = cudaErrorUnsupportedLimit;
    if (limit == cudaLimitMaxL2FetchGranularity && value > 128)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess && limits[limit].used && *limits[limit].used)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        atomic_store(limits[limit].now, value);
    return cpu_device_return(e);
}

/* Everything back to the start. A lost device stays lost, as on a GPU (seen on an H200: 46 from
 * then on): only a new process gets it back. */
cudaError_t cudaDeviceReset(void) {
    cpu_device_start();
    cpu_device_wait();
    streams_end();
    cpu_device_memory_reset();
    kernel_settings_reset();
    limits_reset();
    atomic_store(&cpu_device.host_flags, 0);
    last_error_set(cudaSuccess);
    if (atomic_load(&cpu_device.lost))
        atomic_store(&cpu_device.lost, cudaErrorDevicesUnavailable);
    return cudaSuccess;
}

/* There is one device, and a device is no peer of its own. */
cudaError_t cudaDeviceCanAccessPeer(int *can, int number, int peer) {
    if (!can)
        return cpu_device_return(cudaErrorInvalidValue);
    if (number != 0 || peer != 0)
        return cpu_device_return(cudaErrorInvalidDevice);
    *can = 0;
    return cpu_device_return(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
    return cpu_device_return(flags  ? cudaErrorInvalidValue
                             : peer ? cudaErrorInvalidDevice
                                    : cudaErrorPeerAccessUnsupported); /* as an H200 says */
}

/* Between two devices, and there is one. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr which, int from, int to) {
    int known =
        which >= cudaDevP2PAttrPerformanceRank && which <= cudaDevP2PAttrCudaArrayAccessSupported;
    (void)from, (void)to;
    return cpu_device_return(value && known ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

/* ---- occupancy ----
 * Arithmetic on the constants above; registers do not limit it. It says nothing of a CPU. */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int block_size, size_t dynamic_shared) {
    struct cudaFuncAttributes a;
    if (!blocks || block_size <= 0)
        return cpu_device_return(cudaErrorInvalidValue);
    cudaError_t e = cudaFuncGetAttributes(&a, kernel);
    if (e != cudaSuccess)
        return e;

    *blocks = 0;
    if (block_size > a.maxThreadsPerBlock || dynamic_shared > (size_t)a.maxDynamicSharedSizeBytes)
        return cudaSuccess;
    size_t shared = a.sharedSizeBytes + dynamic_shared + SHARED_RESERVED;
    *blocks = THREADS_PER_MULTIPROCESSOR / ((block_size + WARP - 1) / WARP * WARP);
    if (*blocks > BLOCKS_PER_MULTIPROCESSOR)
        *blocks = BLOCKS_PER_MULTIPROCESSOR;
    if ((size_t)*blocks > SHARED_PER_MULTIPROCESSOR / shared)
        *blocks = (int)(SHARED_PER_MULTIPROCESSOR / shared);
    return cudaSuccess;
}
