/*
 * pinned.c: memory of the program's own is pinned; how memory was pinned.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/capture.h"

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
    cpu_device_start();
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                           cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    if (!p || !bytes || flags & ~known)
        return cpu_device_return(cudaErrorInvalidValue);
    if (cpu_device_memory_find(p).kind == MEMORY_PINNED)
        return cpu_device_return(cudaErrorHostMemoryAlreadyRegistered);
    if (cpu_device_memory_find(p).kind != MEMORY_HOST)
        return cpu_device_return(cudaErrorInvalidValue);
    cudaError_t e = capture_refuses_call(0);
    return cpu_device_return(e ? e : cpu_device_memory_register(p, bytes));
}
cudaError_t cudaHostUnregister(void *p) {
    cpu_device_start();
    CALLED();
    if (!p)
        return cpu_device_return(cudaErrorInvalidValue);
    cudaError_t e = memory_unpin(p, 1);
    return cpu_device_return(e == cudaErrorInvalidValue ? cudaErrorHostMemoryNotRegistered : e);
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *p) {
    cpu_device_start();
    if (!flags || !cpu_device_memory_pinned_flags(p, flags))
        return cpu_device_return(cudaErrorInvalidValue);
    *flags |= cudaHostAllocMapped; /* always, as on a GPU */
    return cpu_device_return(cudaSuccess);
}
