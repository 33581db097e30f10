/* SPDX-License-Identifier: MIT */
#ifndef CPU_DEVICE_TEXTURE_TYPES_H
#define CPU_DEVICE_TEXTURE_TYPES_H
#include "cuda_runtime_api.h"
#endif
