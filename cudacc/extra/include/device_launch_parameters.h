/* SPDX-License-Identifier: MIT */
#include "../../include/cpu_device/device_abi.h"
