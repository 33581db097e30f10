/*
 * kernels.h: __global__ functions, and their entries in the program's list of kernels.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "declarations.h"

struct kernel {
    int start, name, open; /* open: the `(` of its parameters; -1: not of a namespace */
    const char *scope;     /* its namespace */
    struct parameters parameters;
    int template_parameters; /* 0: no template, -1: it has a pack */
    int template_header;     /* -1: none */
    const char *max_threads;
    int body_end;       /* the `}` of a definition; -1: a declaration */
    bool called;        /* it has a function for launches (launches.c) */
    bool split;         /* it runs from barrier to barrier (split.c) */
    const char *shared; /* functions with __shared__ variables (shared_sizes.c), once known */
};
extern struct kernel *kernels;
extern int kernel_count;

void record_kernel(const struct declaration *d, enum scope scope, const char *path);
void rewrite_kernels(void);
/* Does the kernel's name mean something else too, in its namespace or `anywhere`? */
bool ambiguous(const struct kernel *a, bool anywhere);
bool specialized(int name); /* is there a template <> of that name? */
