/* SPDX-License-Identifier: MIT */
#ifndef CPU_DEVICE_MATH_FUNCTIONS_H
#define CPU_DEVICE_MATH_FUNCTIONS_H
#include "cuda_runtime_api.h"
#endif
