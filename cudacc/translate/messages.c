/*
 * messages.c: errors of the user, as compilers write them: file:line:column, the line, a caret.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdlib.h>
#include "messages.h"

enum { MOST_ERRORS = 16 }; /* with their lines and remarks no more than a hundred lines */

bool colored;
int errors;

static const char *color(const char *code) { return colored ? format("\33[%sm\33[K", code) : ""; }

static void show_caret(int i, const char *code) {
    size_t length;
    const char *line = source_line(i, &length);
    int number = (int)place_of(i).line, skipped = 0;
    if (!line || !tokens[i].column || (size_t)tokens[i].column > length)
        return;
    fprintf(stderr, "%5d | %.*s\n      | ", number, (int)length, line);
    for (; skipped < tokens[i].column - 1; skipped++)
        if ((line[skipped] & 0xc0) != 0x80) /* the first byte of a letter */
            fputc(line[skipped] == '\t' ? '\t' : ' ', stderr);
    fprintf(stderr, "%s^", color(code));
    for (size_t n = 1; n < tokens[i].length; n++)
        if ((text[tokens[i].start + n] & 0xc0) != 0x80)
            fputc('~', stderr);
    fprintf(stderr, "%s\n", color(""));
}

static void message(int i, const char *kind, const char *code, const char *words) {
    struct place at = place_of(i);
    fprintf(stderr, "%s%.*s:%ld:", color("01"), at.name_length, at.name, at.line);
    if (tokens[i].column)
        fprintf(stderr, "%d:", tokens[i].column);
    fprintf(stderr, "%s %s%s:%s %s\n", color(""), color(code), kind, color(""), words);
    show_caret(i, code);
}

#define WORDS_OF(f)                                                                                \
    char words[1000];                                                                              \
    va_list list;                                                                                  \
    va_start(list, f);                                                                             \
    vsnprintf(words, sizeof words, f, list);                                                       \
    va_end(list)

void report(int i, const char *f, ...) {
    WORDS_OF(f);
    if (errors == MOST_ERRORS) {
        fprintf(stderr, "cudacc: after %d errors the rest is not looked at\n", errors);
        exit(1);
    }
    message(i, "error", "01;31", words);
    errors++;
}

void remark(int i, const char *f, ...) {
    WORDS_OF(f);
    message(i, "note", "01;36", words);
}

void warn(int i, const char *f, ...) {
    WORDS_OF(f);
    message(i, "warning", "01;35", words);
}

_Noreturn void fail(int i, const char *message) {
    report(i, "%s", message);
    exit(1);
}
