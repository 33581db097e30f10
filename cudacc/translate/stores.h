/*
 * stores.h: kernels in which a loop changes a variable of the device under a condition.  Compilers
 * keep the variable in a register for all rounds, and load it before the first one: also for the
 * threads that never use it, which would be loads that the program does not make, and races.  nvcc
 * does so only where no condition stands before the store.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "declarations.h"

void record_stored(const struct declaration *d); /* such a variable, or several */
/* Has those kernels compiled with an option of gcc, where it is not ""; true: there are some. */
bool mark_conditional_stores(const char *option);
