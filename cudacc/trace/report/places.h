/*
 * places.h: where something is, in words.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/report/print_error.h"

/* x, y, z of a linear index, as "(1,2,3)" or as "1x2x3". */
const char *place_in_grid(char text[64], unsigned long long i, const unsigned size[3], int for_csv);
/* "load of 4 bytes at x.cu:5" */
void add_access(char text[TEXT], const struct site *s, const void *pc);
/* ", allocated at file.cu:12" */
const char *place_of_allocation(char text[300], const struct trace_allocation *a);
/* Of an address outside of the array that it is near; 0: it is not. */
long index_of_address(const struct trace_launch *l, uintptr_t address);
/* "4 bytes past the end of d_a, 400 bytes, allocated at file.cu:12"; and what that is called. */
void place_of_address(char *text, size_t size, const struct trace_launch *l, uintptr_t address,
                      const char **name);
void place_in_shared(char *text, size_t size, const struct finding *f, const char **name);
