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
