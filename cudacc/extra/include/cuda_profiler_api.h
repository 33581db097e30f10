/* No profiler watches the CPU device: these two do nothing, as on a GPU without one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CUDA_PROFILER_API_H
#define CPU_DEVICE_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"

static inline cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
static inline cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
#endif
