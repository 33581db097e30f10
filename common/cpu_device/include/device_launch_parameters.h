/* SPDX-License-Identifier: MIT */
#ifndef CPU_DEVICE_DEVICE_LAUNCH_PARAMETERS_H
#define CPU_DEVICE_DEVICE_LAUNCH_PARAMETERS_H
#include "cpu_device/device_abi.h"
#endif
