/* cuda_pipeline.h of the CPU device: copies from device to shared memory that a thread does not
 * wait for at once.  Here each is done when it is begun: nothing to wait for.  C++ only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CUDA_PIPELINE_H
#define CPU_DEVICE_CUDA_PIPELINE_H
#define _CUDA_PIPELINE_H_ /* CUDA's own guard */

#include "cuda_runtime.h"

#ifdef __CUDACC__
#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline))
#endif

/* bytes: 4, 8 or 16, and the addresses are multiples of it; the last `zeros` of them become 0 and
 * are not read. */
static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                           size_t zeros = 0) {
    if (zeros) {
        for (size_t i = 0; i < bytes; i++)
            ((char *)to)[i] = i + zeros < bytes ? ((const char *)from)[i] : (char)0;
    } else if (bytes == 16) {
        *(uint4 *)to = *(const uint4 *)from;
    } else if (bytes == 8) {
        *(uint2 *)to = *(const uint2 *)from;
    } else if (bytes == 4) {
        *(unsigned *)to = *(const unsigned *)from;
    } else {
        __trap(); /* as nvcc refuses it */
    }
}

static inline void __pipeline_commit() {}
static inline void __pipeline_wait_prior(size_t) {}

#undef inline
#endif
#endif
