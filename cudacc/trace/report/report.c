/*
 * report.c: the accesses of each launch, by source line and allocation; as CSV, and handed on to
 * the table (table.c, brief.c). cudacc/README.md, "As data", has the files and ACCESS_TABLE.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/count/count.h"
#include "trace/report/report.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct report {
    struct group *groups, *recent; /* the last one found: launches often repeat */
    const void **pcs;
    size_t pc_count;
};

/* ---- Rows -------------------------------------------------------------------------------- */

static const char *name_of(const struct trace_row *r, const struct trace_launch *l) {
    if (r->space == TRACE_SHARED && r->variable)
        return r->variable->bytes ? r->variable->name : trace_dynamic_name(l->kernel);
    if (r->space == TRACE_GLOBAL && r->allocation)
        return trace_allocation_name(r->allocation, l->kernel, l->arguments);
    return "?";
}

/* By space, line, operation, name, width: what is equal in all of them is one row. */
static int by_place(const void *a, const void *b) {
    const struct report_row *x = a, *y = b;
    return trace_compare(x->sum.space, y->sum.space)
               ?: trace_compare(!x->source.main, !y->source.main)
               ?: strcmp(x->source.file, y->source.file)
               ?: strcmp(x->source.path, y->source.path)
               ?: trace_compare((unsigned)x->source.line, (unsigned)y->source.line)
               ?: (x->source.line ? 0 : trace_compare((uintptr_t)x->sum.pc, (uintptr_t)y->sum.pc))
               ?: trace_compare(x->sum.op, y->sum.op)
               ?: strcmp(x->name, y->name)
               ?: trace_compare(x->sum.bytes, y->sum.bytes);
}

static struct report_row *rows_of(const struct trace_launch *l, size_t *count) {
    size_t n = 0, kept = 0;
    for (const struct trace_row *r = l->rows; r; r = r->next)
        n++;
    struct report_row *rows = trace_must(malloc((n + 1) * sizeof *rows)), *row = rows;
    for (const struct trace_row *r = l->rows; r; r = r->next) {
        if (r->space == TRACE_SHARED && !r->variable)
            continue; /* an error, which has been reported, or a guard of the compiler */
        row->source = trace_source_find(r->pc);
        row->name = name_of(r, l);
        row++->sum = *r;
    }
    n = (size_t)(row - rows);
    qsort(rows, n, sizeof *rows, by_place);
    for (size_t i = 0; i < n; i++) {
        if (kept && by_place(&rows[kept - 1], &rows[i]) == 0)
            trace_row_add(&rows[kept - 1].sum, &rows[i].sum);
        else
            rows[kept++] = rows[i];
    }
    *count = kept;
    return rows;
}

/* ---- CSV --------------------------------------------------------------------------------- */

static void csv_launch(FILE *f, const struct trace_launch *l, unsigned number) {
    fprintf(f, "%u,", number);
    csv_text(f, l->kernel);
    fprintf(f, ",%ux%ux%u,%ux%ux%u,", l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
            l->block[2]);
}

static void csv_row(FILE *f, const struct trace_launch *l, unsigned number,
                    const struct report_row *row) {
    const struct trace_row *r = &row->sum;
    char text[300];
    csv_launch(f, l, number);
    csv_text(f, report_label(row, text, sizeof text));
    putc(',', f);
    csv_text(f, row->name);
    fprintf(f, ",%s,%u,%llu,%llu,", report_op_names[r->op], r->bytes, r->all.requests,
            r->all.sectors);
    if (r->space == TRACE_SHARED)
        fprintf(f, "%llu\n", r->all.sectors - r->all.ideal);
    else
        fprintf(f, "%llu,%llu\n", r->all.useful_bytes, r->all.sectors * SECTOR);
}

enum { CSV_GLOBAL, CSV_SHARED, CSV_LAUNCHES, CSV_FILES };
static const char *const suffix[] = {"", ".shared", ".launches"}; /* FILE.shared.csv */
static const char *const columns[] = {
    ("launch,kernel,grid,block,line,allocation,op,bytes_per_thread,requests,sectors,"
     "useful_bytes,moved_bytes"),
    "launch,kernel,grid,block,line,variable,op,bytes_per_thread,requests,wavefronts,conflicts",
    "launch,kernel,grid,block,blocks_traced"};
