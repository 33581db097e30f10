/*
 * print_error.h: how an error is said: once, in text and in CSV.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/findings.h"
#include "trace/names/lines.h"
#include <stdio.h>

enum { TEXT = 1000 }; /* characters of a sentence */
__attribute__((format(printf, 2, 3))) void text_add(char text[TEXT], const char *format, ...);

int same_line(struct trace_source a, struct trace_source b);
/* Has it been said of that kernel ("": the host), these lines, in either order, and the memory of
 * that name? From now on it has. */
int printed_before(enum error_kind kind, const char *kernel, struct trace_source a,
                   struct trace_source b, const char *name);
/* In Chinese where the learner wants that; 0: not, for want of perl. */
int printed_in_chinese(const char *text, int descriptor);
/* Lines, on stderr: as they are, or on a terminal broken between words where they do not fit. */
void print_lines(const char *text);
int report_is_brief(void); /* ACCESS_TABLE=brief: nothing is said of no errors */
__attribute__((format(printf, 1, 2))) void print_line(const char *format, ...);
/* Counts it, and says it unless there have been many of its kind; `more` are whole lines, or "". */
void print_error(enum error_kind kind, const char *kernel, const char *first, const char *more);
void print_error_csv(enum error_kind kind, const char *kernel, const char *block,
                     const char *thread, const char *file, int line, const char *allocation,
                     const char *detail);
/* Outside of kernels: all of it, for each line once. pc: of the program. */
int host_error_printed(const void *pc); /* by print_host_error, last, on this thread */
__attribute__((format(printf, 4, 5))) void print_host_error(enum error_kind kind, const void *pc,
                                                            const char *allocation,
                                                            const char *format, ...);
unsigned long errors_printed(void); /* at the end: how many errors there were */

/* ---- places.c: where something is, in words ------------------------------------------------ */

/* x, y, z of a linear index, as "(1,2,3)" or as "1x2x3". */
const char *place_in_grid(char text[64], unsigned long long i, const unsigned size[3], int for_csv);
/* "load of 4 bytes at x.cu:5" */
void add_access(char text[TEXT], const struct site *s, const void *pc);
/* ", allocated at file.cu:12" */
const char *place_of_allocation(char text[300], const struct trace_allocation *a);
/* Of an address outside of the array that it is near; 0: it is not. */
long index_of_address(const struct trace_launch *l, uintptr_t address);
/* "4 bytes past the end of d_a, 400 bytes, allocated at file.cu:12"; and what that is called. */
void place_of_address(char *text, size_t size, const struct trace_launch *l, uintptr_t address,
                      const char **name);
void place_in_shared(char *text, size_t size, const struct finding *f, const char **name);

/* ---- csv.c: the one way in which the tracer writes CSV files ------------------------------- */

/* FILE.csv and the suffix ".pages" are FILE.pages.csv; "" is FILE.csv itself. "fd:5:FILE.csv" goes
 * to descriptor 5: name, size, newline, bytes; "sealed:5:FILE.csv" after a seal. Begins with the
 * line of columns. NULL, and a line on stderr: it cannot be written. */
FILE *csv_open(const char *path, const char *suffix, const char *columns);
void csv_text(FILE *f, const char *text); /* one field, in quotes where it takes them */
void csv_close(FILE *f, const char *path, const char *suffix); /* says so if something is missing */
