/*
 * uniform.h: what is the same for all threads of a block, of a kernel that is split at its barriers
 * (split.h): constants, parameters, blockIdx and so on, and variables that only such values are
 * given to, where all threads come or none.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIFORM_H
#define UNIFORM_H
#include "statements.h"

/* Finds how locals are used, but for INSIDE, and marks as ONCE what only changes uniform ones;
 * false: a barrier stands under a condition that is not uniform, at token *because. */
bool find_uniform(int template_header, int open, int *because);
bool is_scalar(const struct local *l); /* may it be uniform, or computed again? */
bool is_jump(int s);                   /* a statement: if (uniform) return; or break, or continue */
extern const char number_types[];
#endif
