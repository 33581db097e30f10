/*
 * columns.c: where the user's tokens stand in their lines.  The preprocessor keeps a token's line,
 * not its column; with the column the compiler's messages point at the place that the user wrote.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include "messages.h"

/* A file of the user, and where its lines begin. */
struct source {
    const char *marker; /* its name as the line markers write it */
    int marker_length;
    char *text;
    const char **lines;
    int line_count;
    struct source *next;
};
static struct source *sources;

/* A line marker's name is a string of C; clang writes \303 where gcc leaves UTF-8. */
static char *unescaped(const char *s, int length) {
    char *name = grow(NULL, (size_t)length + 1), *to = name;
    for (const char *end = s + length; s < end; s++) {
        if (*s == '\\' && s + 3 < end && s[1] >= '0' && s[1] <= '3') {
            *to++ = (char)strtol(format("%.3s", s + 1), NULL, 8);
            s += 3;
        } else {
            s += *s == '\\' && s + 1 < end;
            *to++ = *s;
        }
    }
    *to = '\0';
    return name;
}

static struct source *source_of(struct place at) {
    for (struct source *s = sources; s; s = s->next)
        if (s->marker_length == at.name_length &&
            memcmp(s->marker, at.name, (size_t)at.name_length) == 0)
            return s;
    struct source *s = grow(NULL, sizeof *s);
    *s = (struct source){.marker = at.name, .marker_length = at.name_length, .next = sources};
    FILE *in = at.name_length ? fopen(unescaped(at.name, at.name_length), "r") : NULL;
    size_t length = 0;
    s->text = in ? read_file(in, NULL, &length) : NULL;
    for (const char *p = s->text; p && *p; p += *p == '\n') {
        ADD(s->lines, s->line_count, p);
        p += strcspn(p, "\n");
    }
    if (in)
        fclose(in);
    return sources = s;
}

static const char *line_at(struct place at, size_t *length) {
    const struct source *s = source_of(at);
    if (at.line < 1 || at.line > s->line_count)
        return NULL;
    *length = strcspn(s->lines[at.line - 1], "\n");
    return s->lines[at.line - 1];
}

const char *source_line(int i, size_t *length) { return line_at(place_of(i), length); }

static const char *past_blanks(const char *p, const char *end) {
    for (;;) {
        while (p < end && strchr(" \t\r\f\v\\", *p))
            p++;
        if (end - p < 2 || p[0] != '/' || (p[1] != '*' && p[1] != '/'))
            return p;
        const char *close = p[1] == '*' ? strstr(p + 2, "*/") : NULL;
        if (!close || close + 2 > end)
            return end;
        p = close + 2;
    }
}

static bool starts(const char *p, const char *end, int i) {
    size_t n = tokens[i].length;
    return n && (size_t)(end - p) >= n && memcmp(p, text + tokens[i].start, n) == 0 &&
           !(name_char(p[n - 1]) && p + n < end && name_char(p[n]));
}

/* Does the line continue at p as the tokens do: with two of them, with three where two are but
 * punctuation? */
static bool continues(const char *p, const char *end, int i, int last) {
    bool word = false;
    for (int n = 0; n < 3 && !(n == 2 && word); n++, i++) {
        p = past_blanks(p, end);
        if (i > last)
            return p == end;
        if (!starts(p, end, i))
            return false;
        word |= tokens[i].kind != PUNCTUATION;
        p += tokens[i].length;
    }
    return true;
}

/* What a macro has become has no place of its own: it begins where the macro's name stands, and
 * ends where the line continues. */
static const char *resumed(const char *p, const char *end, int i, int last) {
    for (const char *from = p; p < end; p++)
        if (!(p > from && name_char(*p) && name_char(p[-1])) && continues(p, end, i, last))
            return p;
    return NULL;
}

static void align(int first, int last, const char *line, const char *end) {
    const char *p = line;
    bool in_macro = false;
    for (int i = first; i <= last; i++) {
        p = past_blanks(p, end);
        const char *found = !in_macro && starts(p, end, i) ? p : resumed(p, end, i, last);
        if (found || (!in_macro && p < end))
            tokens[i].column = (int)((found ? found : p) - line) + 1;
        in_macro = !found;
        if (found)
            p = found + tokens[i].length;
    }
}

void find_columns(void) {
    for (int first = 0, last; first < token_count - 1; first = last + 1) {
        last = first;
        if (tokens[first].origin != OF_USER)
            continue;
        struct place at = place_of(first);
        for (struct place next; last + 2 < token_count; last++) {
            next = place_of(last + 1);
            if (tokens[last + 1].origin != OF_USER || next.line != at.line || next.name != at.name)
                break;
        }
        size_t length;
        const char *line = line_at(at, &length);
        if (line)
            align(first, last, line, line + length);
    }
}

const char *placed(int i, const char *s) {
    if (!tokens[i].column)
        return s;
    return format("%s\n%*s%s", marker_of(place_of(i)), tokens[i].column - 1, "", s);
}
