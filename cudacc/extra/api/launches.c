/*
 * launches.c: launches of a kernel by its address, also cooperative ones, or by a list of
 * attributes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "extra/runtime/groups.h"
#include "runtime/observer.h"
#include <stdlib.h>

EXPORTED void cpu_device_learn(const void *function,
                               void (*launch)(struct cpu_device_launch *, void **)) {
    cpu_device_start();
    cpu_device_lock();
    struct cpu_device_kernel *k = kernel_find(function) ? NULL : calloc(1, sizeof *k);
    if (k) {
        k->function = function;
        k->name = "kernel";
        k->launch = launch;
        cpu_device_register(k);
    }
    cpu_device_unlock();
}

static cudaError_t launch_by_address(const void *function, const struct cpu_device_config *c,
                                     void **arguments) {
    struct cpu_device_kernel *k = kernel_find(function);
    if (!k)
        return cpu_device_return(function ? cudaErrorInvalidResourceHandle
                                          : cudaErrorInvalidDeviceFunction);
    cudaError_t before = last_error_set(cudaSuccess);
    k->launch(cpu_device_launch_new(c, function, k->name, NULL), arguments);
    cudaError_t e = last_error_set(cudaSuccess);
    OBSERVE(error_asked); /* this call reports it */
    last_error_set(e ? e : before);
    return e;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, cudaStream_t stream) {
    struct cpu_device_config c = {grid, block, shared_bytes, stream, NULL};
    return launch_by_address(function, &c, arguments);
}

/* All blocks must fit at once. */
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                        void **arguments, size_t shared_bytes,
                                        cudaStream_t stream) {
    int fit, multiprocessors;
    cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &fit, function, (int)(block.x * block.y * block.z), shared_bytes);
    if (!e)
        e = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    if (e)
        return e;
    if (fit && (unsigned long long)grid.x * grid.y * grid.z > (unsigned)(fit * multiprocessors))
        return cpu_device_return(cudaErrorCooperativeLaunchTooLarge);
    struct cpu_device_config c = {grid, block, shared_bytes, stream, &cooperation};
    return launch_by_address(function, &c, arguments);
}

/* Priority and carveout are wishes, which change no result. */
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *function,
                                void **arguments) {
    int cooperative = 0, wrong = !c || (c->numAttrs && !c->attrs);
    for (unsigned i = 0; !wrong && i < c->numAttrs; i++)
        if (c->attrs[i].id == cudaLaunchAttributeCooperative)
            cooperative = c->attrs[i].val.cooperative;
        else
            wrong = c->attrs[i].id != cudaLaunchAttributeIgnore &&
                    c->attrs[i].id != cudaLaunchAttributePriority &&
                    c->attrs[i].id != cudaLaunchAttributePreferredSharedMemoryCarveout;
    if (wrong)
        return cpu_device_return(cudaErrorInvalidValue);
    return (cooperative ? cudaLaunchCooperativeKernel : cudaLaunchKernel)(
        function, c->gridDim, c->blockDim, arguments, c->dynamicSmemBytes, c->stream);
}
