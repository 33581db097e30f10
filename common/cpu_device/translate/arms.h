/*
 * arms.h: an `if` and its `else` that both end in a store to one place.
 *
 * gcc makes one store of the two, behind the `if`.  nvcc does so only where the two ways meet each
 * other and nothing else: not below `if (i < n)` or `if (i >= n) return;`, whose own way meets them in
 * the same place.  Elsewhere it depends on whether the address is known before the `if`, or both
 * arms are alike.  This was learnt from what nvcc 13.0 makes of some five hundred small kernels.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ARMS_H
#define ARMS_H

void part_arms(void); /* keeps apart those stores that nvcc leaves in their arms */
#endif
