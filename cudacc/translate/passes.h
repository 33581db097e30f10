/*
 * passes.h: what main.c has done to the text, one after the other; each file says why.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "declarations.h"

/* merge.c */
/* The tokens are those of both texts, the second from its first byte `device` on. */
void write_merged(FILE *out, size_t device);

/* scopes.c */
void rewrite_scopes(void);

/* launches.c */
void record_launch(int open, enum scope scope); /* the first `<` of `<<<` */
void rewrite_launches(void);                    /* when all kernels are known */

/* refusals.c */
void refuse_calls(void); /* when all functions are known */

/* steps.c */
/* A function with __device__ or __global__, and a variable outside of functions. */
void record_stepping(const struct declaration *d);
void record_volatile_type(int start, int end); /* if that is what is declared there */
/* Each use of a volatile array or pointer in them goes through cpu_device::in_step(), which lets
 * the lanes of a warp do it one after another before any of them continues (or in_shared_step(), in
 * shared memory alone); so does a printf. */
void give_steps(void);

/* copies.c */
void rewrite_copies(void);

/* tables.c */
void record_tables(const struct declaration *d); /* one, or several */
void rewrite_tables(void);

/* latches.c */
void give_latches(void);
void give_entries(void);

/* loops.c */
bool mark_loop_free_kernels(void); /* true: that is all kernels */

/* stores.c */
void record_stored(const struct declaration *d); /* such a variable, or several */
/* Has those kernels compiled with an option of gcc, where it is not ""; true: there are some. */
bool mark_conditional_stores(const char *option);