static FILE *csv[CSV_FILES]; /* or NULL */

/* ---- Launches ---------------------------------------------------------------------------- */

static int same_rows(const struct report_row *a, const struct report_row *b, size_t count) {
    const size_t shown = offsetof(struct trace_tally, full); /* bytes from its beginning */
    for (size_t i = 0; i < count; i++)
        if (by_place(&a[i], &b[i]) || memcmp(&a[i].sum.all, &b[i].sum.all, shown))
            return 0;
    return 1;
}

static int same_launch(const struct group *g, const struct trace_launch *l,
                       const struct report_row *rows, size_t count) {
    const struct trace_launch *f = g->launch;
    return g->count == count && strcmp(f->kernel, l->kernel) == 0 &&
           memcmp(f->grid, l->grid, sizeof l->grid) == 0 &&
           memcmp(f->block, l->block, sizeof l->block) == 0 &&
           f->traced_blocks == l->traced_blocks && same_rows(g->rows, rows, count);
}

static void note_pcs(const struct trace_launch *l, unsigned first, unsigned times, void *data) {
    (void)first, (void)times;
    struct report *report = data;
    for (const struct trace_row *r = l->rows; r; r = r->next)
        if (!report->pc_count || report->pcs[report->pc_count - 1] != r->pc)
            TRACE_ADD(report->pcs, report->pc_count, r->pc);
}

static void note_launch(const struct trace_launch *l, unsigned first, unsigned times, void *data) {
    struct report *report = data;
    size_t count;
    struct report_row *rows = rows_of(l, &count);
    for (unsigned n = first; csv[CSV_LAUNCHES] && n < first + times; n++) {
        csv_launch(csv[CSV_LAUNCHES], l, n);
        fprintf(csv[CSV_LAUNCHES], "%llu\n", l->traced_blocks);
        for (size_t i = 0; i < count; i++)
            csv_row(csv[rows[i].sum.space == TRACE_SHARED ? CSV_SHARED : CSV_GLOBAL], l, n,
                    &rows[i]);
    }
    struct group *g = report->recent, **place = &g;
    if (!g || !same_launch(g, l, rows, count))
        place = LIST_PLACE(report->groups, i, same_launch(i, l, rows, count));
    if (*place) {
        free(rows);
    } else {
        *place = trace_must(malloc(sizeof **place));
        **place = (struct group){l, 0, rows, count, NULL};
    }
    report->recent = *place;
    report->recent->launches += times;
}

/* A file must not be given the number of a closed stdin, stdout or stderr. */
static void open_standard_files(void) {
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i ? O_WRONLY : O_RDONLY) < 0)
            return;
}

void trace_report(void) {
    static struct report report; /* what it points to stays until the end, seconds away */
    const char *path = getenv("ACCESS_REPORT"), *wanted = getenv("ACCESS_TABLE");
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = NULL;
    fflush(stdout);
    open_standard_files();
    if (path && !*path)
        path = NULL;
    for (int i = 0; path && i < CSV_FILES; i++)
        if (!(csv[i] = csv_open(path, suffix[i], columns[i])))
            break; /* one line is enough */
    trace_launches_each(note_pcs, &report);
    trace_sources_look_up(report.pcs, report.pc_count);
    trace_launches_each(note_launch, &report);
    for (int i = 0; i < CSV_FILES && csv[i]; i++)
        csv_close(csv[i], path, suffix[i]);
    if (wanted && *wanted ? strcmp(wanted, "0") != 0 : !path)
        f = open_memstream(&text, &bytes);
    if (f && report_is_brief()) {
        report_brief(f, report.groups, path);
    } else {
        if (f)
            report_table(f, report.groups);
        trace_pages_report(f, path);
    }
    if (!f)
        return;
    fclose(f);
    fflush(stdout);
    if (!report_is_brief())
        print_lines(text);
    else if (!printed_in_chinese(text, STDOUT_FILENO) &&
             (fputs(text, stdout) < 0 || fflush(stdout)))
        fprintf(stderr, "access report: cannot write it: %s\n", strerror(errno));
    free(text);
}
