// SPDX-License-Identifier: MIT
// What an experiment measured: rows, shown as a table that fits the terminal or written as CSV, and
// findings, the sentences that follow from them.
//
//     struct row row = row_of("saxpy");           // a result, every field unused
//     row.n = n;                                  // ...fill in what was measured
//     print_row(&row);                            // a line of the table, or of CSV
//     finding("launch_us", us, "A launch takes %.1f us.", us);
//     finding_if(us > 2, "launch_us", us, "A launch takes %.1f us, more than 2.", us);
//
// A sentence that says more than its numbers has its claim beside it, in C, or stands below the
// `if` that chose it.
//
// To add a column: struct row, row_columns, docs/results.schema.json.
#ifndef ROWS_H
#define ROWS_H

#include "program.h"
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

// One result. NULL, a count of 0 and a real number of NAN mean "unused"; row_of sets them all so.
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
    double spread_pct; // of the table alone: half of the samples lie within it, in percent of the
                       // median: (upper - lower quartile) / median. It does not grow with samples
    size_t outliers;   // samples more than 1.5 such ranges beyond a quartile
    double bar;        // 0 to 1: a bar of that length beside the table's row
};

enum field_kind { TEXT, COUNT, REAL };
enum row_form { AS_TABLE, AS_CSV };

