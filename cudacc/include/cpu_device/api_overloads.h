/* api_overloads.h: CUDA's overloads of the host API for C++: typed pointers, symbols by reference,
 * kernels by name. cuda_runtime_api.h includes it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_API_OVERLOADS_H
#define CPU_DEVICE_API_OVERLOADS_H

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
    return cudaEventCreateWithFlags(event, flags);
}

#if CUDART_VERSION >= 12000
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                               cudaGraphNode_t *, char *, size_t) {
    return cudaGraphInstantiate(pGraphExec, graph, 0);
}
#endif

static inline cudaError_t cudaMallocHost(void **ptr, size_t size, unsigned int flags) {
    return cudaHostAlloc(ptr, size, flags);
}

/* One for any type, which calls the plain function of that name: from the program's own line. */
#define CPU_DEVICE_OVERLOAD(name, parameters, ...)                                                 \
    template <class T> static __forceinline__ cudaError_t name parameters {                        \
        return name(__VA_ARGS__);                                                                  \
    }

CPU_DEVICE_OVERLOAD(cudaMalloc, (T * *devPtr, size_t size), (void **)(void *)devPtr, size)
CPU_DEVICE_OVERLOAD(cudaMallocManaged,
                    (T * *devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal),
                    (void **)(void *)devPtr, size, flags)
CPU_DEVICE_OVERLOAD(cudaMallocHost, (T * *ptr, size_t size, unsigned int flags = 0),
                    (void **)(void *)ptr, size, flags)
CPU_DEVICE_OVERLOAD(cudaHostAlloc, (T * *ptr, size_t size, unsigned int flags),
                    (void **)(void *)ptr, size, flags)
CPU_DEVICE_OVERLOAD(cudaHostGetDevicePointer, (T * *pDevice, void *pHost, unsigned int flags),
                    (void **)(void *)pDevice, pHost, flags)

/* The runtime knows a symbol's address only: a copy past its end becomes one that cannot fit. */
template <class T>
static inline size_t cpu_device_symbol_bytes(const T &symbol, size_t count, size_t offset) {
    return offset <= sizeof(symbol) && count <= sizeof(symbol) - offset ? count : (size_t)-1;
}
CPU_DEVICE_OVERLOAD(cudaMemcpyToSymbol,
                    (const T &symbol, const void *src, size_t count, size_t offset = 0,
                     enum cudaMemcpyKind kind = cudaMemcpyHostToDevice),
                    (const void *)&symbol, src, cpu_device_symbol_bytes(symbol, count, offset),
                    offset, kind)
CPU_DEVICE_OVERLOAD(cudaMemcpyFromSymbol,
                    (void *dst, const T &symbol, size_t count, size_t offset = 0,
                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost),
                    dst, (const void *)&symbol, cpu_device_symbol_bytes(symbol, count, offset),
                    offset, kind)
CPU_DEVICE_OVERLOAD(cudaGetSymbolAddress, (void **devPtr, const T &symbol), devPtr,
                    (const void *)&symbol)

template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
    void *address;
    cudaError_t error = cudaGetSymbolAddress(&address, (const void *)&symbol);
    if (error == cudaSuccess && size)
        *size = sizeof(symbol);
    return error;
}

CPU_DEVICE_OVERLOAD(cudaFuncGetAttributes, (struct cudaFuncAttributes * attr, T *entry), attr,
                    (const void *)entry)
CPU_DEVICE_OVERLOAD(cudaFuncSetAttribute, (T * func, enum cudaFuncAttribute attr, int value),
                    (const void *)func, attr, value)
CPU_DEVICE_OVERLOAD(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                    (int *numBlocks, T func, int blockSize, size_t dynamicSMemSize), numBlocks,
                    (const void *)func, blockSize, dynamicSMemSize)

#endif
