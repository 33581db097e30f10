/*
 * launches.c: cooperative launches, and launches by a list of attributes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "extra/runtime/groups.h"

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
    return kernel_launch(function, &c, arguments);
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
