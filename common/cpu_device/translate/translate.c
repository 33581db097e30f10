/*
 * translate.c: CUDA C++ to C++.  Reads preprocessed text, writes the same text with what a host
 * compiler does not know rewritten.  Everything else passes through byte for byte, and no rewrite
 * adds or removes a line, so that the compiler's messages stay located in the user's file.
 *
 *     translate [--rdc] [--trace] [--straight=ATTRIBUTE] [FILE] >TEXT
 *
 *     --rdc     as nvcc -rdc=true
 *     --trace, --straight   for a traced build: see translate_trace.h
 *
 *   k<<<grid, block>>>(x)     cpu_device::bind(k, ..., cpu_device::config(grid, block))(x)
 *   __global__ void k() {}    void k() {} and an entry in the list of kernels
 *   __device__ float x;       static float x in a section that the runtime knows; so for
 *                             __constant__ and __managed__
 *   __shared__ float t[32];   static thread_local float t[32];
 *   extern __shared__ T s[];  extern __thread T s[], an alias of the launch's shared memory
 *
 * The text becomes an array of tokens.  walk() goes through the scopes and rewrites declarations;
 * launches come last, when all kernels are known.  A rewrite only sets the strings `before`,
 * `instead` and `after` of a token.
 *
 * SPDX-License-Identifier: MIT
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NAME, NUMBER, TEXT, PUNCTUATION, END };

enum origin { OF_USER, OF_SYSTEM, OF_CPU_DEVICE };

struct token {
    enum kind kind;
    size_t start, length;
    int match;   /* of a bracket: its partner; itself when there is none */
    bool spaced; /* something stands between it and the token before */
    enum origin origin;
    const char *before, *instead, *after;
};

static char *text;
static size_t text_length;
static const char *file_name = "<stdin>";
static struct token *tokens;
static int token_count;
static bool separate;                       /* --rdc */
static bool tracing;                        /* --trace */
static const char *straight_attribute = ""; /* what a kernel without loops gets in a traced build */

/* Memory is given back by exit(). */
static void *grow(void *p, size_t size) {
    p = realloc(p, size);
    if (!p) {
        fprintf(stderr, "translate: out of memory\n");
        exit(1);
    }
    return p;
}

__attribute__((format(printf, 1, 2))) static char *format(const char *f, ...) {
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

/* Where a token stands in the user's file, by the line markers before it. */
struct place {
    const char *name;
    int name_length;
    long line;
};
static struct place place_of(int i) {
    static const char *p; /* goes on from the token asked for last */
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

static _Noreturn void fail(int i, const char *message) {
    struct place at = place_of(i);
    fprintf(stderr, "%.*s:%ld: error: %s\n", at.name_length, at.name, at.line, message);
    exit(1);
}

/* ---- Tokens ------------------------------------------------------------------------------- */

static bool is(int i, const char *s) {
    if (i < 0 || i >= token_count)
        return false;
    const struct token *t = &tokens[i];
    return t->length == strlen(s) && memcmp(text + t->start, s, t->length) == 0;
}

/* `set` is a list of words, each followed by a space. */
static bool is_one_of(int i, const char *set) {
    if (i < 0 || i >= token_count)
        return false;
    const struct token *t = &tokens[i];
    for (const char *p = set; *p;) {
        size_t n = strcspn(p, " ");
        if (n == t->length && memcmp(text + t->start, p, n) == 0)
            return true;
        p += n + 1;
    }
    return false;
}

static bool is_name(int i) { return i >= 0 && i < token_count && tokens[i].kind == NAME; }

static bool name_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

static bool string_prefix(const char *s, size_t n) {
    static const char *const prefixes[] = {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strlen(prefixes[i]) == n && memcmp(s, prefixes[i], n) == 0)
            return true;
    return false;
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

static enum origin origin_now;  /* as the last line marker says */
static const char *own_headers; /* the folder of the CPU device, up to its last slash */
static size_t own_length;

/* At a marker: NUMBER "NAME" FLAGS. Among the flags, 1: a file begins, 2: it goes on after another
 * one, 3: it is a header of the system, or, without 1 and 2, a macro of the system stands here. */
static void read_marker(const char *marker, const char *end) {
    static const char header[] = "/cuda_runtime.h";
    static bool marked;
    const char *name = memchr(marker, '"', (size_t)(end - marker));
    const char *close = name ? memchr(name + 1, '"', (size_t)(end - name - 1)) : NULL;
    if (!close)
        return;
    size_t length = (size_t)(close - ++name), tail = sizeof header - 1;
    if (!own_headers && length > tail && memcmp(close - tail, header, tail) == 0) {
        own_headers = name;
        own_length = length - tail + 1;
    }
    if (own_headers && strncmp(name, own_headers, own_length) == 0)
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
    for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++)
        if (strncmp(text + p, long_ones[i], strlen(long_ones[i])) == 0)
            return p + strlen(long_ones[i]);
    return p + 1;
}

static void add_token(enum kind kind, size_t start, size_t end, bool spaced) {
    static int room;
    if (token_count == room) {
        room = room ? 2 * room : 1 << 14;
        tokens = grow(tokens, (size_t)room * sizeof *tokens);
    }
    tokens[token_count] = (struct token){.kind = kind,
                                         .start = start,
                                         .length = end - start,
                                         .match = token_count,
                                         .spaced = spaced,
                                         .origin = origin_now};
    token_count++;
}

static void tokenize(void) {
    size_t p = 0;
    bool line_start = true, spaced = true;
    while (p < text_length) {
        char c = text[p];
        size_t start = p;
        if (isspace((unsigned char)c)) {
            line_start |= c == '\n';
            spaced = true;
            p++;
            continue;
        }
        if (c == '#' && line_start) {
            p = end_of_directive(p);
            continue;
        }
        if (c == '/' && (text[p + 1] == '/' || text[p + 1] == '*')) {
            const char *end = strstr(text + p + 2, text[p + 1] == '/' ? "\n" : "*/");
            p = end ? (size_t)(end - text) + (text[p + 1] == '/' ? 0 : 2) : text_length;
            spaced = true;
            continue;
        }
        enum kind kind = PUNCTUATION;
        if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)text[p + 1]))) {
            kind = NUMBER;
            p = end_of_number(p);
        } else if (name_char(c)) {
            kind = NAME;
            while (p < text_length && name_char(text[p]))
                p++;
            if ((text[p] == '"' || text[p] == '\'') && string_prefix(text + start, p - start)) {
                kind = TEXT;
                p = text[p - 1] == 'R' ? end_of_raw_string(p) : end_of_quoted(p);
            }
        } else if (c == '"' || c == '\'') {
            kind = TEXT;
            p = end_of_quoted(p);
        } else {
            p = end_of_punctuation(p);
        }
        add_token(kind, start, p, spaced);
        line_start = spaced = false;
    }
    add_token(END, text_length, text_length, true);
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

