/*
 * functions.c: the functions of the text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"

struct function *functions;
int function_count;
bool using_directives;

void record_function(int start, int name, const char *path, bool method) {
    ADD(functions, function_count,
        (struct function){.name = name,
                          .scope = path,
                          .method = method,
                          .device = has_word(start, name, "__device__"),
                          .host = has_word(start, name, "__host__"),
                          .constant = has_one_of(start, name, "constexpr consteval ")});
}

const struct function *function_named(int name, bool method, const struct function *last) {
    for (const struct function *f = last ? last + 1 : functions; f < functions + function_count;
         f++)
        if (f->method == method && same_text(f->name, name))
            return f;
    return NULL;
}

bool is_function(int i, bool of_user) {
    const struct function *f = function_named(i, false, NULL);
    while (f && of_user && tokens[f->name].origin != OF_USER)
        f = function_named(i, false, f);
    return f;
}

bool is_method(int i) { return function_named(i, true, NULL); }

bool of_library(const char *scope) {
    return strncmp(scope, "::std", 5) == 0 || strncmp(scope, "::__", 4) == 0;
}

struct body *bodies;
int body_count;
int inside = -1;

int record_body(int start, int open, enum scope scope, const char *path) {
    struct declaration d = parse_declaration(start);
    if (!d.function || d.name < 0 || (opens(d.end) && tokens[d.end].match > open))
        return inside; /* a brace within parentheses is no body */
    struct body b = {.name = d.name,
                     .start = start,
                     .parameters = d.end,
                     .open = open,
                     .scope = path,
                     .implicit = is(d.name, "operator"),
                     .of_class = scope == CLASS,
                     .member = scope == CLASS || d.qualified,
                     .kernel = d.at[GLOBAL] >= 0,
                     .device = d.at[GLOBAL] >= 0 || d.at[DEVICE] >= 0,
                     .template_header = d.template_header};
    if (b.implicit || !opens(d.end))
        b.parameters = open;
    /* No type before the name: a constructor or, with `~`, a destructor. */
    int words_before = 0;
    for (int i = start; i < d.name; i++) {
        if (is(i, "template"))
            i = template_end(i);
        else if (is_one_of(i, attributes) && opens(i + 1))
            i = tokens[i + 1].match;
        else if (is_name(i) && !is(i + 1, "::") && !same_text(i, d.name) &&
                 !is_one_of(i, "__host__ __device__ inline constexpr __forceinline__ explicit "))
            words_before++;
    }
    b.implicit |= !words_before;
    ADD(bodies, body_count, b);
    return body_count - 1;
}

int past_class_name(int i, int *name) {
    *name = i;
    for (i++; is_name(i) || is(i, "("); i++)
        if (opens(i))
            i = tokens[i].match;
        else
            *name = i;
    return i;
}

int start_of(int i) {
    while (i > 0 && !is_one_of(i - 1, "; { } "))
        i--;
    return i;
}

/* The `:` of `case X:`; each `?` in X has one, too. */
static int case_end(int i, int end) {
    int open = 1;
    while (i < end && open) {
        i = opens(i) ? tokens[i].match + 1 : i + 1;
        open += is(i, "?") - is(i, ":");
    }
    return i;
}

/* Behind the condition of an `if` or a loop; 0: there is none. */
static int past_condition(int i) {
    int open = i + 1 + is(i + 1, "constexpr"), bare = i + 1 + is_one_of(i + 1, "! not ");
    return is(open, "(") ? tokens[open].match + 1 : is(bare, "consteval") ? bare + 1 : 0;
}

int statement_end(int i, int end) {
    while (is(i, "case") || (is_name(i) && is(i + 1, ":")))
        i = (is(i, "case") ? case_end(i, end) : i + 1) + 1;
    if (is(i, "{"))
        return tokens[i].match;
    if (is(i, "do"))
        i = statement_end(i + 1, end) + 1; /* its `while` */
    else if (is_one_of(i, "if for while switch ") && past_condition(i)) {
        int then = statement_end(past_condition(i), end);
        return is(i, "if") && is(then + 1, "else") ? statement_end(then + 2, end) : then;
    }
    return find(i, end, "; ");
}

bool is_control(int close) {
    return is_one_of(tokens[close].match - 1, "if for while switch constexpr ");
}

bool begins_statement(int i) {
    return is_one_of(i - 1, "; { } else do ") ||
           (is(i - 1, ")") && closes(i - 1) && is_control(i - 1));
}

bool template_parameter(const struct body *b, int name) {
    for (int i = b->start; i < b->name; i++)
        if (is_one_of(i, "typename class ") && same_text(i + 1, name))
            return true;
    return false;
}
