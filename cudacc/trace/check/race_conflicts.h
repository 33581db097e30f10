/*
 * race_conflicts.h: words whose users, of several blocks, do not agree.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/check.h"

/* Keeps k beside a and b, as one of the two smallest by block; those of one block are one. */
void trace_two_smallest(union access *a, union access *b, union access k);

/* Adds a user of a word. Comes back with the second block that writes there, if it is known. */
#define UNDECIDED (~0ull)
uint64_t trace_conflict_add(uintptr_t address, union access k);
/* The users of a word are users of each of its bytes. */
void trace_conflict_copy(uintptr_t to, uintptr_t from);
/* Tells the races between the blocks of the launch, and forgets them. abandoned: only that. */
void trace_conflicts_tell(const struct trace_launch *launch, int abandoned);
