/* clangd.h: with which clang, and so clangd, reads a .cu file on the CPU device, before that file's
 * first line. clang itself knows kernel<<<...>>>; every function is one for host and device alike,
 * as it is here. The options are in .clangd, at the root of the repository.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CLANGD_H
#define CPU_DEVICE_CLANGD_H

/* clang wraps it, to add functions for the device. */
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#include <stdlib.h>
#include <new>
#undef __host__
#undef __device__

#define __host__
#define __device__
#define __constant__
#define __managed__
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __align__(n) __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))

#pragma clang force_cuda_host_device begin
#define __syncthreads clangd_syncthreads /* clang has one of that name, for the device alone */
#include <cuda_runtime.h>
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);

#endif
