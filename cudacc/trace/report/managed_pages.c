/*
 * managed_pages.c: the page model of managed memory (runtime/pages.c) in a traced run: a table at
 * the end, and FILE.pages.csv beside ACCESS_REPORT=FILE.csv.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/check.h"
#include "trace/report/csv.h"
#include "trace/report/report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 40 };

struct table_row { /* allocations of one name and size */
    const char *name;
    const struct trace_allocation *first;
    struct cpu_device_pages_of sum;
    unsigned count;
};
struct pages_table {
    struct table_row row[MOST_ROWS];
    unsigned rows, left_out, allocations;
    FILE *csv;
};

static void add_row(const struct cpu_device_pages_of *p, void *data) {
    struct pages_table *t = data;
    const struct trace_allocation *a = p->observed;
    if (!a)
        return;
    const char *name = trace_allocation_name(a, "", NULL);
    const char *file = a->file ? a->file : "";
    const char *slash = strrchr(file, '/');
    if (t->csv)
        fprintf(t->csv, "\"%s\",%s:%d,%zu,%zu,%zu,%zu,%zu,%zu,%zu\n", name,
                slash ? slash + 1 : file, a->line, a->bytes, p->pages, p->by_host, p->by_device,
                p->moved.to_device, p->moved.to_host,
                p->moved.host_faults + p->moved.device_faults);
    unsigned i = 0;
    while (i < t->rows && (strcmp(t->row[i].name, name) || t->row[i].first->bytes != a->bytes))
        i++;
    if (i == MOST_ROWS) {
        t->left_out++;
        return;
    }
    struct table_row *r = &t->row[i];
    if (i == t->rows) {
        t->rows++;
        r->name = name, r->first = a;
    }
    r->count++;
    r->sum.pages += p->pages;
    r->sum.by_host += p->by_host, r->sum.by_device += p->by_device;
    r->sum.moved.to_device += p->moved.to_device, r->sum.moved.to_host += p->moved.to_host;
}

static void count_one(const struct cpu_device_pages_of *p, void *count) {
    (void)p;
    ++*(unsigned *)count;
}

void trace_pages_report(void) {
    static struct pages_table t;
    const char *path = getenv("ACCESS_REPORT"), *table = getenv("ACCESS_TABLE");
    cpu_device_pages_each(count_one, &t.allocations);
    if (!t.allocations)
        return;
    if (path && *path)
        t.csv = csv_open(path, ".pages",
                         "allocation,place,bytes,pages,touched_by_host,touched_by_device,"
                         "moved_to_device,moved_to_host,faults");
    cpu_device_pages_each(add_row, &t);
    if (t.csv)
        csv_close(t.csv, path, ".pages");
    if (table ? !strcmp(table, "0") : path && *path)
        return;
    fprintf(stderr,
            "\nmanaged memory, in pages of %zu bytes (a model: the first touch moves a page)\n",
            cpu_device.page);
    fprintf(stderr, "%-24s %9s %9s %9s %10s %10s\n", "allocation", "pages", "by host", "by device",
            "to device", "to host");
    for (unsigned i = 0; i < t.rows; i++) {
        const struct table_row *r = &t.row[i];
        char name[64];
        snprintf(name, sizeof name, r->count > 1 ? "%.40s x %u" : "%.40s", r->name, r->count);
        fprintf(stderr, "%-24s %9zu %9zu %9zu %10zu %10zu\n", name, r->sum.pages, r->sum.by_host,
                r->sum.by_device, r->sum.moved.to_device, r->sum.moved.to_host);
    }
    if (t.left_out)
        fprintf(stderr, "... and %u more\n", t.left_out);
}
