/*
 * uniform.h: what is the same for all threads of a block, of a kernel that is split at its barriers
 * (split.c): constants, parameters, blockIdx and so on, and variables that only such values are
 * given to, where all threads come or none.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "uses.h"

/* Finds how locals are used, but for INSIDE, marks as ONCE what only changes uniform ones, and
 * finds where each thread goes its own way; false: a barrier stands there, at token *because. */
bool find_uniform(int open, int *because);
bool is_jump(int s);       /* a statement: if (uniform) return; or break, or continue */
int left_by(int s, int i); /* which loop a `break` or `continue` of a statement is for; -1: none */
int step_of(int s);        /* of a `for`: the `;` before its step */
bool is_uniform(int first, int last);
/* Of numbers and pointers: does it stay the same for a thread while that runs a region that it
 * stands in? */
bool is_stable(int first, int last);
bool holds_numbers(const struct local *l); /* of types of the language, and not volatile */
