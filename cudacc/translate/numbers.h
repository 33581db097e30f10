/*
 * numbers.h: where the text of a kernel means what it seems to mean.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef NUMBERS_H
#define NUMBERS_H

/* Has the file no class that gives `a = b`, `a < b`, `T x = y` or a scope's end another meaning? */
bool file_is_plain(void);

/* Has the kernel, whose locals have been read, nothing but numbers, pointers and arrays of them,
 * with proofs (uses.h), whatever the file has? From its parameters' `(` to the end of its body. */
bool has_numbers_alone(int parameters, int end);

/* The same in a plain file: has it no class but the file's own and those of CUDA? */
bool has_plain_classes(int parameters, int end);
#endif
