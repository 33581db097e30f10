// SPDX-License-Identifier: MIT
// Output that fits the terminal. Rows are kept until the table is printed, so that each column is
// as wide as its widest text; lines said between rows keep their place (say, in program.h).
//
//     table_row(columns, count, NAN)->fields[i] = text; // of malloc, one for each column
//     table_print();                          // by itself when the program ends
//
// To change what leaves a table without room: `leaves` in the caller's columns.
#ifndef TABLE_H
#define TABLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { MOST_COLUMNS = 24, NARROWEST = 8, LONGEST_BAR = 30 };

enum field_kind { TEXT, COUNT, REAL };

struct column {
    const char *name;
    enum field_kind kind; // TEXT is aligned to the left
    int names;     // it says what a row is of: it stays where nothing else tells two rows apart
    int leaves;    // a table without room: the highest goes first, 0 stays
    size_t offset; // of the field in a row (rows.h)
    int width, decimals; // of a number in the table, at most; without decimals: %g
    int of_time;         // a time, or what follows from times: the CPU device has none
};

// A row, or what was said.
struct kept_line {
    const char *said, *fields[MOST_COLUMNS]; // a field that is not used is ""
    double bar;                              // 0 to 1: its length
};

static struct {
    const struct column *columns;
    int count;
    int width[MOST_COLUMNS]; // 0: not shown
    char gone[512];          // names of columns for which there is no room
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
    for (int c = 0; c < table.count; c++) {
        size_t longest = 0, name = strlen(table.columns[c].name);
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
    for (int c = 0; c < table.count; c++)
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
            for (int k = 0; k < table.count; k++)
                others += k != c && table.width[k] && table.columns[k].names && strcmp(a[k], b[k]);
            if (others == 0)
                return 1;
        }
    return 0;
}

// Columns leave until the rest has room. If it never has, the first one becomes narrower.
static inline void fit_table(void) {
    widen_columns();
    for (int leaves = 9; leaves > 0; leaves--)
        for (int c = table.count - 1; c >= 0 && excess() > 0; c--) {
            const struct column *column = &table.columns[c];
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
    for (int c = 0; c < table.count; c++) {
        const char *text = *line->fields[c] ? line->fields[c] : "-";
        const int width = table.width[c], is_text = table.columns[c].kind == TEXT;
        if (width == 0)
            continue;
        if ((int)strlen(text) > width)
            puts(text), text = "";
        int rest = width - (int)strlen(text);
        printf("%*s%s", *text ? blanks + (is_text ? 0 : rest) : 0, "", text);
        blanks = is_text ? rest + 2 : 2;
    }
    printf("%*s%.*s\n", bar ? blanks : 0, "", bar, "##############################");
    for (int c = 0; c < table.count; c++)
        if (!table.width[c] && table.columns[c].kind == TEXT && !table.columns[c].names &&
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
    for (int c = 0; c < table.count; c++)
        header.fields[c] = table.width[c] ? table.columns[c].name : "";
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

static inline struct kept_line *table_row(const struct column *columns, int count, double bar) {
    if (!table.columns) // a program that ends early loses no row
        atexit(table_print);
    table.columns = columns, table.count = count;
    struct kept_line *line = new_line();
    line->bar = bar;
    return line;
}

#endif
