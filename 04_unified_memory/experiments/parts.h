// SPDX-License-Identifier: MIT
// The parts of a case that have a row in unified_memory, and, where no time is taken, the pages
// that move in each: show_pages prints them.
#ifndef PARTS_H
#define PARTS_H

#include "cases.h"
#include "page_counters.h"

// The rows: a case's time from one of its events to another, or of all its adds, or of the host;
// and how many arrays of n floats are read and written in it.
enum { AVERAGE = -4, FASTEST, SLOWEST, CALLS };
static const struct {
    int number;
    const char *parameter;
    int from, to;
    size_t arrays;
} rows[] = {
    {HOST_INIT, "add", 1, 2, 3},
    {DEVICE_INIT, "init x and y", 0, 1, 2},
    {DEVICE_INIT, "add", 1, 2, 3},
    {MANY, "first", 1, 2, 3},
    {MANY, "average", AVERAGE, 0, 3},
    {MANY, "fastest", FASTEST, 0, 3},
    {MANY, "slowest", SLOWEST, 0, 3},
    {PREFETCH, "prefetch x and y", 0, 1, 2},
    {PREFETCH, "host in its calls", CALLS, 0, 0},
    {PREFETCH, "add", 1, 2, 3},
    {PREFETCH, "prefetch and add", 0, 2, 0},
    {TO_DEVICE, "add", 1, 2, 3},
    {TO_HOST, "add", 1, 2, 3},
    {REREAD, "second add", 2, 3, 3},
    {MOSTLY, "second add", 2, 3, 3},
    {COPY, "copy x and y in", 0, 1, 2},
    {COPY, "add", 1, 2, 3},
    {COPY, "copies and add", 0, 2, 0},
    {COPY, "copy y out", 2, 3, 1},
};
enum { SHOWN = (int)(sizeof rows / sizeof rows[0]), SHOWN_CASES = COPY + 1 };

static inline int row_at(int number, const char *parameter) {
    int i = 0;
    while (rows[i].number != number || strcmp(rows[i].parameter, parameter) != 0)
        i++;
    return i;
}

// ---- Count: the CPU device ----------------------------------------------------------------------
static int counted_row; // from one of its events to the other
static struct counters counters;

static inline void count_between(int event) {
    const int number = rows[counted_row].number, others = rows[counted_row].from < 0;
    CUDA_CHECK(cudaDeviceSynchronize());
    if (event == (others ? 2 : rows[counted_row].from)) // all adds but the first
        counters_start();
    if (event == (others ? cases[number].adds + 1 : rows[counted_row].to))
        counters = counters_stop();
}

// What a row's part of its case moves: pages to the device by the model, or arrays that are copied.
static inline struct row count_row(struct bench *b, int i) {
    static const size_t copied[] = {2, 0, 1}; // from event 0 on x and y, from 2 on y
    const int number = rows[i].number;
    struct row row = row_of(cases[number].name);
    row.parameter = rows[i].from < 0 ? "adds 2 to 100" : rows[i].parameter;
    if (is_skipped(number)) {
        row.flag = "skipped";
        return row;
    }
    counted_row = i;
    b->passed = count_between;
    counters_start(); // for pages that are allocated from here on
    row.check = run_case(b, number) ? "FAIL" : "ok";
    row.value = (double)counters.traffic[TO_THE_DEVICE].count;
    row.bytes = cases[number].memory == DEVICE ? copied[rows[i].from] * b->n * sizeof(float)
                                               : counters.traffic[TO_THE_DEVICE].bytes;
    return row;
}

static inline void show_pages(struct bench *b) {
    double pages[SHOWN];
    say("Value: the pages that move to the device in this part of a case; bytes: theirs, or those\n"
        "that are copied.");
    for (int i = 0; i < SHOWN; i++) {
        if (rows[i].from == CALLS || rows[i].from == FASTEST || rows[i].from == SLOWEST)
            continue; // times alone
        struct row row = count_row(b, i);
        pages[i] = row.value;
        print_row(&row);
    }
    finding("first_add_pages", pages[row_at(MANY, "first")],
            "Of %d runs the first add waits for %.0f pages, all the others for %.0f.", RUNS,
            pages[row_at(MANY, "first")], pages[row_at(MANY, "average")]);
    if (!is_skipped(PREFETCH))
        finding("prefetched_add_pages", pages[row_at(PREFETCH, "add")],
                "After a prefetch the add waits for %.0f.", pages[row_at(PREFETCH, "add")]);
}

#endif
