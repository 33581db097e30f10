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

/* brief.c: the same in a row for each group; the order of calls and kernels, beside path, too. */
void report_brief(FILE *f, const struct group *groups, const char *path);

struct total {
    uint64_t requests, sectors, useful;
};
/* Adds what all accesses of global memory come to, by enum trace_op, so many times. */
void report_add_totals(struct total *total, const struct group *g, unsigned long long times);
void report_percent(uint64_t part, uint64_t whole, char *text, size_t size);
const char *report_clipped(const char *s, int columns, char *text,
                           size_t size);                     /* `..` at the end */
void report_widen(int *columns, const char *text, int most); /* until it fits, or has as many */
const char *report_source_text(const struct trace_source *s, char *text, size_t size);

/* As in the CSV: 41 in the main file, other.h:118 in another, an address when not known. */
const char *report_label(const struct report_row *row, char *text, size_t size);
extern const char *const report_op_names[]; /* by enum trace_op */
