/*
 * regions.h: which statements of a split kernel (split.h) run together, for one thread after
 * another: those between two cuts. A barrier and a warp function are cuts, so is a statement
 * with such in it, or one that all threads do together.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "statements.h"

/* Of all statements; the locals that are used in one region alone are INSIDE. */
void find_regions(void);
bool stands_outside(int s);  /* does it declare a type, and do nothing? */
bool declares_shared(int s); /* static __shared__ variables */
