/*
 * tokens.c: the text as an array of tokens, questions about them, and how they are rewritten: a
 * rewrite only sets the strings `before`, `instead` and `after` of a token.
 *
 * SPDX-License-Identifier: MIT
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include "tokens.h"

char *text;
size_t text_length;
const char *file_name = "<stdin>";
struct token *tokens;
int token_count;

void *grow(void *p, size_t size) {
    p = realloc(p, size);
    if (!p) {
        fprintf(stderr, "translate: out of memory\n");
        exit(1);
    }
    return p;
}

void *with_room(void *list, int count, size_t size) {
    return count & (count - 1) ? list : grow(list, (2 * (size_t)count + 1) * size);
}

char *format(const char *f, ...) {
    va_list list;
    va_start(list, f);
    int n = vsnprintf(NULL, 0, f, list);
    va_end(list);
    char *s = grow(NULL, (size_t)n + 1);
    va_start(list, f);
    vsnprintf(s, (size_t)n + 1, f, list);
    va_end(list);
    return s;
}

void append(const char **s, const char *more) { *s = *s ? format("%s%s", *s, more) : more; }

const char *quoted(const char *s) {
    char *q = grow(NULL, 2 * strlen(s) + 3), *p = q;
    *p++ = '"';
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            *p++ = '\\';
        *p++ = *s;
    }
    memcpy(p, "\"", 2);
    return q;
}

char *read_file(FILE *in, char *s, size_t *length) {
    size_t room = *length + (1 << 20);
    s = grow(s, room);
    for (size_t n; (n = fread(s + *length, 1, room - *length - 2, in)) > 0;)
        if (*length += n, room - *length < 1 << 16)
            s = grow(s, room *= 2);
    s[*length] = s[*length + 1] = '\0';
    return s;
}
void read_text(FILE *in) { text = read_file(in, text, &text_length); }

bool is(int i, const char *s) {
    if (i < 0 || i >= token_count)
        return false;
    const struct token *t = &tokens[i];
    return t->length == strlen(s) && memcmp(text + t->start, s, t->length) == 0;
}

bool begins(int i, const char *with) {
    size_t length = strlen(with);
    return tokens[i].length >= length && memcmp(text + tokens[i].start, with, length) == 0;
}

bool is_one_of(int i, const char *set) {
    if (i < 0 || i >= token_count)
        return false;
    const struct token *t = &tokens[i];
    for (const char *p = set; *p;) {
        size_t n = strcspn(p, " ");
        if (n == t->length && memcmp(text + t->start, p, n) == 0)
            return true;
        p += n;
        p += *p == ' ';
    }
    return false;
}

bool is_name(int i) { return i >= 0 && i < token_count && tokens[i].kind == NAME; }

bool same_text(int a, int b) {
    return tokens[a].length == tokens[b].length &&
           memcmp(text + tokens[a].start, text + tokens[b].start, tokens[a].length) == 0;
}

bool has_word(int first, int end, const char *word) {
    while (first < end && !is(first, word))
        first++;
    return first < end;
}

bool has_one_of(int first, int end, const char *set) {
    while (first < end && !is_one_of(first, set))
        first++;
    return first < end;
}

bool opens(int i) { return is_one_of(i, "( [ { ") && tokens[i].match > i; }
bool closes(int i) { return is_one_of(i, ") ] } ") && tokens[i].match < i; }
bool shift(int i, const char *half) {
    return is(i, half) && is(i + 1, half) && !tokens[i + 1].spaced;
}

int angle_close(int i) {
    int depth = 0;
    for (; i < token_count; i++) {
        if (opens(i))
            i = tokens[i].match;
        else if (shift(i, "<"))
            i++;
        else if (is(i, "<"))
            depth++;
        else if (is(i, ">") && --depth == 0)
            return i;
        else if (is_one_of(i, "; ) ] } "))
            break;
    }
    return -1;
}

int angle_open(int i) {
    int depth = 0;
    for (; i >= 0; i--) {
        if (closes(i))
            i = tokens[i].match;
        else if (i > 0 && shift(i - 1, "<"))
            i--;
        else if (is(i, ">"))
            depth++;
        else if (is(i, "<") && --depth == 0)
            return i;
        else if (is_one_of(i, "; ( [ { "))
            break;
    }
    return -1;
}

int past(int i) {
    if (is(i, "<") && is_name(i - 1) && angle_close(i) > 0)
        return angle_close(i) + 1;
    return opens(i) ? tokens[i].match + 1 : i + 1;
}

int find(int i, int end, const char *set) {
    while (i < end && !is_one_of(i, set))
        i = opens(i) ? tokens[i].match + 1 : i + 1;
    return i;
}

bool is_call(int i) { return is_name(i) && is(is(i + 1, "<") ? past(i + 1) : i + 1, "("); }

void add_name(struct names *n, int i) { ADD(n->at, n->count, i); }

bool has_name(const struct names *n, int i) {
    int k = 0;
    while (k < n->count && !same_text(n->at[k], i))
        k++;
    return k < n->count;
}

void drop(int first, int last) {
    for (int i = first; i <= last; i++)
        tokens[i].instead = "";
}

char *join(int first, int last) {
    char *s = format("%s", "");
    for (int i = first; i <= last; i++)
        s = format("%s%s%.*s", s, i > first && tokens[i].spaced ? " " : "", (int)tokens[i].length,
                   text + tokens[i].start);
    return s;
}

static size_t written; /* bytes since the last end of a line */

