/*
 * declarations.h: what a declaration says, as far as the translator must know it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "tokens.h"

enum scope { NAMESPACE, CLASS, BLOCK };

enum word { GLOBAL, DEVICE, SHARED, CONSTANT, MANAGED, STATIC, EXTERN, INLINE, FRIEND, WORDS };

extern const char attributes[]; /* words that take an argument in parentheses, no functions */

struct declaration {
    int start;
    int at[WORDS];       /* the token of each word; -1: absent */
    int template_header; /* the `<` after the first `template`; -1: no template */
    bool specialization; /* template <> */
    int bounds;          /* the `(` of __launch_bounds__; -1: none */
    int name;            /* token of the declared name, without qualification */
    int end;             /* the token after the first declarator's name */
    bool function, constant, qualified, linkage, type_first, class_key;
};

struct declaration parse_declaration(int start);
int body_of(const struct declaration *d); /* the `{` of a function's body; -1: none */
int head_end(int i);        /* the `{` or `;` behind a function's parameters, after token i */
int template_end(int i);    /* of `template <...> requires ...`; of an instantiation, i itself */
int past_constraint(int i); /* behind `requires ...`, which begins at token i */

/* Of each name that it declares: the `,` or `;` behind that, and the next name; -1: none. */
int declarator_end(const struct declaration *d, int name);
int next_name(int end);
void add_declared(struct names *n, const struct declaration *d); /* all that it declares */
/* Is the name at token i being declared, for all one can tell? Before it stands a type. */
bool is_declarator(int i);

/* One parameter: what is before `=` or the comma, and the name; -1: none. */
struct parameter {
    int first, end, name;
    bool pointer, has_default;
};
struct parameter read_parameter(int first, int close, int *comma);
struct parameters {
    const char *types; /* without default arguments and outer const */
    const char *names; /* with commas between */
    bool defaults;
};
struct parameters parse_parameters(int open);
int count_items(int open, int close); /* separated by commas; -1 when one is a pack */
