/* SPDX-License-Identifier: MIT */
#ifndef CPU_DEVICE_DEVICE_LAUNCH_PARAMETERS_H
#define CPU_DEVICE_DEVICE_LAUNCH_PARAMETERS_H
#include "device_abi.h"
#endif