static void put(FILE *out, const char *s, size_t n) {
    fwrite(s, 1, n, out);
    for (const char *p = s + n; p > s; p--)
        if (p[-1] == '\n') {
            written = (size_t)(s + n - p);
            return;
        }
    written += n;
}

/* A token of the user stands in its column, if need be in a line that says that it is the same. */
static void put_in_column(FILE *out, int i, bool may_part) {
    size_t wanted = (size_t)tokens[i].column - 1;
    if (!tokens[i].column || !may_part || written == wanted)
        return;
    if (written > wanted) {
        fprintf(out, "%s\n", marker_of(place_of(i)));
        written = 0;
    }
    fprintf(out, "%*s", (int)(wanted - written), "");
    written = wanted;
}

void write_text(FILE *out) {
    size_t p = 0;
    bool rewritten = false; /* the token before: something stands between it and this one */
    for (int i = 0; i < token_count; i++) {
        const struct token *t = &tokens[i];
        put(out, text + p, t->start - p);
        if (t->before)
            put(out, t->before, strlen(t->before));
        bool absent = t->instead && !*t->instead;
        put_in_column(out, i, !absent && (t->spaced || t->before || rewritten));
        if (t->instead)
            put(out, t->instead, strlen(t->instead));
        else
            put(out, text + t->start, t->length);
        if (t->after)
            put(out, t->after, strlen(t->after));
        rewritten = t->instead || t->after;
        p = t->start + t->length;
    }
}

struct place place_of(int i) {
    static const char *p; /* continues from the token asked for last */
    static struct place at;
    const char *end = text + tokens[i].start;
    if (!p || p > end) {
        p = text;
        at = (struct place){file_name, (int)strlen(file_name), 1};
    }
    while (p < end) {
        const char *next = memchr(p, '\n', (size_t)(end - p));
        char *number_end;
        if (!next)
            break;
        if (p[0] == '#' && p[1] == ' ' && isdigit((unsigned char)p[2])) {
            at.line = strtol(p + 2, &number_end, 10) - 1;
            if (number_end[0] == ' ' && number_end[1] == '"') {
                at.name = number_end + 2;
                at.name_length = (int)strcspn(at.name, "\"\n");
            }
        }
        at.line++;
        p = next + 1;
    }
    return at;
}

char *marker_of(struct place at) {
    return format("\n# %ld \"%.*s\"", at.line, at.name_length, at.name);
}

/* A line marker's name is a string already. */
const char *quoted_place(int i) {
    struct place at = place_of(i);
    return format("\"%.*s\", %ld", at.name_length, at.name, at.line);
}
