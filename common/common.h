// SPDX-License-Identifier: MIT
// The small common header: error check and timers.
#ifndef COMMON_H
#define COMMON_H

#include "cuda_check.h"
#include "timers.h"

#endif
