/*
 * heap.h: what malloc() and new give in kernels: blocks of one allocation, a gap behind each.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/names/allocations.h"

void *trace_heap_new(size_t bytes, const void *pc); /* NULL: there is no more */
int trace_heap_free(const void *p);                 /* 0: no block begins there */
/* No launch is running: what is recorded of blocks that were freed has been looked at, and what is
 * known of them can be forgotten. */
void trace_heap_settle(void (*forget)(struct trace_allocation *heap, const char *p, size_t bytes));
/* The heap, where the address is in it; else NULL. */
struct trace_allocation *trace_heap_of(const void *address);
/* What this warp has done up to the free has been looked at. */
void trace_heap_gone(const void *p, uint64_t warp);
/* Are the bytes in one block? 0: in none, -1: in one that has been freed, as this warp knows. */
int trace_heap_holds(const void *p, size_t bytes, uint64_t warp);
/* The blocks that nothing has freed. */
void trace_heap_each(void (*visit)(const void *pc, size_t bytes));
/* How far past an end: "4 bytes past"; for 0 bytes "just past". */
const char *trace_past(char text[32], size_t bytes);
/* "4 bytes past the end of 16 bytes from malloc()" */
void trace_heap_place(char *text, size_t size, const void *p);
