// SPDX-License-Identifier: MIT
// Output that fits the terminal. A table is kept until all its rows are known, so that the columns
// that leave are those that say least; lines said between rows keep their place.
//
//     table_columns(stdout, columns, count);
//     table_row(fields, NAN);          // one text for each column, or NULL
//     table_say("A line.");            // at once, or below the rows before it
//     table_print();                   // all that was kept; by itself when the program ends
//
// To change what leaves first: `leaves` in the caller's columns, and fit_table below.
#ifndef TABLE_H
#define TABLE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<sys/ioctl.h>)
#include <sys/ioctl.h>
#endif

enum { MOST_COLUMNS = 24, WHOLE_TEXT = 18, SHORTEST_TEXT = 6, LONGEST_BAR = 30 };

// A column NAMES what a row is of, holds a VALUE of it, which may be either, or what was MEASURED.
// A MEASURED text that has no room stands below its row.
enum column_role { NAMES, VALUE, MEASURED };

struct column {
    const char *name;
    int is_text; // aligned to the left; may go on in a second line
    enum column_role role;
    int leaves; // a table without room: the highest goes first, 0 stays
};

enum { STATISTIC = 7 }; // what leaves so early, or earlier, leaves before a text is broken

// A row, or what was said.
struct kept_line {
    char *said, *fields[MOST_COLUMNS];
    double bar; // 0 to 1: its length
};

enum where { IS_SHOWN, IS_EMPTY, IS_ABOVE, HAS_NO_ROOM };

static struct {
    FILE *out;
    const struct column *columns;
    int count, width[MOST_COLUMNS]; // 0: not shown
    enum where where[MOST_COLUMNS];
    struct kept_line *lines;
    size_t kept, room;
} table;

