/*
 * sectors.h: the sectors of 32 bytes that a request to global memory touches.  Who changes the
 * rule changes the shortcuts in count.c (count, settle) and vectorize.c (members), too.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "trace/trace.h"

enum { SECTOR = 32 };

/* Adds a request to its row; width: threads in a row of the block. */
void trace_count_sectors(struct trace_row *row, const struct trace_request *r, unsigned width);
