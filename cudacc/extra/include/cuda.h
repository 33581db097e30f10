/* The driver API is not supported: only the version, as programs test it, and some constants.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CUDA_H
#define CPU_DEVICE_CUDA_H
#include <stdint.h>
#include <stdlib.h>
#include "../../include/cuda_runtime_api.h"
#define CUDA_VERSION CUDART_VERSION

#define CU_MEMHOSTALLOC_PORTABLE cudaHostAllocPortable
#define CU_MEMHOSTALLOC_DEVICEMAP cudaHostAllocMapped
#define CU_MEMHOSTALLOC_WRITECOMBINED cudaHostAllocWriteCombined
#endif
