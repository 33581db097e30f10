/*
 * arms.h: an `if` and its `else` that both end in a store to one place.
 *
 * gcc makes one store of the two, behind the `if`. nvcc does so only where the two ways meet each
 * other alone: not below `if (i < n)` or `if (i >= n) return;`, whose own way meets them there,
 * too. Where they do, it depends on whether the address is known before (in a loop: does not
 * change in it), on what both arms load, and on which of them has a mere constant. What both arms
 * load, it loads before the `if` only where that comes first in both. This was learnt from what
 * nvcc 13.0 makes of some four thousand small kernels.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ARMS_H
#define ARMS_H

void part_arms(void); /* in a traced build: what nvcc leaves in the arms stays there */
#endif
