/*
 * split.h: kernels whose threads run from barrier to barrier: what split.c, which says how, and the
 * files that it calls offer each other.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "kernels.h"
#include "writer.h"

/* split.c */
void split_kernels(void); /* when all else in their bodies is rewritten */

/* numbers.c */
/* Has the file no class that gives `a = b`, `a < b`, `T x = y` or a scope's end another meaning? */
bool file_is_plain(void);

/* Has the kernel, whose locals have been read, nothing but numbers, pointers and arrays of them,
 * with proofs (uses.h), whatever the file has? From its parameters' `(` to the end of its body. */
bool has_numbers_alone(int parameters, int end);

/* The same in a plain file: has it no class but the file's own and those of CUDA? */
bool has_plain_classes(int parameters, int end);

/* strides.c */
bool has_stride(int loop, int last); /* should threads take turns in it? */

/* aligned.c */
/* Of the kernel whose locals have been read. */
bool keeps_alignment(int parameters, int open);

/* regions.c */
/* Of all statements; the locals that are used in one region alone are INSIDE. */
void find_regions(void);
bool stands_outside(int s);  /* does it declare a type, and do nothing? */
bool declares_shared(int s); /* static __shared__ variables */

/* vectors.c */
/* May the region be done so? What it changes in __shared__ memory a second time changes again, so
 * that must end in the error. */
bool is_vector(int region);

/* meetings.c */
void put_rooms_of_call(struct writer *w, int s); /* cpu_value_s[cpu_threads], before the loop */
void put_call(struct writer *w, int s);          /* what this thread hands in, in the loop */
void put_meeting(struct writer *w, int s);       /* meet<operation>(...), behind it */

/* parts.c */
void put_function(struct writer *w, const struct kernel *k);
