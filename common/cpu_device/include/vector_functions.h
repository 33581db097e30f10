/* SPDX-License-Identifier: MIT */
#ifndef CPU_DEVICE_VECTOR_FUNCTIONS_H
#define CPU_DEVICE_VECTOR_FUNCTIONS_H
#include "vector_types.h"
#endif
