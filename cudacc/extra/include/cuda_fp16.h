/* cuda_fp16.h of the CPU device: half and half2, IEEE's binary16.  C++ only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CUDA_FP16_H
#define CPU_DEVICE_CUDA_FP16_H
#define __CUDA_FP16_H__ /* CUDA's own guard */

#ifdef __cplusplus
#include "vector_types.h"
#ifdef __CUDACC__
#include "cuda_runtime.h"
#endif
#include "cpu_device/rounding.h"

#ifndef __CUDA_NO_HALF_OPERATORS__
#define CPU_DEVICE_FLOAT16_OPERATORS
#endif
#define __number __half
#define __raw __half_raw
#define __pair __half2
#define __raw_pair __half2_raw
#define __format cpu_device::float16::half
#define __named(x, y) x##half##y
#define __named2(x, y) x##half2##y
#include "cpu_device/float16.h"

typedef __half half, nv_half;
typedef __half2 half2, nv_half2;

static inline __half2 __half2half2(__half a) { return __half2(a, a); }
#endif
#endif
