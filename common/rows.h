// SPDX-License-Identifier: MIT
// A result as a row: what it may hold, and how it is written: in a table, as CSV or as JSON.
// The columns are the same for all programs.
#ifndef ROWS_H
#define ROWS_H

#include <stddef.h>
#include "verify.h"

// One result. NULL, a count of 0 and a real number of NAN mean "unused"; run_row sets them all so.
struct row {
    size_t schema;
    const char *chapter, *program, *variant, *dtype;
    size_t n, block;
    const char *parameter; // names `value`, with its unit: "stride", "sync us"
    double value;
    size_t bytes, flops, samples;     // of one launch: bytes read and written, operations
    double median_ms, min_ms, max_ms; // for one launch or call
    double gb_per_s, gflop_per_s;     // 10^9
    const char *flag, *check;         // a warning about the figure; "ok" or "FAIL"
    const double *samples_ms;         // `samples` of them, for JSON; or NULL
    double bar;                       // 0 to 1: a bar of that length beside the table's row
};

enum field_kind { TEXT, COUNT, REAL };
enum row_form { AS_TABLE, AS_CSV, AS_JSON };

static const struct row_column {
    const char *name;
    enum field_kind kind;
    size_t offset;
    int width, decimals; // in the table; a negative width aligns to the left; no decimals: %g
} row_columns[] = {
// clang-format off
#define COLUMN(name, kind, width, decimals)                                                        \
    {#name, kind, offsetof(struct row, name), width, decimals}
    COLUMN(schema, COUNT, 6, 0), COLUMN(chapter, TEXT, -18, 0), COLUMN(program, TEXT, -18, 0),
    COLUMN(variant, TEXT, -30, 0), COLUMN(dtype, TEXT, -6, 0), COLUMN(n, COUNT, 10, 0),
    COLUMN(block, COUNT, 5, 0), COLUMN(parameter, TEXT, -20, 0), COLUMN(value, REAL, 10, 0),
    COLUMN(bytes, COUNT, 12, 0), COLUMN(flops, COUNT, 12, 0), COLUMN(samples, COUNT, 7, 0),
    COLUMN(median_ms, REAL, 10, 4), COLUMN(min_ms, REAL, 10, 4), COLUMN(max_ms, REAL, 10, 4),
    COLUMN(gb_per_s, REAL, 8, 1), COLUMN(gflop_per_s, REAL, 11, 1), COLUMN(flag, TEXT, -16, 0),
    COLUMN(check, TEXT, 0, 0),
#undef COLUMN
    // clang-format on
};

static inline int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The value below which a fraction q (0 to 1) of n >= 1 sorted numbers lies, interpolated between
// neighbours: q = 0.5 is the median, of an even count too.
static inline double quantile(const double *sorted, size_t n, double q) {
    double place = q * (double)(n - 1);
    size_t low = (size_t)place, high = low + 1 < n ? low + 1 : low;
    return sorted[low] + (place - (double)low) * (sorted[high] - sorted[low]);
}

// The same of numbers in any order.
static inline double quantile_of(const double *samples, size_t n, double q) {
    double *sorted = (double *)host_malloc(n * sizeof *sorted);
    memcpy(sorted, samples, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    double value = quantile(sorted, n, q);
    free(sorted);
    return value;
}

// Puts n >= 1 samples and what sums them up in the row. They must outlive its print.
static inline void row_times(struct row *row, const double *samples_ms, size_t n) {
    row->samples = n;
    row->samples_ms = samples_ms;
    row->median_ms = quantile_of(samples_ms, n, 0.5);
    row->min_ms = quantile_of(samples_ms, n, 0);
    row->max_ms = quantile_of(samples_ms, n, 1);
}

// Text in quotes, as JSON always and CSV sometimes wants it.
static inline void print_quoted(FILE *out, const char *text, int json) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || (*text == '\\' && json))
            fputc(json ? '\\' : '"', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    fputc('"', out);
}

// A field as text, in `number` if it is one; NULL if it is unused.
static inline const char *field_text(const struct row *row, const struct row_column *column,
                                     int table, char number[400]) {
    const void *field = (const char *)row + column->offset;
    int fixed = table && column->decimals;
    if (column->kind == TEXT)
        return *(const char *const *)field;
    if (column->kind == COUNT) {
        snprintf(number, 400, "%zu", *(const size_t *)field);
        return *(const size_t *)field ? number : NULL;
    }
    double real = *(const double *)field;
    snprintf(number, 400, fixed ? "%.*f" : "%.*g", fixed ? column->decimals : 9, real);
    return isfinite(real) ? number : NULL;
}

// The fields of a row, or with row = NULL the names of the columns. A table has the named ones.
static inline void print_fields(FILE *out, enum row_form form, const char *columns,
                                const struct row *row) {
    char shown[256], name[32], number[400];
    const char *unused = form == AS_TABLE ? "-" : form == AS_JSON ? "null" : "";
    int fields = 0;
    snprintf(shown, sizeof shown, " %s ", columns);
    for (size_t i = 0; i < sizeof row_columns / sizeof row_columns[0]; i++) {
        const struct row_column *column = &row_columns[i];
        snprintf(name, sizeof name, " %s ", column->name);
        if (form == AS_TABLE && !strstr(shown, name))
            continue;
        const char *text = row ? field_text(row, column, form == AS_TABLE, number) : column->name;
        fputs(!fields++ ? "" : form == AS_TABLE ? "  " : ",", out);
        if (form == AS_JSON)
            fprintf(out, "\"%s\":", column->name);
        if (text && column->kind == TEXT &&
            (form == AS_JSON || (form == AS_CSV && strpbrk(text, ",\"\n"))))
            print_quoted(out, text, form == AS_JSON);
        else
            fprintf(out, "%*s", form == AS_TABLE ? column->width : 0, text ? text : unused);
    }
}

// One row; the first one brings what stands above it. Nonzero where that fails.
static inline int row_print(FILE *out, enum row_form form, const char *columns, int first,
                            const struct row *row) {
    if (form == AS_JSON)
        fputs(first ? "\n{" : ",\n{", out);
    else if (first)
        print_fields(out, form, columns, NULL), fputc('\n', out);
    print_fields(out, form, columns, row);
    if (form == AS_JSON) {
        fprintf(out, ",\"samples_ms\":[");
        for (size_t i = 0; i < row->samples && row->samples_ms; i++)
            fprintf(out, "%s%.9g", i ? "," : "", row->samples_ms[i]);
        fprintf(out, "]}");
    }
    for (int i = 0; form == AS_TABLE && i < 30 * row->bar - 0.5; i++)
        fputs(i ? "#" : "  #", out);
    fputs(form == AS_JSON ? "" : "\n", out);
    return fflush(out) || ferror(out);
}

#endif
