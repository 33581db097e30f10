/* launches.h: launches of a kernel that a program names: by its arguments, cooperative, by a list
 * of attributes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_LAUNCHES_H
#define CPU_DEVICE_LAUNCHES_H

/* Registers a kernel that only its caller knows, an instance of a template. */
extern "C" void cpu_device_learn(const void *function,
                                 void (*launch)(struct cpu_device_launch *launch,
                                                void **arguments));

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid_dim, dim3 block_dim,
                             void **arguments, size_t shared_bytes = 0, cudaStream_t stream = 0) {
    cpu_device_learn((const void *)kernel, cpu_device::by_address<Parameters...>::launch);
    return cudaLaunchKernel((const void *)kernel, grid_dim, block_dim, arguments, shared_bytes,
                            stream);
}

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
