/* SPDX-License-Identifier: MIT */
#ifndef CPU_DEVICE_NVTX3_H
#define CPU_DEVICE_NVTX3_H
#include "../nvToolsExt.h"
#endif
