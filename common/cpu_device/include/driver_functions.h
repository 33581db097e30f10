/* SPDX-License-Identifier: MIT */
#ifndef CPU_DEVICE_DRIVER_FUNCTIONS_H
#define CPU_DEVICE_DRIVER_FUNCTIONS_H
#include "cuda_runtime_api.h"
#endif
