/* SPDX-License-Identifier: MIT */
#include "../../include/cpu_device/kernel_abi.h"
