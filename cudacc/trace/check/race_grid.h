/*
 * race_grid.h: what the blocks of a launch did with each line.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/race_block.h"

/* One line of the block's table. */
void trace_grid_add(struct checker *c, struct touched *t);
/* t and other are series of the same lanes, t the older one; other may be NULL. */
void trace_grid_add_series(struct checker *c, const struct series *t, const struct series *other);