// The columns of a terminal, or $COLUMNS; 80 where there is none.
static inline int terminal_width(FILE *out) {
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
#ifdef TIOCGWINSZ
    const int before = errno; // that this is no terminal is no error
    struct winsize size;
    if (width <= 0 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    errno = before;
#else
    (void)out;
#endif
    return width > 0 ? width : 80;
}

// How much of a text is its first line in that width: up to a blank, else up to its end.
static inline int first_line(const char *text, int width) {
    int length = (int)strcspn(text, "\n");
    if (length <= width)
        return length;
    for (int i = width; i > 0; i--)
        if (text[i] == ' ' && text[i - 1] != ' ')
            return i;
    return width;
}

// What follows a first line of that length.
static inline const char *next_line(const char *text, int length) {
    text += length;
    if (*text == '\n')
        return text + 1;
    return text + strspn(text, " ");
}

// A text in as many lines as it needs, all as far in as the first.
static inline void print_wrapped(FILE *out, const char *text) {
    int width = terminal_width(out), in = (int)strspn(text, " ");
    in = in < width / 2 ? in : 0;
    text += in;
    do {
        int length = first_line(text, width - in);
        fprintf(out, "%*s%.*s\n", in, "", length, text);
        text = next_line(text, length);
    } while (*text);
}

// ---- Keep --------------------------------------------------------------------------------------
static inline char *copy_of(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = (char *)malloc(bytes);
    return copy ? (char *)memcpy(copy, text, bytes) : NULL;
}

static inline struct kept_line *new_line(void) {
    if (table.kept == table.room) {
        table.room = 2 * table.room + 64;
        table.lines = (struct kept_line *)realloc(table.lines, table.room * sizeof *table.lines);
        if (!table.lines)
            abort();
    }
    return (struct kept_line *)memset(&table.lines[table.kept++], 0, sizeof *table.lines);
}

static inline void table_say(FILE *out, const char *text) {
    if (table.kept)
        new_line()->said = copy_of(text);
    else
        print_wrapped(out, text);
}

static inline void table_print(void);

static inline void table_row(const char *const *fields, double bar) {
    static int at_exit;
    struct kept_line *line = new_line();
    for (int c = 0; c < table.count; c++)
        line->fields[c] = fields[c] ? copy_of(fields[c]) : NULL;
    line->bar = bar;
    if (!at_exit++) // a program that ends early loses no row
        atexit(table_print);
}

static inline void table_columns(FILE *out, const struct column *columns, int count) {
    table.out = out;
    table.columns = columns;
    table.count = count;
}

// ---- Fit ---------------------------------------------------------------------------------------
static inline int same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

// 1 if all rows have the same text in a column.
static inline int is_constant(int c) {
    const struct kept_line *first = NULL;
    for (size_t i = 0; i < table.kept; i++) {
        const struct kept_line *line = &table.lines[i];
        if (line->said)
            continue;
        if (first && !same_text(first->fields[c], line->fields[c]))
            return 0;
        first = first ? first : line;
    }
    return 1;
}

// 1 if two rows differ in column c and in nothing else that says what they are of.
static inline int differ_by(int c, const struct kept_line *a, const struct kept_line *b) {
    if (a->said || b->said || same_text(a->fields[c], b->fields[c]))
        return 0;
    for (int other = 0; other < table.count; other++)
        if (other != c && table.width[other] && table.columns[other].role == NAMES &&
            !same_text(a->fields[other], b->fields[other]))
            return 0;
    return 1;
}

// 1 if without that column two rows would look alike, but for what was measured.
static inline int tells_apart(int c) {
    if (table.columns[c].role != NAMES)
        return 0;
    for (size_t i = 0; i < table.kept; i++)
        for (size_t j = 0; j < i; j++)
            if (differ_by(c, &table.lines[i], &table.lines[j]))
                return 1;
    return 0;
}

// How much wider than the terminal the table is.
static inline int excess(void) {
    int width = -2;
    for (int c = 0; c < table.count; c++)
        width += table.width[c] ? table.width[c] + 2 : 0;
    return width - terminal_width(table.out);
}

static inline void leave(int c, enum where where) {
    table.width[c] = 0;
    table.where[c] = where;
}

// As wide as the longest text in it. A column that has none in any row is not shown.
static inline void widest(void) {
    for (int c = 0; c < table.count; c++) {
        int longest = 0, name = (int)strlen(table.columns[c].name);
        for (size_t i = 0; i < table.kept; i++) {
            const char *field = table.lines[i].fields[c];
            int length = field ? (int)strlen(field) : 0;
            longest = length > longest ? length : longest;
        }
        table.width[c] = longest > name ? longest : name;
        table.where[c] = IS_SHOWN;
        if (longest == 0)
            leave(c, IS_EMPTY);
    }
}

// Takes out what is the same in all rows, but not the last column.
static inline void drop_constants(void) {
    int left = 0;
    for (int c = 0; c < table.count; c++)
        left += table.where[c] == IS_SHOWN;
    for (int leaves = 9; leaves >= 0; leaves--)
        for (int c = table.count - 1; c >= 0 && excess() > 0 && left > 1; c--)
            if (table.width[c] && table.columns[c].leaves == leaves && is_constant(c)) {
                leave(c, IS_ABOVE);
                left--;
            }
}

// Takes out columns that leave from `first` down to `last`.
static inline void drop_columns(int first, int last) {
    for (int leaves = first; leaves >= last; leaves--)
        for (int c = table.count - 1; c >= 0 && excess() > 0; c--)
            if (table.width[c] && table.columns[c].leaves == leaves && !tells_apart(c))
                leave(c, HAS_NO_ROOM);
}

// Makes the widest text narrower, again and again; none gets less than its name or `least`.
static inline void break_texts(int least) {
    while (excess() > 0) {
        int widest = -1;
        for (int c = 0; c < table.count; c++) {
            int name = (int)strlen(table.columns[c].name);
            if (table.columns[c].is_text && table.width[c] > (name > least ? name : least) &&
                (widest < 0 || table.width[c] > table.width[widest]))
                widest = c;
        }
        if (widest < 0)
            return;
        table.width[widest]--;
    }
}

// What says least goes first: constants, statistics, then what tells no rows apart. Texts go on in
// a second line rather than be cut.
static inline void fit_table(void) {
    widest();
    drop_constants();
    drop_columns(9, STATISTIC);
    break_texts(WHOLE_TEXT);
    drop_columns(STATISTIC - 1, 1);
    break_texts(SHORTEST_TEXT);
}

// Which columns are not shown for a reason, with what is in them or without.
static inline void tell_where(enum where where, const char *before, const char *after) {
    char line[1024];
    size_t used = 0;
    for (int c = 0; c < table.count; c++)
        if (table.where[c] == where && used < sizeof line / 2)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s%s%.200s",
                                     used ? ", " : before, table.columns[c].name,
                                     where == IS_ABOVE ? " " : "",
                                     where == IS_ABOVE ? table.lines[0].fields[c] : "");
    if (used) {
        snprintf(line + used, sizeof line - used, "%s", after);
        print_wrapped(table.out, line);
    }
}

