/*
 * cuda_runtime.h of the CPU device.  In C and in plain C++: the host API.  In a .cu file, which
 * cudacc compiles: kernels and launches too.  What is supported: README.md in this folder.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CUDA_RUNTIME_H
#define CPU_DEVICE_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* CUDA's own guard, which programs ask for */

#include "vector_types.h"
#include "cuda_runtime_api.h"
#ifdef __CUDACC__
#include "cpu_device/program_notes.h"
#ifdef CPU_DEVICE_TRACE
#include "cpu_device/trace_copies.h"
#include "cpu_device/trace_libc.h"
#endif
#include "cpu_device/device_functions.h"
#include "../extra/include/cpu_device/ptx.h"
#include "../extra/include/cpu_device/textures.h"
#include "cpu_device/launch.h"
#include "../extra/include/cpu_device/launches.h"
#endif

#endif
