/* SPDX-License-Identifier: MIT */
#include "../../include/cuda_runtime_api.h"
