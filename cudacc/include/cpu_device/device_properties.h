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
#define CPU_DEVICE_ATTRIBUTE(name, number, value) name = number,
#define CPU_DEVICE_PROPERTY(name, number, value, field) name = number,
#include "device_attributes.h"
#undef CPU_DEVICE_ATTRIBUTE
#undef CPU_DEVICE_PROPERTY
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
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int CPU_DEVICE_UNTIL_12(clockRate);
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int CPU_DEVICE_UNTIL_12(deviceOverlap);
    int multiProcessorCount;
    int CPU_DEVICE_UNTIL_12(kernelExecTimeoutEnabled);
    int integrated;
    int canMapHostMemory;
    int CPU_DEVICE_UNTIL_12(computeMode);
    int maxTexture1D;
    int maxTexture1DMipmap;
    int CPU_DEVICE_UNTIL_12(maxTexture1DLinear);
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int CPU_DEVICE_UNTIL_12(memoryClockRate);
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int CPU_DEVICE_UNTIL_12(singleToDoublePrecisionPerfRatio);
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int CPU_DEVICE_UNTIL_12(cooperativeMultiDeviceLaunch);
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int deviceNumaConfig;
    int deviceNumaId;
    int mpsEnabled;
    int hostNumaId;
    unsigned int gpuPciDeviceID;
    unsigned int gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
};
#undef CPU_DEVICE_UNTIL_12

#endif
