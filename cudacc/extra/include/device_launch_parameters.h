/* SPDX-License-Identifier: MIT */
#include "cpu_device/device_abi.h"
