/*
 * malloc.c: device, managed and pinned memory are given, taken back and asked about.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/observer.h"
#include "runtime/capture.h"
#include <stdlib.h>

int (*memory_goes_back)(const void *p);

cudaError_t memory_give(void **out, size_t bytes, enum memory_kind kind) {
    cpu_device_start();
    OBSERVE(allocating);
    if (!out)
        return cudaErrorInvalidValue;
    if (cpu_device_memory_is_symbol(out))
        OBSERVE(call_variable, "result", out);
    cpu_device_result_at(out);
    return cpu_device_memory_new(out, bytes, kind);
}
cudaError_t memory_allocate(void **out, size_t bytes, enum memory_kind kind) {
    cudaError_t e = capture_refuses_call(0);
    return e ? e : memory_give(out, bytes, kind);
}

cudaError_t cudaMalloc(void **p, size_t bytes) {
    CALLED();
    return cpu_device_return(memory_allocate(p, bytes, MEMORY_DEVICE));
}
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
    CALLED();
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cpu_device_return(cudaErrorInvalidValue);
    cudaError_t e = memory_allocate(p, bytes, MEMORY_MANAGED);
    if (flags == cudaMemAttachHost)
        atomic_store(&cpu_device.attaches, 1);
    if (!e)
        cpu_device_pages_new(*p, bytes);
    return cpu_device_return(e);
}

cudaError_t cudaFree(void *p) {
    cpu_device_start();
    CALLED();
    if (!p)
        return cpu_device_return(cudaSuccess);
    cudaError_t e = capture_refuses_call(0);
    if (!e)
        /* as CUDA: what still uses the memory ends first */
        e = cpu_device_wait_so(memory_goes_back && memory_goes_back(p) ? p : NULL, 1);
    if (!e && (e = cpu_device_memory_release(p)))
        OBSERVE(free_failed, p);
    return cpu_device_return(e);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
    cpu_device_start();
    if (!free_bytes || !total)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_result_at(free_bytes);
    cpu_device_result_at(total);
    *total = cpu_device_memory_total();
    *free_bytes = cpu_device_memory_free();
    return cpu_device_return(cudaSuccess);
}

/* ---- Pinned memory: host memory that kernels may use ------------------------------------- */

cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
    cpu_device_start();
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (!p || flags & ~known)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_result_at(p);
    *p = NULL;
    cudaError_t e = capture_refuses_call(0);
    if (e || !bytes)
        return cpu_device_return(e);
    return cpu_device_return(cpu_device_memory_new_pinned(p, bytes, flags));
}
cudaError_t cudaMallocHost(void **p, size_t bytes) {
    return cudaHostAlloc(p, bytes, cudaHostAllocDefault);
}
cudaError_t memory_unpin(void *p, int is_registered) {
    cudaError_t e = capture_refuses_call(0);
    if (!e)
        e = cpu_device_wait();
    if (!e && (e = cpu_device_memory_unpin(p, is_registered)))
        OBSERVE(free_failed, p);
    return e;
}
cudaError_t cudaFreeHost(void *p) {
    cpu_device_start();
    CALLED();
    return cpu_device_return(p ? memory_unpin(p, 0) : cudaSuccess);
}
cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *p, unsigned flags) {
    cpu_device_start();
    if (!device_pointer || flags || cpu_device_memory_find(p).kind != MEMORY_PINNED)
        return cpu_device_return(cudaErrorInvalidValue);
    *device_pointer = p;
    return cpu_device_return(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p) {
    cpu_device_start();
    if (!a)
        return cpu_device_return(cudaErrorInvalidValue);
    struct memory m = cpu_device_memory_find(p);
    static const enum cudaMemoryType types[] = {[MEMORY_HOST] = cudaMemoryTypeUnregistered,
                                                [MEMORY_PINNED] = cudaMemoryTypeHost,
                                                [MEMORY_DEVICE] = cudaMemoryTypeDevice,
                                                [MEMORY_MANAGED] = cudaMemoryTypeManaged,
                                                [MEMORY_SYMBOL] = cudaMemoryTypeDevice};
    a->type = types[m.kind];
    a->device = m.kind == MEMORY_HOST ? -2 : 0;
    a->devicePointer = m.kind == MEMORY_HOST ? NULL : (void *)p;
    a->hostPointer = on_device(m.kind) ? NULL : (void *)p;
    return cpu_device_return(cudaSuccess);
}
