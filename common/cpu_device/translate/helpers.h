/*
 * helpers.h: device functions with barriers or warp functions in them become part of the kernel
 * that calls them, so that it can be split there (split.h):
 *
 *     float s = warp_sum(x);       float v_1 = x;
 *                                  for (int d = 16; d > 0; d /= 2)
 *                                      v_1 += __shfl_down_sync(0xffffffff, v_1, d);
 *                                  float s = (float)(v_1);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPERS_H
#define HELPERS_H
#include "kernels.h"

/* The kernel's tokens once more, at the end of all, with such functions in them; as it is if it
 * calls none, or one that cannot be part of it. */
struct kernel with_helpers(const struct kernel *k);
#endif
