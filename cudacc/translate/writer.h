/*
 * writer.h: the text of a split kernel (split.c), piece by piece: its own tokens, and the variables
 * of which each thread has one. Names that begin with cpu_ are the translator's.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <stdio.h>
#include "statements.h"

struct writer {
    FILE *out;
    bool returns;        /* some thread may return before the others */
    bool index_is_kept;  /* &threadIdx may be kept over a cut: it has a place for each thread */
    bool may_be_vectors; /* put_loop() may write two loops (vectors.c) */
    int begin_after;     /* the token behind which the kernel asks whether to run in parts */
    int statement;       /* whose tokens they are, in a loop over threads; -1: none */
    int way, arm;        /* where the statements in hand stand: of a statement that is `own`; -1 */
};

/* Tokens, with what replaces them. In a loop over threads `return`, `break` and `continue` leave
 * for the next thread, and a warp function is what it gave this one. */
void put(struct writer *w, int first, int last);
void put_types_of(struct writer *w, int call);            /* _meet<operation, type>( */
void put_line(struct writer *w, int i, const char *flag); /* # line "file" flag, of token i */

/* Of a variable, the k-th of `locals`: */
bool names_class(const struct local *l);  /* the name of a struct? */
bool is_converted(const struct local *l); /* `T v = ...;`, of a type that may convert */
bool is_ambiguous(const struct local *l); /* `T *v(x);` declares v only if T is a type */
void put_base(struct writer *w, const struct local *l);
void put_type(struct writer *w, const struct local *l);
void put_declaration(struct writer *w, const struct local *l);
void put_room(struct writer *w, int k);      /* kept<cpu_type_k> cpu_room_k[cpu_threads] */
void put_reference(struct writer *w, int k); /* cpu_type_k &name = cpu_kept_k[cpu_t].it; */
void put_kept(struct writer *w, int k);      /* new (&cpu_kept_k[cpu_t]) cpu_type_k(initial); */
