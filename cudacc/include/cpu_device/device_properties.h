/* device_properties.h: what a program can ask about a device, with CUDA's names and numbers;
 * CUDART_VERSION says of which CUDA.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_DEVICE_PROPERTIES_H
#define CPU_DEVICE_DEVICE_PROPERTIES_H

#include <stddef.h>

enum cudaLimit {
    cudaLimitStackSize = 0x00,
    cudaLimitPrintfFifoSize = 0x01,
    cudaLimitMallocHeapSize = 0x02,
    cudaLimitDevRuntimeSyncDepth = 0x03,
    cudaLimitDevRuntimePendingLaunchCount = 0x04,
    cudaLimitMaxL2FetchGranularity = 0x05,
    cudaLimitPersistingL2CacheSize = 0x06,
};

enum cudaDeviceAttr {
#define CPU_DEVICE_ATTRIBUTE(name, number, is) cudaDevAttr##name = number,
#define CPU_DEVICE_PROPERTY(type, field, name, number, is) cudaDevAttr##name = number,
#define CPU_DEVICE_ELEMENT(field, name, number, is) cudaDevAttr##name = number,
#include "device_attributes.h"
    cudaDevAttrMax,
};

enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4,
};

typedef struct CUuuid_st {
    char bytes[16];
} cudaUUID_t;

/* CUDA 13 dropped some fields. They keep their place here, without their name. */
#if CUDART_VERSION >= 13000
#define CPU_DEVICE_UNTIL_12(field) cpu_device_no_##field
#else
#define CPU_DEVICE_UNTIL_12(field) field
#endif

struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    int maxThreadsDim[3], maxGridSize[3];
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
    int maxTexture3D[3], maxTexture3DAlt[3];
    int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface2D[2], maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemapLayered[2];
    int CPU_DEVICE_UNTIL_12(cooperativeMultiDeviceLaunch);
    int unifiedFunctionPointers;
#define CPU_DEVICE_ATTRIBUTE(name, number, is)
#define CPU_DEVICE_PROPERTY(type, field, name, number, is) type field;
#define CPU_DEVICE_ELEMENT(field, name, number, is)
#include "device_attributes.h"
};

#endif
