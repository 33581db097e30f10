/*
 * latches.h: where a loop comes to the end of a round.  `while (c)` and `for (a; c;)` have no such
 * place of their own: a `continue` in them is a jump to the condition, and clang makes a loop
 * within the loop of it, which the lanes of a warp leave one by one.  So they become
 * `for (; c; nothing)`, with a nothing that no compiler removes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LATCHES_H
#define LATCHES_H

void give_latches(void);
#endif
