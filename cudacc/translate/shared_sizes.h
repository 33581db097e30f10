/*
 * shared_sizes.h: which functions have __shared__ variables, and which of them a kernel may call:
 * what a launch needs to know of a block's shared memory.  Calls are followed by name, in this file
 * alone.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "declarations.h"

/* Calls that tell the runtime the sizes of __shared__ variables; NULL: not in such a function. */
const char *shared_sizes(const struct declaration *d);
/* The functions with __shared__ variables that the kernel with this body may call, as a string of
 * C with a line for each, its own first; "0": there are none. When all functions are known. */
const char *shared_functions(int body_end);
/* "k<T, N>", a template as it calls itself in its own body; NULL: there is no such name. */
const char *instance(int template_header, int name);
