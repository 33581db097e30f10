/*
 * settings.c: which device, settings that a device accepts without effect, and occupancy in other
 * forms.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/queue.h"
#include <stdio.h>
#include <string.h>

static const char *const PCI_BUS_ID = "0000:00:00.0";

cudaError_t cudaInitDevice(int number, unsigned int device_flags, unsigned int flags) {
    if (flags & ~(unsigned)cudaInitDeviceFlagsAreValid)
        return cpu_device_answer(cudaErrorInvalidValue);
    if (check_device(number) != cudaSuccess)
        return cpu_device_answer(cudaErrorInvalidDevice);
    return flags ? cudaSetDeviceFlags(device_flags) : cpu_device_return(cudaSuccess);
}

cudaError_t cudaSetValidDevices(int *numbers, int count) {
    int devices;
    cudaGetDeviceCount(&devices);
    if (count < 0 || count > devices || (count && !numbers))
        return cpu_device_answer(cudaErrorInvalidValue);
    for (int i = 0; i < count; i++)
        if (check_device(numbers[i]) != cudaSuccess)
            return cpu_device_answer(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *number, const struct cudaDeviceProp *wanted) {
    if (!number || !wanted)
        return cpu_device_answer(cudaErrorInvalidValue);
    *number = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int number) {
    if (!text || size < 13)
        return cpu_device_answer(cudaErrorInvalidValue);
    if (check_device(number) != cudaSuccess)
        return cpu_device_answer(cudaErrorInvalidDevice);
    strcpy(text, PCI_BUS_ID);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *number, const char *text) {
    unsigned domain = 0, bus, slot, function = 0;
    if (!number || !text)
        return cpu_device_answer(cudaErrorInvalidValue);
    if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3 &&
        (domain = 0, sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2))
        return cpu_device_answer(cudaErrorInvalidValue);
    if (domain || bus || slot || function)
        return cpu_device_answer(cudaErrorInvalidDevice);
    *number = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
    if (!flags)
        return cpu_device_return(cudaErrorInvalidValue);
    *flags =
        atomic_load(&cpu_device.host_flags) | cudaDeviceMapHost; /* always there, as on a GPU */
    return cpu_device_return(cudaSuccess);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    (void)peer;
    return cpu_device_return(cudaErrorInvalidDevice);
}

static atomic_int cache_config = cudaFuncCachePreferNone;

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
    if (!config)
        return cpu_device_return(cudaErrorInvalidValue);
    *config = (enum cudaFuncCache)atomic_load(&cache_config);
    return cpu_device_return(cudaSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return cpu_device_return(cudaErrorInvalidValue);
    atomic_store(&cache_config, (int)config);
    return cpu_device_return(cudaSuccess);
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config) {
    if (kernel_refused(kernel))
        return cpu_device_return(kernel_refused(kernel));
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return cpu_device_return(cudaErrorInvalidValue);
    return cpu_device_return(cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    if (!config)
        return cpu_device_return(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cpu_device_return(cudaSuccess);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    int known = (unsigned)config <= cudaSharedMemBankSizeEightByte;
    return cpu_device_return(known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig config) {
    if (kernel_refused(kernel))
        return cpu_device_return(kernel_refused(kernel));
    return cudaDeviceSetSharedMemConfig(config);
}

/* ---- Occupancy --------------------------------------------------------------------------- */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int block_size,
                                                                   size_t dynamic_shared,
                                                                   unsigned int flags) {
    if (flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
        return cpu_device_return(cudaErrorInvalidValue);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_size,
                                                         dynamic_shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks,
                                                      int block_size) {
    int fit, shared, reserved;
    struct cudaFuncAttributes a;
    if (!bytes || blocks <= 0)
        return cpu_device_return(cudaErrorInvalidValue);
    cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, block_size, 0);
    if (e != cudaSuccess)
        return e;
    if (blocks > fit)
        return cpu_device_return(cudaErrorInvalidValue);
    cudaFuncGetAttributes(&a, kernel);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
    cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, 0);
    *bytes = (size_t)(shared / blocks - reserved) - a.sharedSizeBytes;
    if (*bytes > (size_t)a.maxDynamicSharedSizeBytes)
        *bytes = (size_t)a.maxDynamicSharedSizeBytes;
    return cudaSuccess;
}
