/*
 * table.c: the report as a table for people.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/report/report.h"
#include "trace/count/count.h"
#include <string.h>

enum {
    COLUMNS = 100,
    NAME_COLUMNS = 24,
    LABEL_COLUMNS = 20,
    GROUPS_OF_KERNEL = 4, /* different launches of one kernel that are shown */
    GROUPS = 40           /* and of all kernels */
};

const char *const report_op_names[] = {"ld", "st", "atomic"};

const char *report_label(const struct report_row *row, char *text, size_t size) {
    if (!row->source.line)
        snprintf(text, size, "pc %#zx", trace_pc_in_file(row->sum.pc));
    else if (row->source.main)
        snprintf(text, size, "%d", row->source.line);
    else
        snprintf(text, size, "%s:%d", row->source.file, row->source.line);
    return text;
}

/* ---- Source text ------------------------------------------------------------------------- */

/* A line of a source file without its indentation; NULL: unavailable. */
const char *report_source_text(const struct trace_source *s, char *text, size_t size) {
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
const char *report_clipped(const char *s, int columns, char *text, size_t size) {
    int n = (int)strlen(s);
    if (n <= columns)
        return s;
    snprintf(text, size, "%.*s..", columns - 2, s);
    return text;
}

void report_widen(int *columns, const char *text, int most) {
    int wanted = strlen(text) < (size_t)most ? (int)strlen(text) : most;
    if (wanted > *columns)
        *columns = wanted;
}

struct widths {
    int label, name, requests, sectors;
};

static struct widths widths_of(const struct group *g) {
    struct widths w = {4, 10, 8, 10};
    char text[300];
    for (size_t i = 0; i < g->count; i++) {
        const struct report_row *row = &g->rows[i];
        report_widen(&w.label, report_label(row, text, sizeof text), LABEL_COLUMNS);
        report_widen(&w.name, row->name, NAME_COLUMNS);
        snprintf(text, sizeof text, "%llu", row->sum.all.requests);
        report_widen(&w.requests, text, COLUMNS);
        snprintf(text, sizeof text, "%llu", row->sum.all.sectors);
        report_widen(&w.sectors, text, COLUMNS);
    }
    return w;
}

void report_useful(const struct trace_tally *t, char *text, size_t size) {
    unsigned long long part = t->useful_bytes, whole = t->sectors * SECTOR;
    if (!whole)
        snprintf(text, size, "-");
    else if (part * 100 % whole == 0)
        snprintf(text, size, "%llu %%", part * 100 / whole);
    else
        snprintf(text, size, "%.1f %%", (double)(1000 * part / whole) / 10); /* 99.96: not 100 */
}

static void table_line(FILE *f, const struct widths *w, const char *place, const char *name,
                       enum trace_op op, const char *bytes, const struct trace_tally *t,
                       const char *last) {
    fprintf(f, "  %*s  %-*s  %-6s  %5s  %*llu  %*llu  %11.2f  %9s\n", w->label, place, w->name,
            name, report_op_names[op], bytes, w->requests, t->requests, w->sectors, t->sectors,
            t->requests ? (double)t->sectors / (double)t->requests : 0, last);
}

static void table_row(FILE *f, const struct report_row *row, const struct group *g,
                      const char *place, const struct widths *w) {
    const struct trace_row *r = &row->sum;
    char name[64], bytes[16], last[32], advice[TEXT];
    if (!r->all.requests) /* counted on another line, with whose access they are one */
        snprintf(last, sizeof last, "joined");
    else if (r->space == TRACE_SHARED)
        snprintf(last, sizeof last, "%llu", r->all.sectors - r->all.ideal);
    else
        report_useful(&r->all, last, sizeof last);
    snprintf(bytes, sizeof bytes, "%u", r->bytes);
    table_line(f, w, place, report_clipped(row->name, w->name, name, sizeof name), r->op, bytes,
               &r->all, last);
    trace_advice(row, g, advice);
    if (*advice)
        fprintf(f, "        -> %s\n", advice);
}

static void table_part(FILE *f, const struct group *g, enum trace_space space,
                       const struct widths *w) {
    const struct report_row *before = NULL;
    char text[300], source[300], clip[300];
    for (size_t i = 0; i < g->count; i++) {
        const struct report_row *row = &g->rows[i];
        if (row->sum.space != space)
            continue;
        if (!before)
            fprintf(f, "  %*s  %-*s  op      bytes  %*s  %*s  per request  %9s\n", w->label, "line",
                    w->name, space == TRACE_SHARED ? "shared" : "allocation", w->requests,
                    "requests", w->sectors, space == TRACE_SHARED ? "wavefronts" : "sectors",
                    space == TRACE_SHARED ? "conflicts" : "useful");
        const char *place =
            report_clipped(report_label(row, text, sizeof text), w->label, clip, sizeof clip);
        int is_new = !before || before->source.line != row->source.line ||
                     before->source.path != row->source.path || !row->source.line;
        const char *line = is_new ? report_source_text(&row->source, source, sizeof source) : NULL;
        if (line) {
            fprintf(f, "  %*s  ", w->label, place);
            fprintf(f, "%s\n", report_clipped(line, COLUMNS - w->label - 4, text, sizeof text));
        }
        table_row(f, row, g, line || !is_new ? "" : place, w);
        before = row;
    }
}

/* What Nsight Compute's counters of a kernel give. */
static void table_totals(FILE *f, const struct trace_tally *total, const struct widths *w) {
    char text[32];
    const char *label = "all";
    for (enum trace_op op = TRACE_LOAD; op <= TRACE_ATOMIC; op++)
        if (total[op].requests) {
            report_useful(&total[op], text, sizeof text);
            table_line(f, w, label, "", op, "", &total[op], text);
            label = "";
        }
}

void report_add_totals(struct trace_tally *total, const struct group *g, unsigned long long times) {
    for (size_t i = 0; i < g->count; i++) {
        const struct trace_row *r = &g->rows[i].sum;
        if (r->space == TRACE_GLOBAL) {
            total[r->op].requests += times * r->all.requests;
            total[r->op].sectors += times * r->all.sectors;
            total[r->op].useful_bytes += times * r->all.useful_bytes;
        }
    }
}

static void table_group(FILE *f, const struct group *g) {
    const struct trace_launch *l = g->launch;
    struct trace_tally total[3] = {{0}};
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
    const struct widths w = widths_of(g);
    table_part(f, g, TRACE_GLOBAL, &w);
    report_add_totals(total, g, 1);
    table_totals(f, total, &w);
    table_part(f, g, TRACE_SHARED, &w);
    if (!g->count)
        fprintf(f, "  no access to global or shared memory\n");
}

static int same_kernel(const struct group *a, const struct group *b) {
    return strcmp(a->launch->kernel, b->launch->kernel) == 0;
}

void report_table(FILE *f, const struct group *groups) {
    int shown = 0, left_out = 0, lines_known = 0, rows = 0;
    fprintf(f, "\nAccess report: what each load and store of a warp requested.\n"
               "A sector is 32 bytes; useful: bytes that threads requested / bytes moved.\n");
    if (!groups)
        fprintf(f, "No kernel ran.\n");
    for (const struct group *g = groups, *k; g; g = g->next) {
        k = LIST_FIND(groups, i, same_kernel(i, g));
        if (k != g)
            continue; /* done with the kernel's first group */
        struct trace_tally rest[3] = {{0}};
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
                report_add_totals(rest, k, k->launches);
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
