/*
 * managed_pages.c: the page model of managed memory (runtime/pages.c) in a traced run: a table at
 * the end, and FILE.pages.csv beside ACCESS_REPORT=FILE.csv.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/report/report.h"
#include <string.h>

enum { MOST_ROWS = 40 };

struct table_row { /* allocations of one name and size of which the same is counted */
    const char *name;
    const struct trace_allocation *first;
    struct cpu_device_pages_of of;
    unsigned count;
};
struct pages_table {
    struct table_row row[MOST_ROWS];
    unsigned rows, left_out, allocations;
    const char *path;
    FILE *csv; /* opened with the first allocation */
};

static int same(const struct table_row *r, const char *name, const struct trace_allocation *a,
                const struct cpu_device_pages_of *p) {
    return strcmp(r->name, name) == 0 && r->first->bytes == a->bytes &&
           r->of.by_host == p->by_host && r->of.by_device == p->by_device &&
           memcmp(&r->of.moved, &p->moved, sizeof p->moved) == 0;
}

static void add_row(const struct cpu_device_pages_of *p, void *data) {
    struct pages_table *t = data;
    const struct trace_allocation *a = p->observed;
    const struct cpu_device_pages *m = &p->moved;
    if (!t->allocations++ && t->path)
        t->csv = csv_open(t->path, ".pages",
                          "allocation,place,bytes,pages,touched_by_host,touched_by_device,"
                          "moved_to_device,moved_to_host,faults,prefetched_to_device,"
                          "prefetched_to_host,moved_before_launches,kept_by_advice");
    if (!a)
        return;
    const char *name = trace_allocation_name(a, "", NULL);
    if (t->csv)
        fprintf(t->csv, "\"%s\",%s:%d,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu\n", name,
                a->file ? trace_file_name(a->file) : "", a->line, a->bytes, p->pages, p->by_host,
                p->by_device, m->to_device, m->to_host, m->host_faults + m->device_faults,
                m->prefetched_to_device, m->prefetched_to_host, m->launched_to_device, m->advised);
    unsigned i = 0;
    while (i < t->rows && !same(&t->row[i], name, a, p))
        i++;
    if (i == MOST_ROWS) {
        t->left_out++;
        return;
    }
    struct table_row *r = &t->row[i];
    if (i == t->rows) {
        t->rows++;
        *r = (struct table_row){name, a, *p, 0};
    }
    r->count++;
}

/* Why the pages have moved. */
static void reasons(FILE *f, const struct cpu_device_pages *m) {
    const struct {
        size_t pages;
        const char *why;
    } reason[] = {
        {m->to_device - m->prefetched_to_device - m->launched_to_device, "device fault"},
        {m->prefetched_to_device, "prefetched"},
        {m->launched_to_device, "before a launch"},
        {m->to_host - m->prefetched_to_host, "host fault"},
        {m->prefetched_to_host, "prefetched back"},
        {m->advised, "kept by advice"},
    };
    const char *between = "  ";
    for (size_t i = 0; i < sizeof reason / sizeof *reason; i++) {
        if (!reason[i].pages)
            continue;
        fprintf(f, "%s%zu %s%s", between, reason[i].pages, reason[i].why,
                reason[i].pages != 1 && strstr(reason[i].why, "fault") ? "s" : "");
        between = ", ";
    }
}

int trace_pages_report(FILE *f, const char *path) {
    static struct pages_table t;
    t.path = path;
    cpu_device_pages_each(add_row, &t);
    if (t.csv)
        csv_close(t.csv, path, ".pages");
    if (!f || !t.allocations)
        return t.allocations != 0;
    int width = 6;
    for (unsigned i = 0; i < t.rows; i++)
        report_widen(&width, t.row[i].name, 40);
    fprintf(f,
            "\nManaged memory, in pages of %zu bytes (a model: the first touch moves a page)\n"
            "%-*s %20s %16s\n%-*s %5s %5s %7s %7s %7s %7s  why\n",
            cpu_device.page, width, "", "touched by", "moved to", width, "memory", "times", "pages",
            "host", "device", "device", "host");
    for (unsigned i = 0; i < t.rows; i++) {
        const struct table_row *r = &t.row[i];
        const struct cpu_device_pages_of *p = &r->of;
        fprintf(f, "%-*.*s %5u %5zu %7zu %7zu %7zu %7zu", width, width, r->name, r->count, p->pages,
                p->by_host, p->by_device, p->moved.to_device, p->moved.to_host);
        reasons(f, &p->moved);
        fprintf(f, "\n");
    }
    if (t.left_out)
        fprintf(f, "... and %u more\n", t.left_out);
    return 1;
}
