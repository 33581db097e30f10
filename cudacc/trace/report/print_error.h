/*
 * print_error.h: how an error is said: once, in text and in CSV.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/findings.h"
#include "trace/names/lines.h"

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
