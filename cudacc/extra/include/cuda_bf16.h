/* cuda_bf16.h of the CPU device: __nv_bfloat16 and __nv_bfloat162, upper halves of
 * floats.  C++ only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CUDA_BF16_H
#define CPU_DEVICE_CUDA_BF16_H
#define __CUDA_BF16_H__ /* CUDA's own guard */

#ifdef __cplusplus
#include "cuda_fp16.h" /* as CUDA's own does */

#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
#define CPU_DEVICE_FLOAT16_OPERATORS
#endif
#define __number __nv_bfloat16
#define __raw __nv_bfloat16_raw
#define __pair __nv_bfloat162
#define __raw_pair __nv_bfloat162_raw
#define __format cpu_device::float16::bfloat16
#define __named(x, y) x##bfloat16##y
#define __named2(x, y) x##bfloat162##y
#include "cpu_device/float16.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)
#endif
#endif
