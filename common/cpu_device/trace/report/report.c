/*
 * trace_report.c: the report at the program's end: a table on stderr, or CSV files.
 *
 *   ACCESS_REPORT=FILE.csv   one row for each launch and access site; shared memory in
 *                            FILE.shared.csv, one row for each launch in FILE.launches.csv
 *   ACCESS_TABLE=1, 0        with the table, without it; default: only without ACCESS_REPORT
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/runtime.h"
#include "trace/report/report.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    COLUMNS = 100,
    NAME_COLUMNS = 24,
    LABEL_COLUMNS = 20,
    GROUPS_OF_KERNEL = 4, /* different launches of one kernel that the table shows */
    GROUPS = 40           /* and of all kernels */
};

/* Launches of one kernel that are the same in all that the report says. */
struct group {
    const struct trace_launch *launch; /* the first */
    unsigned long long launches;
    struct report_row *rows;
    size_t count;
    struct group *next;
};

struct report {
    struct group *groups, **end;
    struct group *recent; /* the last one found: launches often repeat */
    size_t launches;
    FILE *csv[3]; /* or NULL */
    const void **pcs;
    size_t pc_count, pc_room;
};

static void *must(void *p) {
    if (!p) {
        fprintf(stderr, "CPU device: out of memory for the access report\n");
        _exit(1);
    }
    return p;
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const char *name_of(const struct trace_row *r, const struct trace_launch *l) {
    if (r->space == TRACE_SHARED && r->variable)
        return r->variable->bytes ? r->variable->name : trace_dynamic_name(l->kernel);
    if (r->space == TRACE_GLOBAL && r->allocation)
        return trace_allocation_name(r->allocation, l->kernel, l->arguments);
    return "?";
}

static int compare(unsigned long long a, unsigned long long b) { return (a > b) - (a < b); }

/* By space, line, operation, name, width: what is equal in all of them is one row. */
static int by_place(const void *a, const void *b) {
    const struct report_row *x = a, *y = b;
    int order = compare(x->sum.space, y->sum.space);
    if (!order)
        order = compare(!x->source.main, !y->source.main);
    if (!order)
        order = strcmp(x->source.file, y->source.file);
    if (!order)
        order = strcmp(x->source.path, y->source.path);
    if (!order)
        order = compare((unsigned)x->source.line, (unsigned)y->source.line);
    if (!order && !x->source.line)
        order = compare((uintptr_t)x->sum.pc, (uintptr_t)y->sum.pc);
    if (!order)
        order = compare(x->sum.op, y->sum.op);
    if (!order)
        order = strcmp(x->name, y->name);
    return order ? order : compare(x->sum.bytes, y->sum.bytes);
}

static void add_up(struct trace_row *sum, const struct trace_row *r) {
    if (r->strided) {
        sum->stride_varies |= r->stride_varies || (sum->strided && sum->stride != r->stride);
        if (!sum->strided)
            sum->stride = r->stride;
    }
    sum->requests += r->requests;
    sum->sectors += r->sectors;
    sum->useful_bytes += r->useful_bytes;
    sum->ideal += r->ideal;
    sum->full += r->full;
    sum->misaligned += r->misaligned;
    sum->strided += r->strided;
    sum->same += r->same;
    if (r->worst > sum->worst)
        sum->worst = r->worst;
}

static struct report_row *rows_of(const struct trace_launch *l, size_t *count) {
    size_t n = 0, kept = 0;
    for (const struct trace_row *r = l->rows; r; r = r->next)
        n++;
    struct report_row *rows = must(malloc((n + 1) * sizeof *rows)), *row = rows;
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
            add_up(&rows[kept - 1].sum, &rows[i].sum);
        else
            rows[kept++] = rows[i];
    }
    *count = kept;
    return rows;
}

