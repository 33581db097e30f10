/* cuda_pipeline.h of the CPU device: copies from device to shared memory that a thread does not
 * wait for at once.  Here each is read when it is begun and arrives at its wait.  C++ only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CUDA_PIPELINE_H
#define CPU_DEVICE_CUDA_PIPELINE_H
#define _CUDA_PIPELINE_H_ /* CUDA's own guard */

#include "cuda_runtime.h"
#include "cpu_device/groups_abi.h"
#include <stdint.h>

#ifdef __CUDACC__
#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline))
#endif

/* bytes: 4, 8 or 16, and the addresses are multiples of it; the last `zeros` of them become 0 and
 * are not read. */
static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                           size_t zeros = 0) {
    uint4 value = make_uint4(0, 0, 0, 0);
    if (bytes != 4 && bytes != 8 && bytes != 16)
        __trap(); /* as nvcc refuses it */
#ifndef CPU_DEVICE_TRACE
    if ((uintptr_t)to % bytes)
        cpu_device_trap(cudaErrorMisalignedAddress,
                        "__pipeline_memcpy_async to an address that is no multiple of its bytes");
#endif
    if (zeros) {
        for (size_t i = 0; i + zeros < bytes; i++)
            ((char *)&value)[i] = ((const char *)from)[i];
    } else if (bytes == 16) {
        value = *(const uint4 *)from;
    } else if (bytes == 8) {
        const uint2 two = *(const uint2 *)from;
        value.x = two.x, value.y = two.y;
    } else {
        value.x = *(const unsigned *)from;
    }
    cpu_device_copy_begin(to, zeros ? nullptr : from, &value, (unsigned)bytes);
}

/* Batches are counted for each thread. */
static inline void __pipeline_commit() { cpu_device_copy_commit(); }
static inline void __pipeline_wait_prior(size_t newer) { cpu_device_copy_wait(newer); }

#undef inline
#endif
#endif