// ---- Print -------------------------------------------------------------------------------------
// The header, or the fields of a row and its bar; what does not fit goes on in the next line.
static inline void print_fields(const char *const *fields, int bar) {
    const char *rest[MOST_COLUMNS];
    for (int c = 0; c < table.count; c++)
        rest[c] = fields[c] ? fields[c] : "-";
    for (int more = 1, line = 0; more; line++) {
        int blanks = 0, began = 0; // printed before the next field: no line ends with one
        more = 0;
        for (int c = 0; c < table.count; c++) {
            int width = table.width[c], length = first_line(rest[c], width);
            if (!width)
                continue;
            blanks += began++ ? 2 : 0;
            blanks += table.columns[c].is_text ? 0 : width - length;
            if (length)
                fprintf(table.out, "%*s%.*s", blanks, "", length, rest[c]), blanks = 0;
            blanks += table.columns[c].is_text ? width - length : 0;
            rest[c] = next_line(rest[c], length);
            more |= *rest[c] != '\0';
        }
        if (bar && line == 0)
            fprintf(table.out, "%*s", blanks + 2, "");
        for (int i = 0; i < bar && line == 0; i++)
            fputc('#', table.out);
        fputc('\n', table.out);
    }
}

// What was measured, is a text, and has no column.
static inline void print_below(const struct kept_line *line) {
    for (int c = 0; c < table.count; c++) {
        const struct column *column = &table.columns[c];
        if (table.where[c] == HAS_NO_ROOM && column->is_text && column->role == MEASURED &&
            line->fields[c]) {
            char text[256];
            snprintf(text, sizeof text, "    %s", line->fields[c]);
            print_wrapped(table.out, text);
        }
    }
}

static inline void print_kept(const struct kept_line *line, int longest_bar) {
    if (line->said) {
        print_wrapped(table.out, line->said);
    } else {
        double length = longest_bar * line->bar; // of NAN, 0
        print_fields((const char *const *)line->fields, length > 0.5 ? (int)(length + 0.5) : 0);
        print_below(line);
    }
}

static inline void table_print(void) {
    const char *names[MOST_COLUMNS];
    if (!table.kept)
        return;
    fit_table();
    tell_where(IS_ABOVE, "In all rows: ", ".");
    tell_where(HAS_NO_ROOM, "No room for ", "; COLUMNS=200 or --csv shows all.");
    for (int c = 0; c < table.count; c++)
        names[c] = table.columns[c].name;
    print_fields(names, 0);
    int bar = -excess() - 2;
    bar = bar < 10 ? 0 : bar < LONGEST_BAR ? bar : LONGEST_BAR;
    for (size_t i = 0; i < table.kept; i++)
        print_kept(&table.lines[i], bar);
    for (size_t i = 0; i < table.kept; i++) {
        free(table.lines[i].said);
        for (int c = 0; c < table.count; c++)
            free(table.lines[i].fields[c]);
    }
    table.kept = 0;
    fflush(table.out);
}

#endif
