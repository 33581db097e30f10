/* device_queries.c: what the device says of itself.
 *
 * The numbers are constants that suit most CUDA programs, not measurements: names, limits and the
 * occupancy model below. What the CPU device cannot know is 0 (memory clock, bus width, L2).
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

/* Attributes that are not listed are 0: textures, surfaces, interprocess and graphics matters. */
static const int attributes[cudaDevAttrMax] = {
    [cudaDevAttrWarpSize] = WARP,
    [cudaDevAttrMaxThreadsPerBlock] = MAX_THREADS,
    [cudaDevAttrMaxBlockDimX] = MAX_THREADS,
    [cudaDevAttrMaxBlockDimY] = MAX_THREADS,
    [cudaDevAttrMaxBlockDimZ] = 64,
    [cudaDevAttrMaxGridDimX] = 2147483647,
    [cudaDevAttrMaxGridDimY] = 65535,
    [cudaDevAttrMaxGridDimZ] = 65535,
    [cudaDevAttrMaxSharedMemoryPerBlock] = SHARED_BYTES,
    [cudaDevAttrMaxSharedMemoryPerBlockOptin] = SHARED_OPTIN,
    [cudaDevAttrReservedSharedMemoryPerBlock] = SHARED_RESERVED,
    [cudaDevAttrMaxSharedMemoryPerMultiprocessor] = SHARED_PER_MULTIPROCESSOR,
    [cudaDevAttrMaxThreadsPerMultiProcessor] = THREADS_PER_MULTIPROCESSOR,
    [cudaDevAttrMaxBlocksPerMultiprocessor] = BLOCKS_PER_MULTIPROCESSOR,
    [cudaDevAttrMaxRegistersPerBlock] = REGISTERS,
    [cudaDevAttrMaxRegistersPerMultiprocessor] = REGISTERS,
    [cudaDevAttrComputeCapabilityMajor] = 9, /* what programs ask for before they run */
    [cudaDevAttrComputeCapabilityMinor] = 0,
    [cudaDevAttrTotalConstantMemory] = 65536,
    [cudaDevAttrMaxPitch] = 2147483647,
    [cudaDevAttrTextureAlignment] = 512,
    [cudaDevAttrTexturePitchAlignment] = 32,
    [cudaDevAttrSurfaceAlignment] = 512,
    [cudaDevAttrClockRate] = CLOCK_KHZ,
    [cudaDevAttrGpuOverlap] = 1,
    [cudaDevAttrAsyncEngineCount] = 2, /* any number of streams copy at once */
    [cudaDevAttrConcurrentKernels] = 1,
    [cudaDevAttrStreamPrioritiesSupported] = 1,
    [cudaDevAttrCanMapHostMemory] = 1,
    [cudaDevAttrUnifiedAddressing] = 1,
    [cudaDevAttrManagedMemory] = 1,
    [cudaDevAttrHostNativeAtomicSupported] = 1,
    [cudaDevAttrHostRegisterSupported] = 1,
    [cudaDevAttrCanUseHostPointerForRegisteredMem] = 1,
    [cudaDevAttrCooperativeLaunch] = 1,
    [cudaDevAttrMemoryPoolsSupported] = 1, /* cudaMallocAsync */
    [cudaDevAttrSingleToDoublePrecisionPerfRatio] = 1,
    [cudaDevAttrMemSyncDomainCount] = 1,
    [cudaDevAttrNumaId] = -1,
    [cudaDevAttrHostNumaId] = -1,
};

static int attribute(enum cudaDeviceAttr which) {
    cpu_device_start();
    if (which == cudaDevAttrMultiProcessorCount)
        return cpu_device.workers;
    if (which == cudaDevAttrConcurrentManagedAccess)
        return !cpu_device.one_at_a_time;
    return attributes[which];
}

/* ---- which device ---- */

cudaError_t cudaGetDeviceCount(int *count) {
    if (!count)
        return cpu_device_answer(cudaErrorInvalidValue);
    cpu_device_result_at(count);
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *number) {
    if (!number)
        return cpu_device_answer(cudaErrorInvalidValue);
    cpu_device_result_at(number);
    *number = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int number) { return cpu_device_return(check_device(number)); }

cudaError_t cudaDriverGetVersion(int *version) {
    if (!version)
        return cpu_device_answer(cudaErrorInvalidValue);
    *version = cpu_device_cudart_version;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }

