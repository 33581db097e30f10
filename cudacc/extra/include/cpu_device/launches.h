/* launches.h: cooperative launches, and launches by a list of attributes, of a kernel by its name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_LAUNCHES_H
#define CPU_DEVICE_LAUNCHES_H

template <class... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid_dim,
                                        dim3 block_dim, void **arguments, size_t shared_bytes = 0,
                                        cudaStream_t stream = 0) {
    cpu_device_learn((const void *)kernel, cpu_device::by_address<Parameters...>::launch);
    return cudaLaunchCooperativeKernel((const void *)kernel, grid_dim, block_dim, arguments,
                                       shared_bytes, stream);
}

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                               Arguments &&...arguments) {
    cpu_device_learn((const void *)kernel, cpu_device::by_address<Parameters...>::launch);
    return [&](Parameters... p) {
        void *all[] = {&p..., NULL};
        return cudaLaunchKernelExC(config, (const void *)kernel, all);
    }(static_cast<Arguments &&>(arguments)...);
}

#endif
