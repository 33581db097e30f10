// SPDX-License-Identifier: MIT
// What an experiment measured: rows, shown as a table that fits the terminal or written as CSV, and
// findings, the sentences that follow from them.
//
//     struct row row = row_of("saxpy");           // a result, every field unused
//     row.n = n;                                  // ...fill in what was measured
//     print_row(&row);                            // a line of the table, or of CSV
//     finding("launch_us", us, "A launch takes %.1f us.", us);
//
// To add a column: struct row, row_columns, docs/results.schema.json.
#ifndef ROWS_H
#define ROWS_H

#include "program.h"
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#if __has_include(<sys/ioctl.h>)
#include <sys/ioctl.h>
#endif

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
    double spread_pct;                // of the table alone: (max - min) / median, in percent
    double bar;                       // 0 to 1: a bar of that length beside the table's row
};

enum field_kind { TEXT, COUNT, REAL };
enum row_form { AS_TABLE, AS_CSV };

static const struct row_column {
    const char *name;
    enum field_kind kind;
    size_t offset;
    int width, least, decimals; // in the table; a negative width aligns to the left, without
                                // decimals: %g
    int leaves;                 // a table without room: the highest goes first, 0 stays
} row_columns[] = {
// clang-format off
#define COLUMN(name, kind, width, least, decimals, leaves)                                         \
    {#name, kind, offsetof(struct row, name), width, least, decimals, leaves}
    COLUMN(schema, COUNT, 6, 6, 0, 9), COLUMN(chapter, TEXT, -18, 15, 0, 9),
    COLUMN(program, TEXT, -18, 15, 0, 9), COLUMN(variant, TEXT, -30, 22, 0, 0),
    COLUMN(dtype, TEXT, -6, 6, 0, 6), COLUMN(n, COUNT, 10, 10, 0, 4),
    COLUMN(block, COUNT, 5, 5, 0, 5), COLUMN(parameter, TEXT, -21, 15, 0, 0),
    COLUMN(value, REAL, 9, 9, 0, 0), COLUMN(bytes, COUNT, 10, 10, 0, 4),
    COLUMN(flops, COUNT, 10, 10, 0, 6), COLUMN(samples, COUNT, 7, 7, 0, 8),
    COLUMN(median_ms, REAL, 9, 9, 4, 0), COLUMN(min_ms, REAL, 9, 9, 4, 7),
    COLUMN(max_ms, REAL, 9, 9, 4, 7), COLUMN(spread_pct, REAL, 10, 10, 1, 1),
    COLUMN(gb_per_s, REAL, 8, 8, 1, 0), COLUMN(gflop_per_s, REAL, 11, 11, 1, 3),
    COLUMN(flag, TEXT, -16, 15, 0, 5), COLUMN(check, TEXT, -5, 5, 0, 0),
#undef COLUMN
    // clang-format on
};

enum { ROW_COLUMNS = sizeof row_columns / sizeof row_columns[0], FLAG_COLUMN = ROW_COLUMNS - 2 };

// The table's columns as they fit: their widths, or 0 for those that are not in it; what is left.
static struct { int width[ROW_COLUMNS], room; } fit;

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
    row->spread_pct = 100 * (row->max_ms - row->min_ms) / row->median_ms;
}

