/*
 * columns.h: where the user's tokens stand in their lines.  The preprocessor keeps a token's line,
 * not its column; with the column the compiler's messages point at the place that the user wrote.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "tokens.h"

void find_columns(void); /* of all tokens of the user, from the files that the markers name */
/* The text as if it stood where token i does. */
const char *placed(int i, const char *s);
/* The user's line that token i stands in, without its end; NULL: there is no such file. */
const char *source_line(int i, size_t *length);
