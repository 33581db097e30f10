/*
 * uses.h: what the text of a kernel does with a variable, of one that is split (split.c).
 *
 * Tokens decide what the text is, types decide what it means: `v << x` reads x, unless v is an
 * object whose operator takes a reference. No file with such classes gets here with more than
 * numbers (numbers.c); that a name is one is a proof, for the C++ compiler.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "statements.h"

/* READS: its value, and nothing else. CHANGES: a statement gives it another one. HANDS_ON: else;
 * there may be a reference to it from there on, or its address may be known. */
enum what { READS, CHANGES, HANDS_ON };
enum what use_of(int i);                /* of the local at token i */
bool is_handed_on(int first, int last); /* of another variable, a number */

/* What has to be true of types, " && ...", where the kernel begins; else it is not split. */
extern const char *proofs;
void prove(const char *claim);
void begin_uses(int template_header, int open); /* of a kernel */
bool is_declared_within(int type);              /* does the kernel itself declare it? */
bool is_binary(int i); /* is the `*` or `&` an operator between two values, for certain? */
bool is_template_type(int i);
bool is_scalar(const struct local *l); /* a number or a pointer, if its type's name means one */

extern const char number_words[];      /* types that no program can define */
bool is_literal(int i);                /* a number, and none by an operator of the user's */
bool is_number_word(int i);            /* bool, unsigned, float ...; or const */
bool is_plain(const struct local *l);  /* of number types alone, or a pointer; no proof is needed */
bool assigns(int i);                   /* behind a name: `=`, `+=`, `++` */
bool is_member_chain(int i, int *end); /* a.b.c, from its `a`; none of them static */
bool is_declared(int name, const char *words);
bool is_our(int i); /* min or max: is it the one of the CPU device, for all that is declared? */
bool built_ins_are_ours(void); /* does threadIdx mean that, wherever it stands? */