/* ---- properties ---- */

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int number) {
    if (!value || (int)which <= 0 || which >= cudaDevAttrMax)
        return cpu_device_answer(cudaErrorInvalidValue);
    if (check_device(number) != cudaSuccess)
        return cpu_device_answer(cudaErrorInvalidDevice);
    *value = attribute(which);
    return cudaSuccess;
}

/* Long, but a list: a line for each property. */
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
    p->sharedMemPerBlock = SHARED_BYTES;
    p->sharedMemPerBlockOptin = SHARED_OPTIN;
    p->reservedSharedMemPerBlock = SHARED_RESERVED;
    p->sharedMemPerMultiprocessor = SHARED_PER_MULTIPROCESSOR;
    p->totalConstMem = (size_t)attribute(cudaDevAttrTotalConstantMemory);
    p->memPitch = (size_t)attribute(cudaDevAttrMaxPitch);
    p->textureAlignment = (size_t)attribute(cudaDevAttrTextureAlignment);
    p->texturePitchAlignment = (size_t)attribute(cudaDevAttrTexturePitchAlignment);
    p->surfaceAlignment = (size_t)attribute(cudaDevAttrSurfaceAlignment);

    const struct {
        int *field;
        enum cudaDeviceAttr which;
    } fields[] = {
        {&p->regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
        {&p->regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
        {&p->major, cudaDevAttrComputeCapabilityMajor},
        {&p->minor, cudaDevAttrComputeCapabilityMinor},
        {&p->warpSize, cudaDevAttrWarpSize},
        {&p->maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
        {&p->maxThreadsDim[0], cudaDevAttrMaxBlockDimX},
        {&p->maxThreadsDim[1], cudaDevAttrMaxBlockDimY},
        {&p->maxThreadsDim[2], cudaDevAttrMaxBlockDimZ},
        {&p->maxGridSize[0], cudaDevAttrMaxGridDimX},
        {&p->maxGridSize[1], cudaDevAttrMaxGridDimY},
        {&p->maxGridSize[2], cudaDevAttrMaxGridDimZ},
        {&p->multiProcessorCount, cudaDevAttrMultiProcessorCount},
        {&p->maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
        {&p->maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
        {&p->concurrentKernels, cudaDevAttrConcurrentKernels},
        {&p->streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported},
        {&p->asyncEngineCount, cudaDevAttrAsyncEngineCount},
        {&p->canMapHostMemory, cudaDevAttrCanMapHostMemory},
        {&p->unifiedAddressing, cudaDevAttrUnifiedAddressing},
        {&p->managedMemory, cudaDevAttrManagedMemory},
        {&p->concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess},
        {&p->hostNativeAtomicSupported, cudaDevAttrHostNativeAtomicSupported},
        {&p->hostRegisterSupported, cudaDevAttrHostRegisterSupported},
        {&p->canUseHostPointerForRegisteredMem, cudaDevAttrCanUseHostPointerForRegisteredMem},
        {&p->cooperativeLaunch, cudaDevAttrCooperativeLaunch},
        {&p->memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
        {&p->deviceNumaId, cudaDevAttrNumaId},
        {&p->hostNumaId, cudaDevAttrHostNumaId},
        /* as CUDA 11 and 12 show them */
        {&p->cpu_device_no_clockRate, cudaDevAttrClockRate},
        {&p->cpu_device_no_deviceOverlap, cudaDevAttrGpuOverlap},
        {&p->cpu_device_no_singleToDoublePrecisionPerfRatio,
         cudaDevAttrSingleToDoublePrecisionPerfRatio},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i].field = attribute(fields[i].which);
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
} limits[] = {
    [cudaLimitStackSize] = {&stack, 1024},
    [cudaLimitPrintfFifoSize] = {&cpu_device.print_bytes, 1 << 20},
    [cudaLimitMallocHeapSize] = {&cpu_device.heap_bytes, 8 << 20},
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
__attribute__((constructor(101))) void limits_reset(void) {
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        atomic_store(limits[i].now, limits[i].first);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    cudaError_t e = check_limit(limit);
    if (limit == cudaLimitPersistingL2CacheSize && value)
        e = cudaErrorUnsupportedLimit;
    if (limit == cudaLimitMaxL2FetchGranularity && value > 128)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        atomic_store(limits[limit].now, value);
    return cpu_device_return(e);
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
 * A multiprocessor holds 2048 threads (64 warps), 32 blocks and 96 KiB of shared memory; registers
 * do not limit it. It is arithmetic on these constants and says nothing about speed on a CPU. */

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