static bool opens(int i) { return is_one_of(i, "( [ { ") && tokens[i].match > i; }
static bool closes(int i) { return is_one_of(i, ") ] } ") && tokens[i].match < i; }
static bool shift(int i, const char *half) {
    return is(i, half) && is(i + 1, half) && !tokens[i + 1].spaced;
}

/* From the `<` of a template argument list to its `>`; -1: it was no such list. */
static int angle_close(int i) {
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

static int angle_open(int i) {
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

static bool same_text(int a, int b) {
    return tokens[a].length == tokens[b].length &&
           memcmp(text + tokens[a].start, text + tokens[b].start, tokens[a].length) == 0;
}

static bool has_word(int first, int end, const char *word) {
    while (first < end && !is(first, word))
        first++;
    return first < end;
}

/* ---- Rewriting ---------------------------------------------------------------------------- */

static void append(const char **s, const char *more) { *s = *s ? format("%s%s", *s, more) : more; }
static void drop(int first, int last) {
    for (int i = first; i <= last; i++)
        tokens[i].instead = "";
}

/* The tokens as text on one line. */
static char *join(int first, int last) {
    char *s = format("%s", "");
    for (int i = first; i <= last; i++)
        s = format("%s%s%.*s", s, i > first && tokens[i].spaced ? " " : "", (int)tokens[i].length,
                   text + tokens[i].start);
    return s;
}

static void write_result(FILE *out) {
    size_t p = 0;
    for (int i = 0; i < token_count; i++) {
        const struct token *t = &tokens[i];
        fwrite(text + p, 1, t->start - p, out);
        if (t->before)
            fputs(t->before, out);
        if (t->instead)
            fputs(t->instead, out);
        else
            fwrite(text + t->start, 1, t->length, out);
        if (t->after)
            fputs(t->after, out);
        p = t->start + t->length;
    }
}

/* ---- Declarations ------------------------------------------------------------------------- */

enum scope { NAMESPACE, CLASS, BLOCK };

enum word { GLOBAL, DEVICE, SHARED, CONSTANT, MANAGED, STATIC, EXTERN, INLINE, FRIEND, WORDS };
static const char *const words[WORDS] = {
    "__global__ ",  "__device__ ", "__shared__ ", "__constant__ ",
    "__managed__ ", "static ",     "extern ",     "inline __inline__ __inline __forceinline__ ",
    "friend "};

/* Words that take an argument in parentheses without being functions. */
static const char attributes[] =
    "__attribute__ __attribute alignas _Alignas __align__ __declspec decltype __typeof__ typeof "
    "__launch_bounds__ __cluster_dims__ __block_size__ __maxnreg__ explicit noexcept ";

struct declaration {
    int start;
    int at[WORDS];       /* the token of each word; -1: absent */
    int template_header; /* the `<` after the first `template`; -1: no template */
    bool specialization; /* template <> */
    int bounds;          /* the `(` of __launch_bounds__; -1: none */
    int name;            /* token of the declared name, without qualification */
    int end;             /* the token after the first declarator's name */
    bool function, constant, qualified, linkage, type_first;
};

static struct declaration parse_declaration(int start) {
    struct declaration d = {.start = start, .template_header = -1, .bounds = -1, .name = -1};
    bool has_class_key = false;
    int i = start;
    for (int w = 0; w < WORDS; w++)
        d.at[w] = -1;
    for (;; i++) {
        if (is(i, "template")) {
            if (!is(i + 1, "<"))
                continue;
            int close = angle_close(i + 1);
            if (close < 0)
                break;
            d.template_header = i + 1;
            d.specialization = close == i + 2;
            i = close;
        } else if (is(i, "extern") && tokens[i + 1].kind == TEXT) {
            d.linkage = true;
            i++;
        } else if (is(i, "operator")) {
            d.function = true;
            d.name = i;
            break;
        } else if (is_one_of(i, attributes)) {
            if (is(i, "__launch_bounds__") && opens(i + 1))
                d.bounds = i + 1;
            if (opens(i + 1))
                i = tokens[i + 1].match;
        } else if (is_name(i)) {
            if (is_one_of(i, "struct class union enum "))
                has_class_key = true;
            if (is_one_of(i, "const constexpr "))
                d.constant = true;
            for (int w = 0; w < WORDS; w++)
                if (d.at[w] < 0 && is_one_of(i, words[w]))
                    d.at[w] = i;
            d.qualified = is(i - 1, "::");
            d.name = i;
        } else if (is(i, "<") && is_name(i - 1)) {
            int close = angle_close(i);
            if (close < 0)
                break;
            i = close;
        } else if (is(i, "[") && is(i + 1, "[") && opens(i)) {
            i = tokens[i].match;
        } else if (is(i, "{") && has_class_key && opens(i)) {
            i = tokens[i].match;
            has_class_key = false;
            d.type_first = true;
        } else if (is_one_of(i, "* & && ")) {
            d.constant = false;
        } else if (is(i, "(")) {
            /* (*name)... declares a pointer, (3) initialises; all else is a function. */
            if (is_one_of(i + 1, "* & ") && is_name(i + 2) && !is(i + 3, "(")) {
                d.name = i + 2;
                d.constant = false;
            } else {
                d.function = tokens[i + 1].kind != NUMBER && tokens[i + 1].kind != TEXT;
            }
            break;
        } else if (!is_one_of(i, ":: ~ ... ")) {
            break;
        }
    }
    d.end = i;
    return d;
}

/* ---- Variables ---------------------------------------------------------------------------- */

/* A `__shared__ alignas(16) float x` is legal for nvcc; C++ wants alignas to come first. */
static void hoist_alignas(const struct declaration *d) {
    for (int i = d->start; i < d->end; i++) {
        if (!is(i, "alignas") || !opens(i + 1) || i == d->start)
            continue;
        append(&tokens[d->start].before, format("%s ", join(i, tokens[i + 1].match)));
        drop(i, tokens[i + 1].match);
    }
}

/* A type without what belongs to the variable alone. */
static char *type_text(int first, int last) {
    char *s = format("%s", "");
    for (int i = first; i <= last; i++) {
        if (is_one_of(i, attributes) && opens(i + 1))
            i = tokens[i + 1].match;
        else if (!is_one_of(i, "extern static __shared__ "))
            s = format("%s %s", s, join(i, i));
    }
    return s;
}

/* `float s[]` names the shared memory of the launch.  In a template that takes a reference: g++
 * forgets the name in __asm__ when it instantiates one. */
static void rewrite_dynamic_shared(const struct declaration *d, bool in_template) {
    int base_end = d->start; /* of the type that all declarators share */
    while (base_end < d->name && !is_one_of(base_end, "* & "))
        base_end++;
    for (int first = base_end, i = d->end; i < token_count; first = ++i) {
        while (opens(i) && !is(i, "["))
            i = tokens[i].match + 1;
        int name = i - 1, last = name; /* the name, and the `]` of its last dimension */
        while (is(last + 1, "[") && opens(last + 1))
            last = tokens[last + 1].match;
        if (in_template) {
            append(&tokens[name].before, "(&");
            append(&tokens[name].after, ")");
            append(&tokens[last].after,
                   format(" = reinterpret_cast<%s %s (&)%s>(::cpu_device_dynamic_shared)",
                          type_text(d->start, base_end - 1), join(first, name - 1),
                          join(name + 1, last)));
        } else {
            append(&tokens[last].after, " __asm__(\"cpu_device_dynamic_shared\")");
        }
        for (i = last + 1; !is_one_of(i, ", ; ") && i < token_count; i++)
            if (opens(i))
                i = tokens[i].match;
        if (!is(i, ","))
            break;
        while (!is_one_of(i + 1, "[ , ; ") && i + 1 < token_count)
            i++;
    }
}

static void trace_variables(const struct declaration *d, const char *kind, enum scope scope);

static const char *shared_names =
    ""; /* " a  b ": the __shared__ variables in scope of a function */

/* More than a block has is an error of nvcc's assembler. What other functions of the kernel have,
 * and blocks that have ended, is not counted here. */
static void limit_shared(const struct declaration *d) {
    for (int i = d->end, name = d->name; i < token_count; name = i++) {
        while (i < token_count && !is_one_of(i, ", ; "))
            i = opens(i) ? tokens[i].match + 1 : i + 1;
        char *word = format(" %s ", join(name, name));
        if (!strstr(shared_names, word))
            shared_names = format("%s%s", shared_names, word);
        if (!is(i, ",")) {
            char *sum = format("0");
            for (const char *s = shared_names; *(s += strspn(s, " ")); s += strcspn(s, " "))
                sum = format("%s + sizeof %.*s", sum, (int)strcspn(s, " "), s);
            append(&tokens[i].after,
                   format(" static_assert(%s <= %d, \"a block has %d bytes of shared "
                          "memory, and these __shared__ variables take more\");",
                          sum, 48 << 10, 48 << 10));
            return;
        }
        for (i++; is_one_of(i, "* & ( const volatile __restrict__ "); i++)
            ;
    }
}

static void rewrite_shared(const struct declaration *d, enum scope scope, bool in_template) {
    int shared = d->at[SHARED], storage = d->at[EXTERN] >= 0 ? d->at[EXTERN] : d->at[STATIC];
    int first = storage >= 0 && storage < shared ? storage : shared;
    drop(shared, shared);
    if (storage >= 0)
        drop(storage, storage);
    tokens[first].instead = "static thread_local";
    if (d->at[EXTERN] >= 0)
        tokens[first].instead = in_template ? "__attribute__((unused))" : "extern __thread";
    else if (tracing && scope == NAMESPACE) /* keeps its place before its gap */
        tokens[first].instead = "static thread_local __attribute__((used))";
    if (d->at[EXTERN] >= 0 && in_template)
        tokens[0].before = "extern \"C\" { extern __thread char cpu_device_dynamic_shared[]; } ";
    if (d->at[EXTERN] >= 0)
        rewrite_dynamic_shared(d, in_template);
    else if (scope == BLOCK)
        limit_shared(d);
    hoist_alignas(d);
    if (tracing)
        trace_variables(d, d->at[EXTERN] >= 0 ? "dynamic" : "shared", scope);
}

/* Does a declaration's initializer hold an address, for all one can tell? */
static bool holds_address(int i) {
    for (; i < token_count && !is(i, ";"); i++)
        if (tokens[i].kind == TEXT || is_one_of(i, "* & "))
            return true;
    return false;
}

/* Variables of a device go into sections of their own, where the runtime finds them.  As in nvcc
 * without -rdc they belong to their file, even when another one has the same name. */
static void rewrite_variable(const struct declaration *d, enum scope scope) {
    const char *section = d->at[MANAGED] >= 0    ? "cpu_managed_data"
                          : d->at[CONSTANT] >= 0 ? "cpu_constant_data"
                                                 : "cpu_device_data";
    int word = d->at[MANAGED] >= 0    ? d->at[MANAGED]
               : d->at[CONSTANT] >= 0 ? d->at[CONSTANT]
                                      : d->at[DEVICE];
    int at = d->type_first ? d->start : word;
    bool stored = d->at[STATIC] >= 0 || d->at[EXTERN] >= 0 || d->linkage;
    bool many = d->template_header >= 0 || d->at[INLINE] >= 0; /* may be defined again */
    if (scope == CLASS)
        return;
    hoist_alignas(d);
    if (tracing && d->at[EXTERN] < 0 && !many && !d->qualified)
        trace_variables(d,
                        d->at[MANAGED] >= 0    ? "managed"
                        : d->at[CONSTANT] >= 0 ? "constant"
                                               : "device",
                        scope);
    if (scope == BLOCK) {
        if (!stored)
            append(&tokens[at].before, "static ");
        return;
    }
    /* A section is read-only or it is not, and addresses to be relocated must be writable. */
    if (d->constant || has_word(d->start, d->end, "constexpr"))
        section = holds_address(d->start) ? NULL : "cpu_device_const";
    /* Arrays begin at a sector, whatever the host compiler likes. */
    if (section && !many && d->at[EXTERN] < 0)
        append(&tokens[at].before, format("__attribute__((section(\"%s\")%s)) ", section,
                                          is(d->name + 1, "[") ? ", aligned(32)" : ""));
    if (!separate && !stored && !many && !d->qualified)
        append(&tokens[at].before, "static __attribute__((unused)) ");
}

/* ---- Kernels ------------------------------------------------------------------------------ */

struct kernel {
    int name;
    const char *scope;       /* its namespace */
    const char *parameters;  /* their types, to tell overloads from redeclarations */
    const char *names;       /* of the parameters, with commas between */
    int template_parameters; /* 0: no template, -1: it has a pack */
    bool defaults;
    const char *max_threads;
    int body_end; /* the `}` of a definition; -1: a declaration */
};
static struct kernel *kernels;
static int kernel_count;

/* The number of comma-separated items between two tokens; -1 when one is a pack. */
static int count_items(int open, int close) {
    int count = close > open + 1;
    for (int i = open + 1; i < close; i++) {
        if (is(i, "..."))
            return -1;
        if (is(i, "<") && is_name(i - 1) && angle_close(i) > 0 && angle_close(i) < close)
            i = angle_close(i);
        else if (opens(i))
            i = tokens[i].match;
        else if (is(i, ","))
            count++;
    }
    return count;
}

/* The types of a parameter list, without default arguments and outer const, and the names apart. */
static char *parameter_types(int open, int close, bool *defaults, const char **names) {
    static const char types[] =
        "void bool char short int long float double signed unsigned const volatile auto "
        "__restrict__ __restrict __grid_constant__ ";
    char *result = format("%s", "");
    *names = NULL;
    for (int i = open + 1, end; i < close; i = end + 1) {
        int last = -1; /* where the type and name end: before `=` or the comma */
        bool pointer = false;
        for (end = i; end < close && !is(end, ","); end++) {
            if (is(end, "=") && last < 0) {
                last = end;
                *defaults = true;
            }
            if (is(end, "<") && is_name(end - 1) && angle_close(end) > 0)
                end = angle_close(end);
            else if (opens(end))
                end = tokens[end].match;
            else if (is_one_of(end, "* & ") && last < 0)
                pointer = true;
        }
        if (last < 0)
            last = end;
        int name = last - 1;
        while (name > i && is(name, "]")) {
            name = tokens[name].match - 1;
            pointer = true;
        }
        /* The last word is a name when there is a type before it. */
        int type = i;
        while (is_one_of(type, "const volatile "))
            type++;
        bool named = name > type && is_name(name) && !is_one_of(name, types) &&
                     !is_one_of(name - 1, ":: struct class union enum typename ");
        append(names, format("%s%s", *names ? "," : "", named ? join(name, name) : ""));
        for (int k = i; k < last; k++) {
            if ((named && k == name) ||
                is_one_of(k, "struct class union enum __restrict__ __restrict __grid_constant__ "))
                continue;
            if (!pointer && is(k, "const"))
                continue;
            result = format("%s %s", result, is(k, "[") ? "*" : join(k, k));
            if (is(k, "["))
                k = tokens[k].match;
        }
        result = format("%s,", result);
    }
    return result;
}

static void record_kernel(const struct declaration *d, enum scope scope, const char *path) {
    int open = d->end;
    if (!d->function || !opens(open) || d->at[FRIEND] >= 0)
        return;
    bool instantiation = d->template_header < 0 && is(d->start, "template");
    int close = tokens[open].match, i = close + 1;
    while (i < token_count && !is_one_of(i, "{ ; } "))
        i++;
    if (tracing && !instantiation) { /* one function, that holds all it calls */
        tokens[d->at[GLOBAL]].instead = "__attribute__((noinline, flatten)) ";
        for (int k = d->start; k < i; k++) /* as in nvcc, its own wish is ignored */
            if (is_one_of(k, "__forceinline__ always_inline __always_inline__ "))
                tokens[k].instead = is(k, "__forceinline__") ? "inline" : "noinline";
    }
    /* What is known of a template holds for its specialisations and instantiations too. */
    if (d->specialization || instantiation)
        return;
    struct kernel k = {.name = d->name, .scope = path, .max_threads = "0", .body_end = -1};
    k.parameters = parameter_types(open, close, &k.defaults, &k.names);
    if (d->template_header >= 0)
        k.template_parameters = count_items(d->template_header, angle_close(d->template_header));
    if (d->bounds >= 0) {
        int comma = d->bounds + 1, end = tokens[d->bounds].match;
        while (comma < end && !is(comma, ","))
            comma = opens(comma) ? tokens[comma].match + 1 : comma + 1;
        k.max_threads = join(d->bounds + 1, comma - 1);
    }
    if (is(i, "{") && opens(i) && scope == NAMESPACE)
        k.body_end = tokens[i].match;
    kernels = grow(kernels, ((size_t)kernel_count + 1) * sizeof *kernels);
    kernels[kernel_count++] = k;
}

/* What looks like another function at namespace scope. */
struct function {
    int name;
    const char *scope;
};
static struct function *functions;
static int function_count;
static bool using_directives; /* they make the functions of other namespaces visible */

static void record_function(int name, const char *path) {
    if (function_count % 1024 == 0)
        functions = grow(functions, ((size_t)function_count + 1024) * sizeof *functions);
    functions[function_count++] = (struct function){name, path};
}

/* Does the kernel's name mean something else too, in its namespace or `anywhere`? */
static bool ambiguous(const struct kernel *a, bool anywhere) {
    for (int i = 0; i < kernel_count; i++)
        if (same_text(a->name, kernels[i].name) && strcmp(a->scope, kernels[i].scope) == 0 &&
            (strcmp(a->parameters, kernels[i].parameters) != 0 ||
             a->template_parameters != kernels[i].template_parameters))
            return true;
    for (int i = 0; i < function_count; i++)
        if (same_text(a->name, functions[i].name) &&
            ((anywhere && using_directives) || strcmp(a->scope, functions[i].scope) == 0))
            return true;
    return false;
}

/* Definitions enter the list of kernels right behind their body. */
static void rewrite_kernels(void) {
    for (int i = 0; i < kernel_count; i++) {
        const struct kernel *k = &kernels[i];
        if (k->body_end < 0 || k->template_parameters || ambiguous(k, false))
            continue;
        const char *name = join(k->name, k->name);
        const char *scope = strchr(k->scope, ' ') ? "" : format("%s::", k->scope);
        append(&tokens[k->body_end].after,
               format(" static const cpu_device::kernel_entry cpu_kernel_entry_%d "
                      "__attribute__((unused))(%s%s, \"%s\", %s);",
                      i, scope, name, name, k->max_threads));
    }
}

#include "translate_trace.h"

/* ---- Launches ----------------------------------------------------------------------------- */

struct launch {
    int open; /* the first `<` of `<<<` */
    enum scope scope;
};
static struct launch *launches;
static int launch_count;

/* The first token of the postfix expression that ends at token i. */
static int callee_start(int i) {
    static const char heads[] = "if while for switch constexpr ";
    static const char keywords[] = "return else do case goto throw co_return co_yield ";
    for (;;) {
        if (is(i, ">")) {
            int open = angle_open(i);
            if (open < 1)
                return i;
            i = open - 1;
        } else if (is_one_of(i, ") ] ") && closes(i)) {
            i = tokens[i].match;
            bool call =
                (is_name(i - 1) && !is_one_of(i - 1, heads) && !is_one_of(i - 1, keywords)) ||
                is(i - 1, "]") || is(i - 1, ">") ||
                (is(i - 1, ")") && !is_one_of(tokens[i - 1].match - 1, heads));
            if (!call)
                return i;
            i--;
            continue;
        }
        if (is(i - 1, "template"))
            i--;
        if (is_one_of(i - 1, ". -> ")) {
            i -= 2;
        } else if (is(i - 1, "::")) {
            i--;
            if (!(is_name(i - 1) && !is_one_of(i - 1, keywords)) && !is(i - 1, ">"))
                return i;
            i--;
        } else {
            return i;
        }
    }
}

/* How to launch a callee: by its type as it stands, by what the arguments make of it (a template,
 * an overload, default arguments), or as a value. */
enum manner { TYPED, GENERIC, POINTER };

static enum manner manner_of(int start, int end, int *name) {
    int open = -1;
    for (int i = start; i <= end; i++) {
        if (is(i, "<") && is_name(i - 1) && angle_close(i) > 0) {
            open = i;
            i = angle_close(i);
        } else if (is_name(i)) {
            *name = i;
            open = -1;
        } else if (!is(i, "::")) {
            return POINTER;
        }
    }
    enum manner manner = POINTER;
    for (int i = 0; i < kernel_count; i++) {
        const struct kernel *k = &kernels[i];
        if (!same_text(k->name, *name))
            continue;
        int given = open < 0 ? 0 : count_items(open, end);
        if (k->defaults || given != k->template_parameters || ambiguous(k, true))
            return GENERIC;
        manner = TYPED;
    }
    return manner;
}

static void rewrite_launch(const struct launch *l) {
    int open = l->open, close = open + 3;
    if (!is_name(open - 1) && !is_one_of(open - 1, "> ) ] "))
        fail(open, "'<<<' without a kernel before it");
    while (!(shift(close, ">") && is(close + 2, ">") && is(close + 3, "("))) {
        if (opens(close))
            close = tokens[close].match;
        else if (close >= token_count - 1 || is_one_of(close, "; ) ] } "))
            fail(open, "'<<<' without '>>>(' in a kernel launch");
        close++;
    }
    if (!opens(close + 3))
        fail(close + 3, "'(' without ')' in a kernel launch");
    if (close == open + 3)
        fail(open, "'<<<>>>' without a grid and a block in a kernel launch");

    int start = callee_start(open - 1), name = open - 1;
    bool parenthesised = is(start, "(") && tokens[start].match == open - 1;
    enum manner manner = manner_of(start + parenthesised, open - 1 - parenthesised, &name);
    const char *callee = join(start, open - 1);
    /* [=], because a parameter or a local variable may hide the kernel's name. */
    const char *untraced =
        tracing ? format("__attribute__((no_sanitize(\"thread\"))) %s ", straight_attribute) : "";
    const char *call = format(", [%s](auto... cpu_a) %s{ %s(cpu_a...); }, \"%s\"",
                              l->scope == BLOCK ? "=" : "", untraced, callee, join(name, name));
    drop(open, open + 2);
    drop(close, close + 2);
    tokens[close].instead = "))";
    if (manner == TYPED) {
        append(&tokens[start].before, "cpu_device::bind(");
        tokens[open].instead = format("%s, cpu_device::config(", call);
    } else if (manner == POINTER) {
        append(&tokens[start].before, "cpu_device::bind_pointer(");
        tokens[open].instead = ", cpu_device::config(";
    } else {
        drop(start, open - 1);
        append(&tokens[start].before, "cpu_device::bind_generic(");
        tokens[open].instead = format("%s, cpu_device::config(", call + 2);
        for (int i = close + 4; i < tokens[close + 3].match; i++)
            if (is(i, "__null") && is_one_of(i - 1, "( , ") && is_one_of(i + 1, ") , "))
                tokens[i].instead = "nullptr";
    }
}

/* ---- Scopes ------------------------------------------------------------------------------- */

/* What the brace at token `brace` opens, from the declaration or statement before it. */
static enum scope scope_of(int start, int brace, const char **path) {
    bool is_class = false;
    for (int i = start; i < brace; i++) {
        if (is(i, "template") && is(i + 1, "<") && angle_close(i + 1) > 0)
            i = angle_close(i + 1);
        else if (is_one_of(i, attributes) && opens(i + 1))
            i = tokens[i + 1].match;
        else if (is(i, "namespace")) {
            *path = format("%s::%s", *path, i + 1 < brace ? join(i + 1, brace - 1) : " ");
            return NAMESPACE;
        } else if (is(i, "extern") && i + 2 == brace && tokens[i + 1].kind == TEXT)
            return NAMESPACE;
        else if (is_one_of(i, "struct class union "))
            is_class = true;
        else if (is(i, "<") && is_class && angle_close(i) > 0)
            i = angle_close(i);
        else if (is_one_of(i, "( = enum operator "))
            return BLOCK;
        else if (opens(i))
            i = tokens[i].match;
    }
    return is_class ? CLASS : BLOCK;
}

static void rewrite_declaration(int start, enum scope scope, const char *path, bool in_template) {
    struct declaration d = parse_declaration(start);
    if (tracing && d.at[DEVICE] >= 0 && d.function)
        record_prototype(&d);
    if (d.at[GLOBAL] >= 0)
        record_kernel(&d, scope, path);
    else if (d.at[SHARED] >= 0 && !d.function)
        rewrite_shared(&d, scope, in_template);
    else if ((d.at[DEVICE] >= 0 || d.at[CONSTANT] >= 0 || d.at[MANAGED] >= 0) && !d.function)
        rewrite_variable(&d, scope);
}

/* Qualifiers that need no look at what they qualify. False: not one of them. */
static bool rewrite_word(int i) {
    if (is_one_of(i, "__host__ __grid_constant__ __inline_hint__ __nv_pure__ ")) {
        drop(i, i);
    } else if (is_one_of(i, "__launch_bounds__ __cluster_dims__ __block_size__ __maxnreg__ ")) {
        drop(i, opens(i + 1) ? tokens[i + 1].match : i);
    } else if (is(i, "__align__") && opens(i + 1)) {
        tokens[i].instead = "__attribute__((aligned";
        append(&tokens[tokens[i + 1].match].after, "))");
    } else if (is(i, "__noinline__")) {
        tokens[i].instead = "__attribute__((noinline))";
    } else if (is(i, "__forceinline__")) {
        if (!tokens[i].instead) /* of a kernel */
            tokens[i].instead = "inline __attribute__((always_inline))";
    } else {
        return false;
    }
    return true;
}

static void walk(int begin, int end, enum scope scope, const char *path, bool in_template) {
    int start = begin, done = -1; /* of the declaration or statement; the last one rewritten */
    for (int i = begin; i < end; i++) {
        if (is(i, "{")) {
            const char *inner_path = path;
            enum scope inner = scope_of(start, i, &inner_path);
            bool inner_template = in_template || has_word(start, i, "template");
            if (!opens(i))
                continue;
            int outside = inside;
            const char *names_outside = shared_names;
            if (scope != BLOCK)
                shared_names = "";
            if (tracing && inner == BLOCK && scope != BLOCK)
                inside = trace_function(start, i, scope, path);
            if (tracing && inner == CLASS)
                trace_struct(start, i);
            walk(i + 1, tokens[i].match, inner, inner_path, inner_template);
            i = tokens[i].match;
            inside = outside;
            shared_names = names_outside;
            if (inner != CLASS)
                start = i + 1;
        } else if (is(i, ";")) {
            if (tracing && scope != BLOCK && tokens[i].origin == OF_USER)
                record_variables(start, i, scope);
            start = i + 1;
        } else if (is(i, ":") && (is_one_of(i - 1, "public private protected default ") ||
                                  is(start, "case") || (scope == BLOCK && i == start + 1))) {
            start = i + 1;
        } else if (shift(i, "<") && is(i + 2, "<") && !is(i - 1, "operator")) {
            launches = grow(launches, ((size_t)launch_count + 1) * sizeof *launches);
            launches[launch_count++] = (struct launch){i, scope};
            i += 2;
        } else if (tracing && is_allocation(i, scope)) {
            trace_allocation(i);
        } else if (is(i, "using") && is(i + 1, "namespace") && strncmp(path, "::std", 5) != 0 &&
                   strncmp(path, "::__", 4) != 0) {
            using_directives = true;
        } else if (is(i, "(") && scope == NAMESPACE && is_name(i - 1) &&
                   !has_word(start, i, "__global__")) {
            record_function(i - 1, path);
        } else if (is_name(i) && text[tokens[i].start] == '_') {
            /* __attribute__((__noinline__)) and [[gnu::__noinline__]] are the compiler's own. */
            if (is_one_of(i + 1, ") ] , ") || rewrite_word(i))
                continue;
            if (!is_one_of(i, "__global__ __device__ __shared__ __constant__ __managed__ "))
                continue;
            bool lambda = is(i - 1, "]") && !is(tokens[i - 1].match + 1, "[");
            if (!tokens[i].instead)
                drop(i, i);
            if (!lambda && done != start)
                rewrite_declaration(start, scope, path, in_template);
            done = start;
        }
    }
}

/* ---- Main --------------------------------------------------------------------------------- */

static void read_all(FILE *in) {
    size_t room = 1 << 20, n;
    text = grow(NULL, room);
    while ((n = fread(text + text_length, 1, room - text_length - 2, in)) > 0) {
        text_length += n;
        if (room - text_length < 1 << 16)
            text = grow(text, room *= 2);
    }
    text[text_length] = text[text_length + 1] = '\0';
}

int main(int argc, char **argv) {
    FILE *in = stdin;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rdc") == 0)
            separate = true;
        else if (strcmp(argv[i], "--trace") == 0)
            tracing = true;
        else if (strncmp(argv[i], "--straight=", 11) == 0)
            straight_attribute = argv[i] + 11;
        else
            file_name = argv[i];
    }
    if (strcmp(file_name, "<stdin>") != 0)
        in = fopen(file_name, "r");
    if (!in) {
        fprintf(stderr, "translate: %s: %s\n", file_name, strerror(errno));
        return 2;
    }
    read_all(in);
    tokenize();
    match_brackets();
    walk(0, token_count - 1, NAMESPACE, "", false);
    rewrite_kernels();
    if (tracing)
        trace_end();
    for (int i = 0; i < launch_count; i++)
        rewrite_launch(&launches[i]);
    write_result(stdout);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "translate: cannot write the result: %s\n", strerror(errno));
        return 2;
    }
    return 0;
}
