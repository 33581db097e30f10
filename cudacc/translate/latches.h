/*
 * latches.h: where a loop comes to the end of an iteration, and where it begins.
 *
 * `while (c)` and `for (a; c;)` have no place of their own for the end of an iteration: a
 * `continue` in them is a jump to the condition, and clang makes a loop within the loop of it,
 * which the lanes of a warp leave one by one.  So they become `for (; c; nothing)`, with a nothing
 * that no compiler removes.
 *
 * gcc puts a loop that it unrolls early behind the first way into it: lanes that come another way,
 * further on, come too late.  So all ways lead to a nothing before the loop, which stays in place.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

void give_latches(void);
void give_entries(void);
