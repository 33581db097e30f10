/* extra_overloads.h: CUDA's overloads for C++ of what extra_api.h declares, which includes it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_EXTRA_OVERLOADS_H
#define CPU_DEVICE_EXTRA_OVERLOADS_H

CPU_DEVICE_OVERLOAD(cudaMemcpyToSymbolAsync,
                    (const T &symbol, const void *src, size_t count, size_t offset = 0,
                     enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0),
                    (const void *)&symbol, src, cpu_device_symbol_bytes(symbol, count, offset),
                    offset, kind, stream)
CPU_DEVICE_OVERLOAD(cudaMemcpyFromSymbolAsync,
                    (void *dst, const T &symbol, size_t count, size_t offset = 0,
                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0),
                    dst, (const void *)&symbol, cpu_device_symbol_bytes(symbol, count, offset),
                    offset, kind, stream)
CPU_DEVICE_OVERLOAD(cudaMallocPitch, (T * *devPtr, size_t *pitch, size_t width, size_t height),
                    (void **)(void *)devPtr, pitch, width, height)
CPU_DEVICE_OVERLOAD(cudaStreamAttachMemAsync,
                    (cudaStream_t stream, T *devPtr, size_t length = 0,
                     unsigned int flags = cudaMemAttachSingle),
                    stream, (void *)devPtr, length, flags)
CPU_DEVICE_OVERLOAD(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                    (int *numBlocks, T func, int blockSize, size_t dynamicSMemSize,
                     unsigned int flags),
                    numBlocks, (const void *)func, blockSize, dynamicSMemSize, flags)
CPU_DEVICE_OVERLOAD(cudaOccupancyAvailableDynamicSMemPerBlock,
                    (size_t * dynamicSmemSize, T *func, int numBlocks, int blockSize),
                    dynamicSmemSize, (const void *)func, numBlocks, blockSize)
CPU_DEVICE_OVERLOAD(cudaLaunchKernel,
                    (T * func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem = 0,
                     cudaStream_t stream = 0),
                    (const void *)func, gridDim, blockDim, args, sharedMem, stream)
CPU_DEVICE_OVERLOAD(cudaLaunchCooperativeKernel,
                    (T * func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem = 0,
                     cudaStream_t stream = 0),
                    (const void *)func, gridDim, blockDim, args, sharedMem, stream)

template <class T>
static inline cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaStream_t stream) {
    return cudaMallocAsync((void **)(void *)ptr, size, stream);
}

template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **ptr, size_t size, cudaMemPool_t memPool,
                                                  cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaMemPool_t memPool,
                                          cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}

template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *func, enum cudaFuncCache cacheConfig) {
    return cudaFuncSetCacheConfig((const void *)func, cacheConfig);
}

template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *func, enum cudaSharedMemConfig config) {
    return cudaFuncSetSharedMemConfig((const void *)func, config);
}

/* The largest block that keeps a multiprocessor fullest. */
template <class SharedBytesOf, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *minGridSize, int *blockSize, T func, SharedBytesOf blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0, unsigned int flags = 0) {
    if (!minGridSize || !blockSize || !func)
        return cudaErrorInvalidValue;
    struct cudaFuncAttributes kernel;
    int multiprocessors, best_threads = 0;
    cudaError_t e = cudaFuncGetAttributes(&kernel, (const void *)func);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    if (e != cudaSuccess)
        return e;

    int limit = kernel.maxThreadsPerBlock;
    if (blockSizeLimit > 0 && blockSizeLimit < limit)
        limit = blockSizeLimit;
    for (int whole_warps = (limit + 31) / 32 * 32; whole_warps > 0; whole_warps -= 32) {
        int per_block = whole_warps < limit ? whole_warps : limit, resident;
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &resident, (const void *)func, per_block, blockSizeToDynamicSMemSize(per_block), flags);
        if (e != cudaSuccess)
            return e;
        if (per_block * resident > best_threads) {
            best_threads = per_block * resident;
            *blockSize = per_block;
            *minGridSize = resident * multiprocessors;
        }
    }
    if (!best_threads)
        *blockSize = *minGridSize = 0;
    return cudaSuccess;
}

template <class SharedBytesOf, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, T func,
                                               SharedBytesOf blockSizeToDynamicSMemSize,
                                               int blockSizeLimit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, blockSizeToDynamicSMemSize, blockSizeLimit);
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, T func,
                                            size_t dynamicSMemSize = 0, int blockSizeLimit = 0,
                                            unsigned int flags = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; }, blockSizeLimit, flags);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
                                                             T func, size_t dynamicSMemSize = 0,
                                                             int blockSizeLimit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func,
                                                       dynamicSMemSize, blockSizeLimit);
}

/* The format of an element of this type. */
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc();
#define CPU_DEVICE_CHANNELS(T, bits, kind, y, z, w)                                                \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                          \
        return cudaCreateChannelDesc(bits, y * bits, z * bits, w * bits,                           \
                                     cudaChannelFormatKind##kind);                                 \
    }
#define CPU_DEVICE_CHANNELS_1_2_4(T, name, bits, kind)                                             \
    CPU_DEVICE_CHANNELS(T, bits, kind, 0, 0, 0)                                                    \
    CPU_DEVICE_CHANNELS(name##1, bits, kind, 0, 0, 0)                                              \
    CPU_DEVICE_CHANNELS(name##2, bits, kind, 1, 0, 0)                                              \
    CPU_DEVICE_CHANNELS(name##4, bits, kind, 1, 1, 1)
CPU_DEVICE_CHANNELS(char, 8, Signed, 0, 0, 0)
CPU_DEVICE_CHANNELS_1_2_4(signed char, char, 8, Signed)
CPU_DEVICE_CHANNELS_1_2_4(unsigned char, uchar, 8, Unsigned)
CPU_DEVICE_CHANNELS_1_2_4(short, short, 16, Signed)
CPU_DEVICE_CHANNELS_1_2_4(unsigned short, ushort, 16, Unsigned)
CPU_DEVICE_CHANNELS_1_2_4(int, int, 32, Signed)
CPU_DEVICE_CHANNELS_1_2_4(unsigned, uint, 32, Unsigned)
CPU_DEVICE_CHANNELS_1_2_4(float, float, 32, Float)
#undef CPU_DEVICE_CHANNELS
#undef CPU_DEVICE_CHANNELS_1_2_4

#endif