static const struct row_column {
    struct column column; // in the table: see table.h
    enum field_kind kind;
    size_t offset;
    int width, decimals; // of a number in the table, at most; without decimals: %g
    int of_time;         // a time, or what follows from times: the CPU device has none
} row_columns[] = {
// clang-format off
#define COLUMN(name, kind, width, decimals, role, leaves, of_time)                                 \
    {{#name, kind == TEXT, role, leaves}, kind, offsetof(struct row, name), width, decimals,       \
     of_time}
    COLUMN(schema, COUNT, 6, 0, MEASURED, 9, 0), COLUMN(chapter, TEXT, 0, 0, NAMES, 9, 0),
    COLUMN(program, TEXT, 0, 0, NAMES, 9, 0), COLUMN(variant, TEXT, 0, 0, NAMES, 0, 0),
    COLUMN(dtype, TEXT, 0, 0, NAMES, 6, 0), COLUMN(n, COUNT, 10, 0, NAMES, 4, 0),
    COLUMN(block, COUNT, 5, 0, NAMES, 5, 0), COLUMN(parameter, TEXT, 0, 0, NAMES, 0, 0),
    COLUMN(value, REAL, 9, 0, VALUE, 0, 0), COLUMN(bytes, COUNT, 10, 0, NAMES, 4, 0),
    COLUMN(flops, COUNT, 10, 0, NAMES, 6, 0), COLUMN(samples, COUNT, 7, 0, MEASURED, 9, 1),
    COLUMN(median_ms, REAL, 9, 4, MEASURED, 1, 1), COLUMN(min_ms, REAL, 9, 4, MEASURED, 8, 1),
    COLUMN(max_ms, REAL, 9, 4, MEASURED, 8, 1), COLUMN(spread_pct, REAL, 10, 1, MEASURED, 7, 1),
    COLUMN(gb_per_s, REAL, 8, 1, MEASURED, 0, 1),
    COLUMN(gflop_per_s, REAL, 11, 1, MEASURED, 3, 1),
    COLUMN(flag, TEXT, 0, 0, MEASURED, 5, 0), COLUMN(check, TEXT, 0, 0, MEASURED, 0, 0),
#undef COLUMN
    // clang-format on
};

enum { ROW_COLUMNS = sizeof row_columns / sizeof row_columns[0] };

static inline int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The value below which a fraction q (0 to 1) of n >= 1 sorted numbers lies, interpolated between
// neighbors: q = 0.5 is the median, of an even count too.
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

// What sums up n samples, in the row; of none, nothing.
static inline void row_times(struct row *row, const double *samples_ms, size_t n) {
    if (n == 0)
        return;
    row->samples = n;
    row->median_ms = quantile_of(samples_ms, n, 0.5);
    row->min_ms = quantile_of(samples_ms, n, 0);
    row->max_ms = quantile_of(samples_ms, n, 1);
    double low = quantile_of(samples_ms, n, 0.25), high = quantile_of(samples_ms, n, 0.75);
    double beyond = 1.5 * (high - low);
    row->spread_pct = 100 * (high - low) / row->median_ms;
    row->outliers = 0;
    for (size_t i = 0; i < n; i++)
        row->outliers += samples_ms[i] < low - beyond || samples_ms[i] > high + beyond;
}

// A field as text, in `number` if it is one; NULL if it is unused, as times are on the CPU device.
static inline const char *field_text(const struct row *row, const struct row_column *column,
                                     enum row_form form, char number[400]) {
    const void *field = (const char *)row + column->offset;
    int fixed = form == AS_TABLE && column->decimals;
    if (run.on_cpu && column->of_time)
        return NULL;
    if (column->kind == TEXT)
        return *(const char *const *)field;
    if (column->kind == COUNT) {
        snprintf(number, 400, "%zu", *(const size_t *)field);
        return *(const size_t *)field ? number : NULL;
    }
    double real = *(const double *)field;
    int decimals = fixed ? column->decimals : 9;
    do // fewer where the number is too long for its column
        snprintf(number, 400, fixed ? "%.*f" : "%.*g", decimals, real);
    while (form == AS_TABLE && (int)strlen(number) > column->width && decimals-- > 0);
    return isfinite(real) ? number : NULL;
}

// 1 if the program wants the column in its table.
static inline int is_asked_for(const char *name) {
    const char *at = run.columns;
    size_t length = strlen(name);
    for (; (at = strstr(at, name)) != NULL; at += length)
        if ((at == run.columns || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

// A text of CSV, in quotes where it needs them.
static inline void print_csv(FILE *out, const char *text) {
    int quoted = strpbrk(text, ",\"\n") != NULL;
    fputs(quoted ? "\"" : "", out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    fputs(quoted ? "\"" : "", out);
}

// Gives the table a row: a text for each column that the program wants.
static inline void keep_row(const struct row *row) {
    static struct column columns[ROW_COLUMNS];
    const char *fields[ROW_COLUMNS];
    char numbers[ROW_COLUMNS][400];
    int wanted = 0;
    for (size_t i = 0; i < ROW_COLUMNS; i++)
        if (is_asked_for(row_columns[i].column.name)) {
            columns[wanted] = row_columns[i].column;
            fields[wanted] = field_text(row, &row_columns[i], AS_TABLE, numbers[wanted]);
            wanted++;
        }
    table_columns(talk(), columns, wanted);
    table_row(fields, run.on_cpu ? NAN : row->bar);
}

// A row as CSV, or with row = NULL the header: all columns but the spread.
static inline void print_csv_fields(FILE *out, const struct row *row) {
    char number[400];
    int fields = 0;
    for (size_t i = 0; i < ROW_COLUMNS; i++) {
        const struct row_column *column = &row_columns[i];
        const char *name = column->column.name;
        if (!strcmp(name, "spread_pct"))
            continue;
        const char *text = row ? field_text(row, column, AS_CSV, number) : name;
        fputs(fields++ ? "," : "", out);
        if (text)
            print_csv(out, text);
    }
}

static inline struct row row_of(const char *variant) {
    struct row row;
    memset(&row, 0, sizeof row);
    row.schema = 1;
    row.chapter = run.chapter;
    row.program = run.program;
    row.variant = variant;
    row.value = row.median_ms = row.min_ms = row.max_ms = row.spread_pct = NAN;
    row.gb_per_s = row.gflop_per_s = row.bar = NAN;
    return row;
}

static inline void csv_row(const struct row *row) {
    if (!run.csv)
        return;
    if (run.csv_rows++ == 0) {
        print_csv_fields(stdout, NULL);
        fputc('\n', stdout);
    }
    print_csv_fields(stdout, row);
    errno = 0;
    fputc('\n', stdout);
    if (fflush(stdout) || ferror(stdout)) // at once: a long run shows where it is
        run.write_error = errno;
}

// A row of the table, which run_end prints; counts it, and writes it as CSV if asked, at once.
static inline void print_row(const struct row *row) {
    keep_row(row);
    csv_row(row);
    run.rows++;
    run.checked_rows += row->check != NULL;
    run.failed_rows += row->check && strcmp(row->check, "ok") != 0;
}

// What the figures say: a sentence, as printf, under the table; in CSV a row with a name and a
// value, and the sentence as its flag. Lessons quote it by its name.
#define finding(...) print_finding(NULL, __VA_ARGS__)

// The same, where the sentence claims something of the rows: the run fails if they refute it. A
// device may differ: choose a sentence that holds on any. A bound that the sentence names is the
// claim's, one constant for both.
#define finding_if(claim, ...) print_finding((claim) ? NULL : #claim, __VA_ARGS__)

// refuted: NULL, or the claim that does not hold.
static inline void print_finding(const char *refuted, const char *name, double value,
                                 const char *format, ...) {
    char sentence[512];
    struct row row = row_of("finding");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    row.parameter = name;
    row.value = value;
    row.flag = sentence;
    say("%s", sentence);
    if (refuted) {
        fprintf(stderr, "%s: the rows refute the finding %s: it is not so that %s\n", run.program,
                name, refuted);
        row.check = "FAIL";
        run.refuted++;
    }
    csv_row(&row);
}

#endif
