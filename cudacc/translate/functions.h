/*
 * functions.h: the functions of the text.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "declarations.h"

/* What looks like a function of a namespace, other than a kernel, or like a method of a class. */
struct function {
    int name;
    const char *scope;
    bool method;
    bool device, host, constant; /* it says __device__, __host__, constexpr */
};
extern struct function *functions;
extern int function_count;
extern bool using_directives; /* they make the functions of other namespaces visible */
void record_function(int start, int name, const char *path, bool method);
/* The first function or method of that name, or the next after `last`; NULL: none. */
const struct function *function_named(int name, bool method, const struct function *last);
bool is_function(int i, bool of_user); /* is a function called so, one of the user's? */
bool is_method(int i);
bool of_library(const char *scope); /* is the namespace one of the C++ library? */

/* The functions outside of other functions, with their bodies: of the user, or for the device; in
 * a traced build, all. */
struct body {
    int name, start, parameters, open; /* parameters: their `(`, or the body for operators */
    const char *scope;
    bool implicit; /* called without its name: a constructor, a destructor, an operator */
    bool of_class; /* defined in a class: inline without saying so */
    bool member;   /* of a class, or of a namespace that its name names */
    bool kernel;
    bool inlined; /* made so */
    bool device;  /* it says __device__ or __global__ */
    int template_header;
    int shared_count;   /* its __shared__ variables */
    const char *shared; /* shared_sizes.c: its key; NULL: it leads to no __shared__ variable */
    bool seen;
};
extern struct body *bodies;
extern int body_count;
extern int inside; /* the body that is being walked through; -1: none */
bool template_parameter(const struct body *b, int name);
int record_body(int start, int open, enum scope scope, const char *path); /* what is inside then */
/* The last token of the statement that begins at i. */
int statement_end(int i, int end);
int past_class_name(int i, int *name); /* from `struct`, attributes, too; none: `struct` itself */
int start_of(int i);                   /* the first token of a declaration, from one in it */
bool begins_statement(int i);          /* or the step of a `for` */
bool is_control(int close);            /* does the `)` end what an `if` or a loop depends on? */

/* shared_sizes.c: what a launch needs to know of a block's shared memory. It follows calls by name,
 * in this file alone. */
/* Calls that tell the runtime the sizes of __shared__ variables; NULL: not in such a function. */
const char *shared_sizes(const struct declaration *d);
/* The functions with __shared__ variables that the kernel with this body may call, as a string of
 * C with a line for each, its own first; "0": there are none. When all functions are known. */
const char *shared_functions(int body_end);
/* "k<T, N>", a template as it calls itself in its own body; NULL: there is no such name. */
const char *instance(int template_header, int name);

/* calls.c */
/* From the walk: what else than a function with a body a name may mean. */
void record_variables(int start, int end, enum scope scope);
void record_prototype(const struct declaration *d); /* of __device__ */

bool of_object(int name);           /* does the name stand for a member of an object? */
bool of_host(const struct body *b); /* is it the host's alone? */
/* Has the user written it for the device: a kernel, or a function that one may call? */
bool is_user_device_code(const struct body *b);
bool may_call(int name, const struct body *b);
/* May it be that of a variable: of a lambda or through a pointer? */
bool calls_variable(const struct body *caller, int name);
