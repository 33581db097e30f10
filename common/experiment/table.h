// SPDX-License-Identifier: MIT
// Output that fits the terminal. Rows are kept until the table is printed, so that each column is
// as wide as its widest text; lines said between rows keep their place (say, in program.h).
// To change what leaves a table without room: `leaves` in row_columns.
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { NARROWEST = 8, LONGEST_BAR = 30 };

enum field_kind { TEXT, COUNT, REAL };

struct column {
    const char *name;
    enum field_kind kind; // TEXT is aligned to the left
    int names;     // it says what a row is of: it stays where nothing else tells two rows apart
    int leaves;    // a table without room: the highest goes first, 0 stays
    size_t offset; // of the field in struct row
    int width, decimals; // of a number in the table, at most; without decimals: %g
    int of_time;         // a time, or what follows from times: the CPU device has none
};

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
    size_t outliers;   // samples more than 1.5 such ranges beyond a quartile, and 1 % of the median
    double bar;        // 0 to 1: a bar of that length beside the table's row
};

static const struct column row_columns[] = {
// clang-format off
#define COLUMN(name, kind, width, decimals, names, leaves, of_time)                                \
    {#name, kind, names, leaves, offsetof(struct row, name), width, decimals, of_time}
    COLUMN(schema, COUNT, 6, 0, 0, 9, 0), COLUMN(chapter, TEXT, 0, 0, 1, 9, 0),
    COLUMN(program, TEXT, 0, 0, 1, 9, 0), COLUMN(variant, TEXT, 0, 0, 1, 0, 0),
    COLUMN(dtype, TEXT, 0, 0, 1, 6, 0), COLUMN(n, COUNT, 10, 0, 1, 4, 0),
    COLUMN(block, COUNT, 5, 0, 1, 5, 0), COLUMN(parameter, TEXT, 0, 0, 1, 0, 0),
    COLUMN(value, REAL, 9, 0, 0, 0, 0), COLUMN(bytes, COUNT, 10, 0, 1, 4, 0),
    COLUMN(flops, COUNT, 10, 0, 1, 6, 0), COLUMN(samples, COUNT, 7, 0, 0, 9, 1),
    COLUMN(median_ms, REAL, 9, 4, 0, 0, 1), COLUMN(min_ms, REAL, 9, 4, 0, 8, 1),
    COLUMN(max_ms, REAL, 9, 4, 0, 8, 1), COLUMN(spread_pct, REAL, 10, 1, 0, 7, 1),
    COLUMN(gb_per_s, REAL, 8, 1, 0, 0, 1), COLUMN(gflop_per_s, REAL, 11, 1, 0, 3, 1),
    COLUMN(flag, TEXT, 0, 0, 0, 5, 0), COLUMN(check, TEXT, 0, 0, 0, 0, 0),
#undef COLUMN
    // clang-format on
};

enum { ROW_COLUMNS = sizeof row_columns / sizeof row_columns[0] };

// A row, or what was said.
struct kept_line {
    const char *said, *fields[ROW_COLUMNS]; // a field that is not used is ""
    double bar;                             // 0 to 1: its length
};

static struct {
    int width[ROW_COLUMNS]; // 0: not shown
    char gone[512];         // names of columns for which there is no room
    struct kept_line *lines;
    size_t kept;
} table;

// The columns of a terminal, or $COLUMNS; 80 where there is none.
static inline int terminal_width(FILE *out) {
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    if (columns && atoi(columns) > 0)
        return atoi(columns);
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A text in as many lines as it needs, all as far in as the first.
static inline void print_wrapped(FILE *out, const char *text) {
    int width = terminal_width(out), in = (int)strspn(text, " ");
    in = in < width / 2 ? in : 0;
    text += in;
    do {
        int length = (int)strcspn(text, "\n"), most = width - in;
        if (length > most) {
            for (length = most; length > 0 && text[length] != ' ';)
                length--;
            length = length ? length : most; // a word longer than a line
        }
        fprintf(out, "%*s%.*s\n", in, "", length, text);
        text += length;
        text += *text == '\n' ? 1 : strspn(text, " ");
    } while (*text);
}

// ---- Fit ---------------------------------------------------------------------------------------
// Makes each column as wide as its longest text. One that has none in any row is not shown.
static inline void widen_columns(void) {
    for (int c = 0; c < ROW_COLUMNS; c++) {
        size_t longest = 0, name = strlen(row_columns[c].name);
        for (size_t i = 0; i < table.kept; i++) {
            const char *text = table.lines[i].fields[c]; // NULL: a line that was said
            longest = text && strlen(text) > longest ? strlen(text) : longest;
        }
        table.width[c] = (int)(longest == 0 || longest > name ? longest : name);
    }
}

// How much wider than the terminal the table is.
static inline int excess(void) {
    int width = -2 - terminal_width(stdout);
    for (int c = 0; c < ROW_COLUMNS; c++)
        width += table.width[c] ? table.width[c] + 2 : 0;
    return width;
}

// 1 if two rows differ in that column and in no other that says what they are of.
static inline int tells_apart(int c) {
    for (size_t i = 0; i < table.kept; i++)
        for (size_t j = 0; j < i; j++) {
            const char **a = table.lines[i].fields, **b = table.lines[j].fields;
            int others = 0;
            if (!a[c] || !b[c] || strcmp(a[c], b[c]) == 0)
                continue;
            for (int k = 0; k < ROW_COLUMNS; k++)
                others += k != c && table.width[k] && row_columns[k].names && strcmp(a[k], b[k]);
            if (others == 0)
                return 1;
        }
    return 0;
}

// Columns leave until the rest has room. If it never has, the first one becomes narrower.
static inline void fit_table(void) {
    widen_columns();
    for (int leaves = 9; leaves > 0; leaves--)
        for (int c = ROW_COLUMNS - 1; c >= 0 && excess() > 0; c--) {
            const struct column *column = &row_columns[c];
            if (!table.width[c] || column->leaves != leaves || (column->names && tells_apart(c)))
                continue;
            table.width[c] = 0;
            strcat(strcat(table.gone, *table.gone ? ", " : "No room for "), column->name);
        }
    int first = 0;
    while (table.width[first] == 0)
        first++;
    while (excess() > 0 && table.width[first] > NARROWEST)
        table.width[first]--;
}

// ---- Print -------------------------------------------------------------------------------------
// The header, or a row and its bar. A text longer than the first column has a line of its own above
// the others, a warning whose column has left one below them.
static inline void print_line(const struct kept_line *line, int longest_bar) {
    const int bar = line->bar > 0 ? (int)(longest_bar * line->bar + 0.5) : 0; // of NAN, 0
    int blanks = 0; // before the next field: no line ends with one
    for (int c = 0; c < ROW_COLUMNS; c++) {
        const char *text = *line->fields[c] ? line->fields[c] : "-";
        const int width = table.width[c], is_text = row_columns[c].kind == TEXT;
        if (width == 0)
            continue;
        if ((int)strlen(text) > width)
            puts(text), text = "";
        int rest = width - (int)strlen(text);
        printf("%*s%s", *text ? blanks + (is_text ? 0 : rest) : 0, "", text);
        blanks = is_text ? rest + 2 : 2;
    }
    printf("%*s%.*s\n", bar ? blanks : 0, "", bar, "##############################");
    for (int c = 0; c < ROW_COLUMNS; c++)
        if (!table.width[c] && row_columns[c].kind == TEXT && !row_columns[c].names &&
            *line->fields[c])
            printf("    %s\n", line->fields[c]);
}

static inline void table_print(void) {
    struct kept_line header = {NULL, {NULL}, 0};
    if (!table.kept)
        return;
    fit_table();
    if (*table.gone)
        print_wrapped(stdout, strcat(table.gone, "; COLUMNS=200 or --csv shows all."));
    for (int c = 0; c < ROW_COLUMNS; c++)
        header.fields[c] = table.width[c] ? row_columns[c].name : "";
    print_line(&header, 0);
    int room = -excess() - 2, longest = room < 10 ? 0 : room < LONGEST_BAR ? room : LONGEST_BAR;
    for (size_t i = 0; i < table.kept; i++)
        if (table.lines[i].said)
            print_wrapped(stdout, table.lines[i].said);
        else
            print_line(&table.lines[i], longest);
    table.kept = 0;
}

// ---- Keep --------------------------------------------------------------------------------------
static inline struct kept_line *new_line(void) {
    size_t bytes = (table.kept + 1) * sizeof *table.lines;
    table.lines = (struct kept_line *)realloc(table.lines, bytes);
    if (!table.lines)
        abort();
    return (struct kept_line *)memset(&table.lines[table.kept++], 0, sizeof *table.lines);
}

#endif
