/*
 * variables.h: __shared__, __device__, __constant__ and __managed__.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "declarations.h"

void rewrite_shared(const struct declaration *d, enum scope scope, bool in_template);
void rewrite_variable(const struct declaration *d, enum scope scope);
/* " a  b ": the __shared__ variables in scope of a function. */
extern const char *shared_names;
