/*
 * messages.h: errors of the user, as compilers write them: file:line:column, the line, a caret.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "tokens.h"

extern bool colored;
extern int errors; /* reported so far */
__attribute__((format(printf, 2, 3))) void report(int i, const char *f, ...);
__attribute__((format(printf, 2, 3))) void warn(int i, const char *f, ...);
__attribute__((format(printf, 2, 3))) void remark(int i, const char *f, ...); /* on an error */
_Noreturn void fail(int i, const char *message);

/* columns.c */
void find_columns(void); /* of all tokens of the user, from the files that the markers name */
/* The text as if it stood where token i does. */
const char *placed(int i, const char *s);
/* The user's line that token i stands in, without its end; NULL: there is no such file. */
const char *source_line(int i, size_t *length);
