/*
 * reset.c: cudaDeviceReset, which calls what keeps something.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/queue.h"

/* Everything back to the start. A lost device stays lost, as on a GPU (seen on an H200: 46 from
 * then on): only a new process gets it back. */
cudaError_t cudaDeviceReset(void) {
    cpu_device_start();
    cpu_device_wait();
    streams_end();
    cpu_device_memory_reset();
    kernel_settings_reset();
    limits_reset();
    atomic_store(&cpu_device.host_flags, 0);
    last_error_set(cudaSuccess);
    if (atomic_load(&cpu_device.lost))
        atomic_store(&cpu_device.lost, cudaErrorDevicesUnavailable);
    return cudaSuccess;
}
