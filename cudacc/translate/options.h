/*
 * options.h: what the command line says; main.c reads it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <stdbool.h>

extern bool separate;                   /* --rdc */
extern bool tracing;                    /* --trace */
extern bool launches_as_calls;          /* --calls */
extern bool copies_are_calls;           /* --copies: of objects, even those of plain data */
extern bool vectors;                    /* --vectors */
extern const char *kernel_attribute;    /* what a kernel gets, and what calls it */
extern const char *loop_free_attribute; /* what a kernel without loops gets in a traced build */
extern const char *no_hoist_option;     /* where loads and stores must stay in their loop */
