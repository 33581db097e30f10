/*
 * lexer.c: from text to tokens.
 *
 * SPDX-License-Identifier: MIT
 */
#include <ctype.h>
#include <stdlib.h>
#include "tokens.h"

bool name_char(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80); }

/* gcc's preprocessor writes \U000000f6 for a letter beyond ASCII in a name. 0: none is there. */
static size_t universal_name(size_t p) {
    return text[p] == '\\' && text[p + 1] == 'U' &&
                   strspn(text + p + 2, "0123456789abcdefABCDEF") >= 8
               ? 10
               : 0;
}

/* A name of so many bytes as its writer wrote it, in UTF-8: so many bytes, blanks after them. */
static size_t written_out(char *name, size_t length) {
    char *to = name;
    for (size_t p = 0; p < length;) {
        if (name[p] != '\\') {
            *to++ = name[p++];
            continue;
        }
        char digits[9] = "";
        memcpy(digits, name + p + 2, 8);
        unsigned long c = strtoul(digits, NULL, 16);
        int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
        *to++ = (char)(lead[more] | c >> 6 * more);
        while (more-- > 0)
            *to++ = (char)(0x80 | (c >> 6 * more & 0x3f));
        p += 10;
    }
    memset(to, ' ', (size_t)(name + length - to));
    return (size_t)(to - name);
}

static bool string_prefix(const char *s, size_t n) {
    return strstr(" L u U u8 R LR uR UR u8R ", format(" %.*s ", (int)n, s));
}

static size_t end_of_quoted(size_t p) {
    char quote = text[p++];
    while (p < text_length && text[p] != quote && text[p] != '\n')
        p += text[p] == '\\' && p + 1 < text_length ? 2 : 1;
    return p < text_length ? p + 1 : p;
}

static size_t end_of_raw_string(size_t p) { /* at the quote of R"mark( ... )mark" */
    const char *mark = text + p + 1;
    size_t n = strcspn(mark, "(\n\"");
    for (const char *q = mark + n; (q = strchr(q, ')')); q++)
        if (strncmp(q + 1, mark, n) == 0 && q[1 + n] == '"')
            return (size_t)(q - text) + n + 2;
    return text_length;
}

static size_t end_of_number(size_t p) {
    for (p++; p < text_length; p++) {
        char c = text[p], last = text[p - 1];
        bool sign = (c == '+' || c == '-') && strchr("eEpP", last);
        bool separator = c == '\'' && name_char(text[p + 1]);
        if (!name_char(c) && c != '.' && !sign && !separator)
            break;
    }
    return p;
}

static enum origin origin_now; /* as the last line marker says */
const char *own_folder;
size_t own_length;

static bool starts_with(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}
static bool is_own_header(const char *name) {
    return own_folder && strncmp(name, own_folder, own_length) == 0 &&
           (starts_with(name + own_length, "include/") ||
            starts_with(name + own_length, "extra/include/"));
}

/* At a marker: NUMBER "NAME" FLAGS. Among the flags, 1: a file begins, 2: it continues after
 * another one, 3: it is a header of the system, or, without 1 and 2, a macro of the system stands
 * here. */
static void read_marker(const char *marker, const char *end) {
    static const char header[] = "/include/cuda_runtime.h";
    static bool marked;
    const char *name = memchr(marker, '"', (size_t)(end - marker));
    const char *close = name ? memchr(name + 1, '"', (size_t)(end - name - 1)) : NULL;
    if (!close)
        return;
    size_t length = (size_t)(close - ++name), tail = sizeof header - 1;
    if (!own_folder && length > tail && memcmp(close - tail, header, tail) == 0) {
        own_folder = name;
        own_length = length - tail + 1;
    }
    if (is_own_header(name))
        origin_now = OF_CPU_DEVICE;
    else if (memchr(close, '1', (size_t)(end - close)) ||
             memchr(close, '2', (size_t)(end - close)) || !marked)
        origin_now = memchr(close, '3', (size_t)(end - close)) ? OF_SYSTEM : OF_USER;
    marked = true;
}

/* Directives stay in the text, outside the tokens.  nvcc's own pragmas are blanked: a host
 * compiler warns about those that it does not know. */
static size_t end_of_directive(size_t p) {
    size_t end = p + strcspn(text + p, "\n");
    const char *word = text + p + 1 + strspn(text + p + 1, " \t");
    if (isdigit((unsigned char)*word))
        read_marker(word, text + end);
    if (strncmp(word, "pragma", 6) == 0) {
        static const char *const ours[] = {"unroll", "nounroll", "nv_", "diag_", "hd_warning"};
        word += 6 + strspn(word + 6, " \t");
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            if (strncmp(word, ours[i], strlen(ours[i])) == 0)
                memset(text + p, ' ', end - p);
    }
    return end;
}

