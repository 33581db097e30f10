/* SPDX-License-Identifier: MIT */
#ifndef CPU_DEVICE_HOST_DEFINES_H
#define CPU_DEVICE_HOST_DEFINES_H
#include "cuda_runtime_api.h"
#endif
