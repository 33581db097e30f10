/*
 * statements.h: a kernel's body as a tree of statements, as far down as there are cuts, barriers
 * and warp functions, and the variables that are declared there: of a kernel that is split
 * (split.c).
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "waits.h"

/* PLAIN: without a cut, for each thread. ONCE: for all threads of the block together. WARP: a call
 * of a warp function, for itself; the statement that it is part of follows. */
enum statement_kind { PLAIN, ONCE, BARRIER, WARP, BRACES, IF, FOR, WHILE, DO };
struct statement {
    enum statement_kind kind;
    int first, last;
    int open;   /* the `(` of a condition, of a `for`; of a WARP: where the statement begins */
    int inner;  /* the first one in it, or -1; of an IF the second is after `else` */
    int next;   /* after it, or -1 */
    int locals; /* declared by it: the first, how many */
    int local_count;
    int region;   /* its first statement: they run thread by thread, without a cut; -1: none */
    int parent;   /* the one around it, or -1 */
    bool own;     /* an IF or a loop: each thread goes its own way */
    bool strided; /* a loop without a cut (strides.c) */
    int way;      /* the innermost one of those around it, or -1 */
};
extern struct statement *statements;
extern int statement_count;

/* What becomes of a variable that all statements of a pair of braces can use:
 *   OUTSIDE  __shared__, constexpr: declared before the loop over the threads
 *   UNIFORM  the same for all threads: likewise, one for the block
 *   INSIDE   used between two cuts alone: stays as it is
 *   AGAIN    never changed, and found by the thread's index: computed again after each cut
 *   KEPT     else: an array, an element for each thread */
enum use { OUTSIDE, UNIFORM, INSIDE, AGAIN, KEPT };
struct local {
    int name, scope_last;      /* visible to there */
    int base, declarator, end; /* the first token of its type, of its declarator; behind that */
    int initial, initial_end;  /* behind `=`, or the bracket itself; -1: none */
    int statement;             /* -1: a parameter */
    enum use use;
    bool pointer, array, reference, plain_type, automatic, memory;
    bool modified, handed_on; /* what uses.h says of any of its uses */
};
extern struct local *locals;
extern int local_count;

/* The tree of the body between two braces, and its locals; -1: there is what cannot be split, at
 * token *because, said in *why. A loop without a cut is in the tree if it is `apart`, or NULL. */
int read_statements(int parameters, int open, bool (*apart)(int loop, int last), int *because,
                    const char **why);
int warp_call_at(int i); /* the WARP statement of the call at token i, or -1 */
/* The n-th argument of a call at token i, from *first to *last; false: there is none. */
bool argument_of(int i, int n, int *first, int *last);
extern const char number_types[];
int changes_in(int first, int last); /* `=`, `+=`, `++`: how many are there? */
bool has_barrier(int first, int last);
bool has_cut(int first, int last);   /* or a warp function */
int local_of(int i);                 /* what a name means at token i; -1: no such local */
int type_end(const struct local *l); /* where the first of all its declarators begins */
bool is_use(int i);                  /* is it a name, and of no member? */
