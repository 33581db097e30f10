/*
 * csv.h: the one way in which the tracer writes CSV files.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <stdio.h>

/* FILE.csv and the suffix ".pages" are FILE.pages.csv; "" is FILE.csv itself. "fd:5:FILE.csv" goes
 * to descriptor 5: name, size, newline, bytes; "sealed:5:FILE.csv" after a seal. Begins with the
 * line of columns. NULL, and a line on stderr: it cannot be written. */
FILE *csv_open(const char *path, const char *suffix, const char *columns);
void csv_text(FILE *f, const char *text); /* one field, in quotes where it takes them */
void csv_close(FILE *f, const char *path, const char *suffix); /* says so if something is missing */
