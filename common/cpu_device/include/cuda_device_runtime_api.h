/* SPDX-License-Identifier: MIT */
#ifndef CPU_DEVICE_CUDA_DEVICE_RUNTIME_API_H
#define CPU_DEVICE_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime_api.h"
#endif