/* As in the CSV: 41 in the main file, verify.h:118 in another, an address when not known. */
static const char *label(const struct report_row *row, char *text, size_t size) {
    if (!row->source.line)
        snprintf(text, size, "pc %#zx", trace_pc_in_file(row->sum.pc));
    else if (row->source.main)
        snprintf(text, size, "%d", row->source.line);
    else
        snprintf(text, size, "%s:%d", row->source.file, row->source.line);
    return text;
}

static const char *const op_names[] = {"ld", "st", "atomic"};

/* ---- CSV --------------------------------------------------------------------------------- */

static void csv_text(FILE *f, const char *s) {
    if (!strpbrk(s, ",\"\n")) {
        fputs(s, f);
        return;
    }
    putc('"', f);
    for (; *s; s++) {
        if (*s == '"')
            putc('"', f);
        putc(*s, f);
    }
    putc('"', f);
}

static void csv_launch(FILE *f, const struct trace_launch *l) {
    fprintf(f, "%u,", l->number);
    csv_text(f, l->kernel);
    fprintf(f, ",%ux%ux%u,%ux%ux%u,", l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
            l->block[2]);
}

static void csv_row(FILE *f, const struct trace_launch *l, const struct report_row *row) {
    const struct trace_row *r = &row->sum;
    char text[300];
    csv_launch(f, l);
    csv_text(f, label(row, text, sizeof text));
    putc(',', f);
    csv_text(f, row->name);
    fprintf(f, ",%s,%u,%llu,%llu,", op_names[r->op], r->bytes, (unsigned long long)r->requests,
            (unsigned long long)r->sectors);
    if (r->space == TRACE_SHARED)
        fprintf(f, "%llu\n", (unsigned long long)(r->sectors - r->ideal));
    else
        fprintf(f, "%llu,%llu\n", (unsigned long long)r->useful_bytes,
                (unsigned long long)r->sectors * 32);
}

enum { CSV_GLOBAL, CSV_SHARED, CSV_LAUNCHES, CSV_FILES };
static const char *const csv_suffix[] = {"", ".shared", ".launches"}; /* FILE.shared.csv */
static const char *const csv_columns[] = {
    "line,allocation,op,bytes_per_thread,requests,sectors,useful_bytes,moved_bytes",
    "line,variable,op,bytes_per_thread,requests,wavefronts,conflicts", "blocks_traced"};

/* FILE.csv, FILE.shared.csv, FILE.launches.csv; to be freed. */
static char *csv_path(const char *path, int kind) {
    size_t n = strlen(path), stem = n > 4 && strcmp(path + n - 4, ".csv") == 0 ? n - 4 : n;
    char *name = must(malloc(n + sizeof ".launches.csv"));
    sprintf(name, "%.*s%s.csv", (int)stem, path, csv_suffix[kind]);
    return kind ? name : strcpy(name, path);
}

static void csv_failed(const char *name) {
    fprintf(stderr, "access report: cannot write %s: %s\n", name, strerror(errno));
}

static void csv_open(FILE **csv, const char *path) {
    for (int kind = 0; kind < CSV_FILES; kind++) {
        char *name = csv_path(path, kind);
        csv[kind] = fopen(name, "w");
        if (csv[kind])
            fprintf(csv[kind], "launch,kernel,grid,block,%s\n", csv_columns[kind]);
        else
            csv_failed(name);
        free(name);
        if (!csv[kind])
            return; /* one line is enough */
    }
}

static void csv_close(FILE **csv, const char *path) {
    for (int kind = 0; kind < CSV_FILES && csv[kind]; kind++) {
        char *name = csv_path(path, kind);
        if (fflush(csv[kind]) || ferror(csv[kind]))
            csv_failed(name);
        fclose(csv[kind]);
        free(name);
    }
}

/* ---- Launches ---------------------------------------------------------------------------- */

