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
// To add a column: struct row and row_columns, in table.h; docs/results.schema.json.
#ifndef ROWS_H
#define ROWS_H

#include "program.h"
#include <math.h>

static inline int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The value below which a fraction q (0 to 1) of n >= 1 numbers lies, interpolated between
// neighbors: q = 0.5 is the median, of an even count too.
static inline double quantile_of(const double *numbers, size_t n, double q) {
    double *sorted = (double *)host_malloc(n * sizeof *sorted), place = q * (double)(n - 1);
    size_t low = (size_t)place, high = low + 1 < n ? low + 1 : low;
    memcpy(sorted, numbers, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    double value = sorted[low] + (place - (double)low) * (sorted[high] - sorted[low]);
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
    double beyond = fmax(1.5 * (high - low), 0.01 * row->median_ms);
    row->spread_pct = 100 * (high - low) / row->median_ms;
    row->outliers = 0;
    for (size_t i = 0; i < n; i++)
        row->outliers += samples_ms[i] < low - beyond || samples_ms[i] > high + beyond;
}

// A field as text, in `number` if it is one; NULL if it is unused, as times are on the CPU device.
static inline const char *field_text(const struct row *row, const struct column *column,
                                     int in_table, char number[400]) {
    const void *field = (const char *)row + column->offset;
    int fixed = in_table && column->decimals;
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
    while (in_table && (int)strlen(number) > column->width && decimals-- > 0);
    return isfinite(real) ? number : NULL;
}

// A text of CSV, in quotes where it needs them.
static inline void print_csv(const char *text) {
    const char *quote = strpbrk(text, ",\"\n") ? "\"" : "";
    printf("%s", quote);
    for (; *text; text++)
        printf(*text == '"' ? "\"\"" : "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    printf("%s", quote);
}

// Gives the table a row: a text for each column that the program wants.
static inline void keep_row(const struct row *row) {
    struct kept_line *line = new_line();
    char number[400], wanted[256], name[32];
    if (run.rows == 0)
        atexit(table_print); // a program that ends early loses no row
    line->bar = run.on_cpu ? NAN : row->bar;
    snprintf(wanted, sizeof wanted, " %s ", run.columns);
    for (size_t i = 0; i < ROW_COLUMNS; i++) {
        snprintf(name, sizeof name, " %s ", row_columns[i].name);
        const int is_wanted = strstr(wanted, name) != NULL;
        const char *text = is_wanted ? field_text(row, &row_columns[i], 1, number) : NULL;
        line->fields[i] = strdup(text ? text : "");
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

// A row as CSV, all columns but the spread; before the first row, their names.
static inline void csv_row(const struct row *row) {
    char number[400];
    for (int is_header = run.csv_rows++ == 0; is_header >= 0; is_header--)
        for (size_t i = 0; i < ROW_COLUMNS; i++) {
            const char *name = row_columns[i].name;
            const char *text = is_header ? name : field_text(row, &row_columns[i], 0, number);
            if (strcmp(name, "spread_pct") == 0)
                continue;
            print_csv(text ? text : "");
            putchar(i + 1 < ROW_COLUMNS ? ',' : '\n');
        }
    fflush(stdout); // at once: a long run shows where it is
}

// Counts a row, and gives it to the table, which run_end prints; or writes it as CSV, at once.
static inline void print_row(const struct row *row) {
    if (run.csv)
        csv_row(row);
    else
        keep_row(row);
    run.rows++;
    run.checked_rows += row->check != NULL;
    run.failed_rows += row->check && strcmp(row->check, "ok") != 0;
}

// A row that holds a number and whether it is right (-1: not asked), and no time; n may be 0.
static inline void print_value(const char *variant, size_t n, const char *parameter, double value,
                               int right) {
    struct row row = row_of(variant);
    row.n = n;
    row.parameter = parameter;
    row.value = value;
    row.check = right < 0 ? NULL : right ? "ok" : "FAIL";
    print_row(&row);
}

// What the figures say: a sentence, as printf, under the table; in CSV a row with a name and a
// value, and the sentence as its flag. Lessons quote it by its name.
#define finding(...) print_finding(NULL, __VA_ARGS__)

// The same, where the sentence claims something of the rows and no `if` above has asked for it: the
// run fails if they refute it. A device may differ: choose a sentence that holds on any. A bound
// that the sentence names is the claim's, one constant for both.
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
    if (run.csv)
        csv_row(&row);
}

#endif
