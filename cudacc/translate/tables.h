/*
 * tables.h: constant tables, `__device__ const`. gcc calls no tracer for a load that names one; it
 * does for one through a pointer. So t[i] becomes (&t[0])[i] in device code. What the compiler then
 * still folds, as with an index that it knows, nvcc folds, too.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "declarations.h"

void record_tables(const struct declaration *d); /* one, or several */
void rewrite_tables(void);
