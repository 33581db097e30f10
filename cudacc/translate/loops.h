/*
 * loops.h: which kernels have no loops.  In those no jump leads back, and the tracer need not
 * follow the jumps: they get the ATTRIBUTE of --loop-free=ATTRIBUTE.  Unless that is certain of a
 * kernel and all that it calls, it counts as one with loops.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <stdbool.h>

bool mark_loop_free_kernels(void); /* true: that is all kernels */
