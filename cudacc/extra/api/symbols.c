/*
 * symbols.c: copies to and from variables of the device that a stream does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/copy.h"

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    CALLED();
    return cpu_device_return(copy_symbol(symbol, 1, (void *)from, bytes, offset, kind, stream, 1));
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    CALLED();
    return cpu_device_return(copy_symbol(symbol, 0, to, bytes, offset, kind, stream, 1));
}
