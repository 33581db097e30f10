/*
 * race_grid.h: what the blocks of a launch did with each line.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/race_block.h"

/* One line of the block's table. */
void trace_grid_add(struct checker *c, struct touched *t);
