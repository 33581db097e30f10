/*
 * report.h: what the parts of this room offer to each other.  Here is all that the tracer says: the
 * counts as CSV and table, the findings, the pages.  The room calls count/, check/, record/ and
 * what lies below them; only the program's start and end, and tracer.c's tables, call it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/findings.h"
#include "trace/names/lines.h"
#include "trace/trace.h"
#include <stdio.h>

/* ---- print_error.c: how an error is said: once, in text and in CSV ---- */

enum { TEXT = 1000 }; /* characters of a sentence */
__attribute__((format(printf, 2, 3))) void text_add(char text[TEXT], const char *format, ...);

int same_line(struct trace_source a, struct trace_source b);
extern pthread_mutex_t report_saying; /* guards what has been said, while launches run */
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

/* ---- sentences.c: see struct trace_reporter ---- */
void report_findings(const struct trace_launch *l);
void report_on_host(enum error_kind kind, const struct site *s, uintptr_t address,
                    const char *remark);

/* ---- wrong_calls.c: what calls of the program did wrong; see struct observer ---- */
/* Where the program itself has called the runtime, or a library; NULL: not known. In two steps: the
 * calls under way, of which so many fit; later, which of them it was. */
const void *trace_caller(void);
int trace_calls(void **frames, int room);
const void *trace_caller_among(void *const *frames, int count);
/* It fails: the `bytes` at p, its "source", "destination" or "memory", are in no one allocation. */
void trace_call_outside(const char *what, const void *p, size_t bytes);
int trace_host_fits(const char *what, const void *p, size_t bytes);
void trace_call_wrong(const char *why); /* for another reason */
/* A copy, other than kind says, to or from memory of the host. */
void trace_call_direction(enum cudaMemcpyKind kind, const void *host_to, const void *host_from);
/* If p leads to a variable whose address only the device knows. */
void trace_call_variable(const char *what, const void *p);
/* A launch was given the address of a variable that only the device knows. */
void trace_argument_variable(unsigned argument, const struct trace_allocation *a);
/* A copy has read device memory. */
void trace_memory_read(struct api_call call, const void *to, const void *from, size_t bytes);
/* A launch fails; most_threads: by its __launch_bounds__. The program asks for the last error. */
void trace_launch_refused(const struct cpu_device_launch *launch,
                          const struct launch_limits *limits);
/* An error has ended an earlier kernel: this one does not run. */
void trace_launch_lost(const struct cpu_device_launch *launch);
void trace_error_asked(void);
void trace_free_failed(const void *p); /* the call was given a wrong pointer */

/* What a copy reads and writes overlaps. */
void trace_call_overlaps(const void *to, const void *from, size_t bytes);

/* Of what kernels have printed so much is not shown; room: of the buffer, 0: the program ends. */
void trace_print_lost(size_t bytes, size_t room, const void *pc);

/* ---- brief.c: what happens in which order ---- */
void trace_order_queued(void); /* a kernel */
void trace_order_ended(const char *kernel);
void trace_order_put(void);     /* the call of this thread has put something into a stream */
void trace_order_returns(void); /* it returns */

/* ---- At the program's end ---- */
void report_calls(int look_for_leaks);
void report_unordered(void); /* unordered.c: work in several streams, and the host's */
void trace_report(void);     /* report.c: the accesses, and these two: */
/* managed_pages.c: managed memory, as a table to f and as files beside path; NULL: without it. Was
 * there any? */
int trace_pages_report(FILE *f, const char *path);

/* The access sites of a launch that share line, allocation, operation and width, added up. */
struct report_row {
    struct trace_source source;
    const char *name; /* of the allocation or variable */
    struct trace_row sum;
};

/* ---- The accesses, as report.c has gathered them: table.c, brief.c ---- */

/* Launches of one kernel that are the same in all that the report says. */
struct group {
    const struct trace_launch *launch; /* the first */
    unsigned long long launches;
    struct report_row *rows;
    size_t count;
    struct group *next;
};

/* advice.c: one sentence on what could be better, in text; "" when nothing could. From the counts
 * alone: of the row, and of the group's rows, which it is one of. */
void trace_advice(const struct report_row *row, const struct group *g, char text[TEXT]);

void report_table(FILE *f, const struct group *groups);

/* brief.c: the same in a row for each group; the order of calls and kernels, beside path, too. */
void report_brief(FILE *f, const struct group *groups, const char *path);

/* Adds what all accesses of global memory come to, by enum trace_op, so many times: their requests,
 * sectors and useful bytes. */
void report_add_totals(struct trace_tally *total, const struct group *g, unsigned long long times);
/* Of the bytes that were moved those that threads requested. */
void report_useful(const struct trace_tally *t, char *text, size_t size);
const char *report_clipped(const char *s, int columns, char *text,
                           size_t size);                     /* `..` at the end */
void report_widen(int *columns, const char *text, int most); /* until it fits, or has as many */
const char *report_source_text(const struct trace_source *s, char *text, size_t size);

/* As in the CSV: 41 in the main file, other.h:118 in another, an address when not known. */
const char *report_label(const struct report_row *row, char *text, size_t size);
extern const char *const report_op_names[]; /* by enum trace_op */
