/*
 * table.h: launches and their rows, as report.c has gathered them, for the table.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/report/report.h"
#include <stdio.h>

/* Launches of one kernel that are the same in all that the report says. */
struct group {
    const struct trace_launch *launch; /* the first */
    unsigned long long launches;
    struct report_row *rows;
    size_t count;
    struct group *next;
};

void report_table(FILE *f, const struct group *groups);

/* As in the CSV: 41 in the main file, other.h:118 in another, an address when not known. */
const char *report_label(const struct report_row *row, char *text, size_t size);
extern const char *const report_op_names[]; /* by enum trace_op */
