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
 * the lanes of a warp do it one after another before any of them continues; so does a printf. */
void give_steps(void);

/* copies.c */
void rewrite_copies(void);

/* tables.c */
void record_tables(const struct declaration *d); /* one, or several */
void rewrite_tables(void);

/* loop_ends.c */
void give_latches(void);
void give_entries(void);

/* loops.c */
bool mark_loop_free_kernels(void); /* true: that is all kernels */

/* hoists.c */
void record_hoisted(const struct declaration *d); /* such a variable, or several */
/* Has those kernels compiled with an option of gcc, where it is not ""; true: there are some. */
bool mark_hoisting(const char *option);

/* variables.c */
void rewrite_shared(const struct declaration *d, enum scope scope, bool in_template);
void rewrite_variable(const struct declaration *d, enum scope scope);
/* " a  b ": the __shared__ variables in scope of a function. */
extern const char *shared_names;

/* notes.c */
/* Text that makes such calls, to stand where a declaration may. */
const char *note(const char *calls, enum scope scope);
/* Kind: "shared", "dynamic", "device", "constant" or "managed". Section: where a gap is put behind
 * each, in which no variable lies; NULL: nowhere, but for shared ones. */
void note_variables(const struct declaration *d, const char *kind, const char *section,
                    enum scope scope);
void note_kernels(void); /* at the end of the text */
bool is_allocation(int i, enum scope scope);
void name_allocation(int i);
/* A statement: is it nothing but a call of CUDA, whose result is dropped? */
void note_dropped_result(int start, int end);

/* structs.c */
extern int struct_in_hand; /* the token that names it; -1: none yet */
void rewrite_struct(int start, int open);
bool any_in_pieces(void);
bool moves_in_pieces(int name); /* is it one that nvcc moves in pieces of its alignment? */
/* A class with a destructor that does something, which says nothing of copies: each copy would be
 * destroyed, too. A function that returns its local variable must give that one itself. */
bool any_must_not_be_copied(void);