static int same_rows(const struct report_row *a, const struct report_row *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (by_place(&a[i], &b[i]) != 0 || a[i].sum.requests != b[i].sum.requests ||
            a[i].sum.sectors != b[i].sum.sectors ||
            a[i].sum.useful_bytes != b[i].sum.useful_bytes || a[i].sum.ideal != b[i].sum.ideal)
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

static void note_pcs(const struct trace_launch *l, void *data) {
    struct report *report = data;
    for (const struct trace_row *r = l->rows; r; r = r->next) {
        if (report->pc_count == report->pc_room) {
            report->pc_room = report->pc_room ? 2 * report->pc_room : 1024;
            report->pcs = must(realloc(report->pcs, report->pc_room * sizeof *report->pcs));
        }
        if (!report->pc_count || report->pcs[report->pc_count - 1] != r->pc)
            report->pcs[report->pc_count++] = r->pc;
    }
    if (report->pc_count > 100000) { /* many launches, few places */
        trace_sources_look_up(report->pcs, report->pc_count);
        report->pc_count = 0;
    }
}

static void note_launch(const struct trace_launch *l, void *data) {
    struct report *report = data;
    size_t count;
    struct report_row *rows = rows_of(l, &count);
    if (report->csv[CSV_LAUNCHES]) {
        csv_launch(report->csv[CSV_LAUNCHES], l);
        fprintf(report->csv[CSV_LAUNCHES], "%llu\n", l->traced_blocks);
        for (size_t i = 0; i < count; i++)
            csv_row(report->csv[rows[i].sum.space == TRACE_SHARED ? CSV_SHARED : CSV_GLOBAL], l,
                    &rows[i]);
    }
    report->launches++;
    struct group *g = report->recent;
    if (!g || !same_launch(g, l, rows, count))
        for (g = report->groups; g && !same_launch(g, l, rows, count);)
            g = g->next;
    if (g) {
        free(rows);
    } else {
        g = must(calloc(1, sizeof *g));
        *g = (struct group){l, 0, rows, count, NULL};
        *report->end = g;
        report->end = &g->next;
    }
    g->launches++;
    report->recent = g;
}

/* ---- Source text ------------------------------------------------------------------------- */

/* A line of a source file without its indentation; NULL: not to be had. */
static const char *source_text(const struct trace_source *s, char *text, size_t size) {
    static const char *path;
    static char *contents;
    if (path != s->path) {
        free(contents);
        contents = NULL;
        path = s->path;
        FILE *f = s->line ? fopen(path, "r") : NULL;
        size_t room = 0;
        if (f && getdelim(&contents, &room, '\0', f) < 0) {
            free(contents);
            contents = NULL;
        }
        if (f)
            fclose(f);
    }
    const char *line = contents;
    for (int i = 1; line && i < s->line; i++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (!line)
        return NULL;
    line += strspn(line, " \t");
    int n = (int)strcspn(line, "\r\n");
    while (n && strchr(" \t", line[n - 1]))
        n--;
    snprintf(text, size, "%.*s", n, line);
    for (char *p = text; *p; p++)
        if (*p == '\t')
            *p = ' ';
    return n ? text : NULL;
}

/* ---- The table --------------------------------------------------------------------------- */

/* Ends with `..` where it is too long. */
static const char *clipped(const char *s, int columns, char *text, size_t size) {
    int n = (int)strlen(s);
    if (n <= columns)
        return s;
    snprintf(text, size, "%.*s..", columns - 2, s);
    return text;
}

static int at_least(int a, size_t b) { return a > (int)b ? a : (int)b; }
static int at_most(int a, int b) { return a < b ? a : b; }

struct widths {
    int label, name, requests, sectors;
};

static struct widths widths_of(const struct group *g) {
    struct widths w = {4, 10, 8, 10};
    char text[300];
    for (size_t i = 0; i < g->count; i++) {
        const struct report_row *row = &g->rows[i];
        w.label = at_least(w.label, strlen(label(row, text, sizeof text)));
        w.name = at_least(w.name, strlen(row->name));
        snprintf(text, sizeof text, "%llu", (unsigned long long)row->sum.requests);
        w.requests = at_least(w.requests, strlen(text));
        snprintf(text, sizeof text, "%llu", (unsigned long long)row->sum.sectors);
        w.sectors = at_least(w.sectors, strlen(text));
    }
    w.label = at_most(w.label, LABEL_COLUMNS);
    w.name = at_most(w.name, NAME_COLUMNS);
    return w;
}

static void percent(uint64_t part, uint64_t whole, char *text, size_t size) {
    if (!whole)
        snprintf(text, size, "-");
    else if (part * 100 % whole == 0)
        snprintf(text, size, "%llu %%", (unsigned long long)(part * 100 / whole));
    else
        snprintf(text, size, "%.1f %%", (double)(1000 * part / whole) / 10); /* 99.96: not 100 */
}

static void table_row(FILE *f, const struct report_row *row, const char *place,
                      const struct widths *w) {
    const struct trace_row *r = &row->sum;
    char name[64], last[32], advice[200];
    if (r->space == TRACE_SHARED)
        snprintf(last, sizeof last, "%llu", (unsigned long long)(r->sectors - r->ideal));
    else
        percent(r->useful_bytes, r->sectors * 32, last, sizeof last);
    fprintf(f, "  %*s  %-*s  %-6s  %5u  %*llu  %*llu  %11.2f  %9s\n", w->label, place, w->name,
            clipped(row->name, w->name, name, sizeof name), op_names[r->op], r->bytes, w->requests,
            (unsigned long long)r->requests, w->sectors, (unsigned long long)r->sectors,
            r->requests ? (double)r->sectors / (double)r->requests : 0, last);
    trace_advice(row, advice, sizeof advice);
    if (*advice)
        fprintf(f, "        -> %s\n", advice);
}

static void table_part(FILE *f, const struct group *g, enum trace_space space) {
    const struct widths w = widths_of(g);
    const struct report_row *before = NULL;
    char text[300], source[300], clip[300];
    for (size_t i = 0; i < g->count; i++) {
        const struct report_row *row = &g->rows[i];
        if (row->sum.space != space)
            continue;
        if (!before)
            fprintf(f, "  %*s  %-*s  op      bytes  %*s  %*s  per request  %9s\n", w.label, "line",
                    w.name, space == TRACE_SHARED ? "shared" : "allocation", w.requests, "requests",
                    w.sectors, space == TRACE_SHARED ? "wavefronts" : "sectors",
                    space == TRACE_SHARED ? "conflicts" : "useful");
        const char *place = clipped(label(row, text, sizeof text), w.label, clip, sizeof clip);
        if (!before || before->source.line != row->source.line ||
            before->source.path != row->source.path || !row->source.line) {
            const char *line = source_text(&row->source, source, sizeof source);
            if (line) {
                fprintf(f, "  %*s  ", w.label, place);
                fprintf(f, "%s\n", clipped(line, COLUMNS - w.label - 4, text, sizeof text));
                place = "";
            }
        } else {
            place = "";
        }
        table_row(f, row, place, &w);
        before = row;
    }
}

struct total {
    uint64_t requests, sectors, useful;
};

/* What Nsight Compute's counters of a kernel give. */
static void table_totals(FILE *f, const struct total *total, const struct widths *w) {
    char text[32];
    const char *label = "all";
    for (int op = TRACE_LOAD; op <= TRACE_ATOMIC; op++) {
        const struct total *t = &total[op];
        if (!t->requests)
            continue;
        percent(t->useful, t->sectors * 32, text, sizeof text);
        fprintf(f, "  %*s  %-*s  %-6s  %5s  %*llu  %*llu  %11.2f  %9s\n", w->label, label, w->name,
                "", op_names[op], "", w->requests, (unsigned long long)t->requests, w->sectors,
                (unsigned long long)t->sectors, (double)t->sectors / (double)t->requests, text);
        label = "";
    }
}

static void add_totals(struct total *total, const struct group *g, unsigned long long times) {
    for (size_t i = 0; i < g->count; i++) {
        const struct trace_row *r = &g->rows[i].sum;
        if (r->space == TRACE_GLOBAL) {
            total[r->op].requests += times * r->requests;
            total[r->op].sectors += times * r->sectors;
            total[r->op].useful += times * r->useful_bytes;
        }
    }
}

static void table_group(FILE *f, const struct group *g) {
    const struct trace_launch *l = g->launch;
    struct total total[3] = {{0, 0, 0}};
    fprintf(f, "\n%s, grid %ux%ux%u, block %ux%ux%u", l->kernel, l->grid[0], l->grid[1], l->grid[2],
            l->block[0], l->block[1], l->block[2]);
    if (g->launches > 1)
        fprintf(f, ", x %llu launches", g->launches);
    if (!l->traced_blocks) {
        fprintf(f, "\n  not traced: its file was compiled without --trace\n");
        return;
    }
    if (l->traced_blocks < l->blocks)
        fprintf(f, ", sampled: %llu of %llu blocks", l->traced_blocks, l->blocks);
    fprintf(f, "\n");
    table_part(f, g, TRACE_GLOBAL);
    add_totals(total, g, 1);
    const struct widths w = widths_of(g);
    table_totals(f, total, &w);
    table_part(f, g, TRACE_SHARED);
    if (!g->count)
        fprintf(f, "  no access to global or shared memory\n");
}

static int same_kernel(const struct group *a, const struct group *b) {
    return strcmp(a->launch->kernel, b->launch->kernel) == 0;
}

static void table(FILE *f, const struct report *report) {
    int shown = 0, left_out = 0, lines_known = 0, rows = 0;
    fprintf(f, "\nAccess report: what each load and store of a warp asked of memory.\n"
               "A sector is 32 bytes; useful: bytes that threads asked for / bytes moved.\n");
    if (!report->launches)
        fprintf(f, "No kernel ran.\n");
    for (const struct group *g = report->groups, *k; g; g = g->next) {
        for (k = report->groups; !same_kernel(k, g);)
            k = k->next;
        if (k != g)
            continue; /* done with the kernel's first group */
        struct total rest[3] = {{0, 0, 0}};
        unsigned long long others = 0;
        int of_kernel = 0, sizes = 0;
        for (; k; k = k->next) {
            if (!same_kernel(k, g))
                continue;
            for (size_t i = 0; i < k->count; i++, rows++)
                lines_known += k->rows[i].source.line > 0;
            if (of_kernel < GROUPS_OF_KERNEL && shown < GROUPS) {
                table_group(f, k);
                of_kernel++, shown++;
            } else {
                sizes++, left_out++;
                others += k->launches;
                add_totals(rest, k, k->launches);
            }
        }
        if (others) {
            fprintf(f, "\n%s, %llu %slaunches, of %d kinds, together\n", g->launch->kernel, others,
                    of_kernel ? "more " : "", sizes);
            const struct widths w = {4, 10, 8, 10};
            table_totals(f, rest, &w);
        }
    }
    if (left_out)
        fprintf(f, "\nACCESS_REPORT=FILE.csv gives every launch by itself.\n");
    if (rows && !lines_known)
        fprintf(f, "\nNo line numbers: addr2line is missing (Debian package: binutils).\n");
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
    fflush(stdout);
    open_standard_files();
    report.end = &report.groups;
    if (path && !*path)
        path = NULL;
    if (path)
        csv_open(report.csv, path);
    trace_count_each(note_pcs, &report);
    trace_sources_look_up(report.pcs, report.pc_count);
    trace_count_each(note_launch, &report);
    csv_close(report.csv, path);
    if (wanted && *wanted ? strcmp(wanted, "0") != 0 : !path) {
        FILE *f = open_memstream(&text, &bytes);
        if (f) {
            table(f, &report);
            fclose(f);
            fwrite(text, 1, bytes, stderr);
        }
    }
    free(text);
}