// A field as text, in `number` if it is one; NULL if it is unused.
static inline const char *field_text(const struct row *row, const struct row_column *column,
                                     enum row_form form, char number[400]) {
    const void *field = (const char *)row + column->offset;
    int fixed = form == AS_TABLE && column->decimals;
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

// The columns of a terminal, or $COLUMNS; 80 where there is none.
static inline int table_width(void) {
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
#ifdef TIOCGWINSZ
    struct winsize size;
    if (width <= 0 && ioctl(fileno(talk()), TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
#endif
    return width > 0 ? width : 80;
}

// 1 if the program wants the column in its table. The CPU device has no rates worth a look.
static inline int is_asked_for(const struct row_column *column) {
    const char *at = run.columns;
    size_t length = strlen(column->name);
    if (run.on_cpu && strstr(column->name, "_per_s"))
        return 0;
    for (; (at = strstr(at, column->name)) != NULL; at += length)
        if ((at == run.columns || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

// Takes columns out while the table is too wide: those that leave from `first` down to `last`.
static inline void drop_columns(int first, int last, char gone[256]) {
    for (int leaves = first; leaves >= last; leaves--)
        for (size_t i = ROW_COLUMNS; i-- > 0 && fit.room < 0;)
            if (fit.width[i] && row_columns[i].leaves == leaves) {
                size_t used = strlen(gone);
                snprintf(gone + used, 256 - used, "%s%s", used ? ", " : "", row_columns[i].name);
                fit.room += abs(fit.width[i]) + 2, fit.width[i] = 0;
            }
}

// Fits the table into the width: the least and the greatest go before a text shrinks, since rows
// differ by their texts; then other columns. --csv keeps all.
static inline void fit_table(void) {
    char gone[256] = "";
    fit.room = table_width() + 2;
    for (size_t i = 0; i < ROW_COLUMNS; i++)
        if (is_asked_for(&row_columns[i])) {
            fit.width[i] = row_columns[i].width;
            fit.room -= abs(fit.width[i]) + 2;
        }
    drop_columns(9, 7, gone);
    for (size_t i = 0; i < ROW_COLUMNS && fit.room < 0; i++)
        if (fit.width[i] && row_columns[i].least < abs(fit.width[i])) {
            fit.room += abs(fit.width[i]) - row_columns[i].least;
            fit.width[i] = -row_columns[i].least;
        }
    drop_columns(6, 1, gone);
    for (size_t i = 0; i < ROW_COLUMNS; i++) // what is left widens those that shrank
        while (fit.width[i] > row_columns[i].width && fit.width[i] < 0 && fit.room > 0)
            fit.width[i]--, fit.room--;
    if (*gone)
        say("No room for %s; COLUMNS=200 or --csv shows all.", gone);
}

// A text of CSV, in quotes where it needs them.
static inline void print_csv(FILE *out, const char *text) {
    int quoted = strpbrk(text, ",\"\n") != NULL;
    fputs(quoted ? "\"" : "", out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    fputs(quoted ? "\"" : "", out);
}

// A line of the table, or with row = NULL its header. No text moves the columns after it: a name
// that is too long has a line of its own, another text is cut.
static inline void print_table_fields(FILE *out, const struct row *row) {
    char number[400];
    for (size_t i = 0, fields = 0; i < ROW_COLUMNS; i++) {
        const struct row_column *column = &row_columns[i];
        const char *text = row ? field_text(row, column, AS_TABLE, number) : column->name;
        int width = fit.width[i], room = abs(width);
        if (!width)
            continue;
        text = text ? text : "-";
        int too_long = column->kind == TEXT && (int)strlen(text) > room;
        if (fields++ == 0 && too_long)
            fprintf(out, "%s\n%*s", text, room, "");
        else if (too_long)
            fprintf(out, "  %.*s..", room - 2, text);
        else
            fprintf(out, "%s%*s", fields > 1 ? "  " : "", i + 1 < ROW_COLUMNS ? width : 0, text);
    }
}

// The same as CSV: all columns but the spread, which follows from others.
static inline void print_csv_fields(FILE *out, const struct row *row) {
    char number[400];
    int fields = 0;
    for (size_t i = 0; i < ROW_COLUMNS; i++) {
        const struct row_column *column = &row_columns[i];
        if (!strcmp(column->name, "spread_pct"))
            continue;
        const char *text = row ? field_text(row, column, AS_CSV, number) : column->name;
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

static inline void flush_row(FILE *out) { // at once: a long run shows where it is
    errno = 0;
    fputc('\n', out);
    if (fflush(out) || ferror(out))
        run.write_error = errno;
}

static inline void csv_row(const struct row *row) {
    if (run.csv && run.csv_rows++ == 0)
        print_csv_fields(stdout, NULL), fputc('\n', stdout);
    if (run.csv)
        print_csv_fields(stdout, row), flush_row(stdout);
}

// Prints a row of the table, counts it, and writes it as CSV if asked.
static inline void print_row(const struct row *row) {
    if (run.rows == 0)
        fit_table(), print_table_fields(talk(), NULL), fputc('\n', talk());
    print_table_fields(talk(), row);
    if (row->flag && !fit.width[FLAG_COLUMN] && strstr(run.columns, "flag"))
        fprintf(talk(), "\n    %s", row->flag);
    int longest = run.on_cpu ? 0 : fit.room < 32 ? fit.room - 2 : 30;
    for (int i = 0; longest >= 10 && i < longest * row->bar - 0.5; i++)
        fputs(i ? "#" : "  #", talk());
    flush_row(talk());
    csv_row(row);
    run.rows++;
    run.checked_rows += row->check != NULL;
    run.failed_rows += row->check && strcmp(row->check, "ok") != 0;
}

// What the figures say: a sentence, as printf, under the table; in CSV a row with a name and a
// value, and the sentence as its flag. Lessons quote it by its name.
static inline void finding(const char *name, double value, const char *format, ...) {
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
    csv_row(&row);
}

#endif