static size_t end_of_punctuation(size_t p) {
    /* `<<` and `>>` stay single characters: they may belong to templates and launches. */
    static const char *const long_ones[] = {"<<=", ">>=", "->*", "...", "::", "->",
                                            "<=",  ">=",  "==",  "!=",  "&&", "||"};
    size_t minus = p;
    while (minus > 0 && text[minus - 1] == '-')
        minus--;
    if (text[p] == '-' && (p - minus) % 2 == 1)
        return p + 1; /* the second half of `--`, also of `n --> 0` */
    for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++)
        if (starts_with(text + p, long_ones[i]))
            return p + strlen(long_ones[i]);
    return p + 1;
}

/* Digraphs and words for operators become what they stand for, and blanks. */
static void respell(size_t p) {
    static const char *const spellings[][2] = {
        {"<:", "["},      {":>", "]"},    {"<%", "{"},      {"%>", "}"},     {"and", "&&"},
        {"or", "||"},     {"not", "!"},   {"xor", "^"},     {"bitand", "&"}, {"bitor", "|"},
        {"and_eq", "&="}, {"compl", "~"}, {"xor_eq", "^="}, {"or_eq", "|="}, {"not_eq", "!="}};
    if (strncmp(text + p, "<::", 3) == 0 && text[p + 3] != ':' && text[p + 3] != '>')
        return; /* X<::Y> */
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const char *from = spellings[i][0];
        size_t length = strlen(from), end = p + length;
        if (strncmp(text + p, from, length) == 0 &&
            !(name_char(*from) && (name_char(text[end]) || universal_name(end)))) {
            memset(text + p, ' ', length);
            memcpy(text + p, spellings[i][1], strlen(spellings[i][1]));
            return;
        }
    }
}

static void add_token(struct token t) {
    t.match = token_count;
    ADD(tokens, token_count, t);
}

static void match_brackets(void) {
    int *open = grow(NULL, ((size_t)token_count + 1) * sizeof *open), depth = 0;
    for (int i = 0; i < token_count; i++) {
        if (tokens[i].kind != PUNCTUATION || tokens[i].length != 1)
            continue;
        char c = text[tokens[i].start];
        if (strchr("([{", c)) {
            open[depth++] = i;
        } else if (strchr(")]}", c)) {
            char partner = c == ')' ? '(' : c == ']' ? '[' : '{';
            int d = depth;
            while (d > 0 && text[tokens[open[d - 1]].start] != partner)
                d--;
            if (d == 0)
                continue;
            depth = d - 1;
            tokens[open[depth]].match = i;
            tokens[i].match = open[depth];
        }
    }
    free(open);
}

static size_t end_of_comment(size_t p) {
    bool whole_line = text[p + 1] == '/';
    const char *end = strstr(text + p + 2, whole_line ? "\n" : "*/");
    return end ? (size_t)(end - text) + (whole_line ? 0 : 2) : text_length;
}

/* Behind blanks, comments and directives. */
static size_t start_of_token(size_t p, bool line_start) {
    while (p < text_length) {
        if (isspace((unsigned char)text[p]))
            line_start |= text[p++] == '\n';
        else if (text[p] == '#' && line_start)
            p = end_of_directive(p);
        else if (text[p] == '/' && (text[p + 1] == '/' || text[p + 1] == '*'))
            p = end_of_comment(p);
        else if (text[p] == '\\' && text[p + 1 + strspn(text + p + 1, " \t")] == '\n')
            text[p++] = ' '; /* a comment stood behind it: nvcc, too, takes it for a line's end */
        else
            break;
    }
    return p;
}

static size_t end_of_token(size_t p, enum kind *kind) {
    size_t start = p;
    char c = text[p];
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)text[p + 1]))) {
        *kind = NUMBER;
        return end_of_number(p);
    }
    *kind = c == '"' || c == '\'' ? TEXT : PUNCTUATION;
    if (!name_char(c) && !universal_name(p))
        return *kind == TEXT ? end_of_quoted(p) : end_of_punctuation(p);
    while (p < text_length && (name_char(text[p]) || universal_name(p)))
        p += name_char(text[p]) ? 1 : universal_name(p);
    *kind = NAME;
    if ((text[p] != '"' && text[p] != '\'') || !string_prefix(text + start, p - start))
        return p;
    *kind = TEXT;
    return text[p - 1] == 'R' ? end_of_raw_string(p) : end_of_quoted(p);
}

void tokenize(void) {
    size_t start, end = 0;
    while ((start = start_of_token(end, end == 0)) < text_length) {
        enum kind kind;
        bool spaced = end == 0 || start > end;
        respell(start);
        end = end_of_token(start, &kind);
        size_t length = end - start;
        if (kind == NAME && memchr(text + start, '\\', length))
            length = written_out(text + start, length);
        add_token((struct token){.kind = kind,
                                 .start = start,
                                 .length = length,
                                 .spaced = spaced,
                                 .origin = origin_now});
    }
    add_token(
        (struct token){.kind = END, .start = text_length, .spaced = true, .origin = origin_now});
    match_brackets();
}
