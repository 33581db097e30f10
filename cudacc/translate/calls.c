/*
 * calls.c: what a call in a kernel, or in what it calls, may mean.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"

/* What else may be called: the user's variables outside of functions, and members of classes. */
static struct names variables, members;

void record_variables(int start, int end, enum scope scope) {
    static const char none[] = "bool char short int long float double signed unsigned size_t "
                               "struct class union enum namespace ";
    struct declaration d = parse_declaration(start);
    if (d.function || d.name < 0 || d.end > end || has_word(start, d.name, "typedef") ||
        is(start, "using") || is_one_of(d.name - 1, none))
        return;
    for (int i = d.name; i >= 0 && i < end; i = next_name(declarator_end(&d, i)))
        add_name(scope == NAMESPACE ? &variables : &members, i);
}

/* Functions that are declared, perhaps not defined, to be called in kernels. */
static struct names prototypes;

/* What distinguishes overloads, also of operators. */
static const char *signature(int name) {
    int open = name + 1;
    if (is(name, "operator") && is(open, "("))
        open = tokens[open].match + 1;
    while (open < token_count - 1 && !is_one_of(open, "( ; { } "))
        open = is(open, "<") ? past(open) : open + 1;
    return format("%s %s", is(name, "operator") ? join(name, open - 1) : "",
                  parse_parameters(open).types);
}

void record_prototype(const struct declaration *d) {
    if (tokens[d->start].origin == OF_USER)
        add_name(&prototypes, d->name);
}

/* A definition need not repeat what its declaration says. */
bool of_host(const struct body *b) {
    if (tokens[b->name].origin != OF_USER ||
        has_one_of(b->start, b->open, "__device__ constexpr consteval "))
        return false;
    for (int i = 0; i < prototypes.count; i++)
        if (same_text(b->name, prototypes.at[i]) &&
            strcmp(signature(b->name), signature(prototypes.at[i])) == 0)
            return false;
    return true;
}

bool is_user_device_code(const struct body *b) {
    return tokens[b->start].origin == OF_USER && (b->kernel || !of_host(b));
}

/* Does token i declare a variable: is there a type before it, and what follows a declarator? */
static bool declares_variable(int i) {
    static const char words_before[] =
        "return else do case goto throw new delete struct class union enum typename using operator "
        "sizeof and or not co_return co_await ";
    int before = i - 1;
    if (is_name(before))
        return !is_one_of(before, words_before) && is_one_of(i + 1, ", ) = ; [ { : > ( ");
    if (is(i + 1, "(")) { /* of a class, with what its constructor takes? */
        while (is_one_of(before, "* & && "))
            before--;
        if (is(before, ">"))
            return is_name(angle_open(before) - 1);
        if (is(before, ",")) /* `T a, &f(b);` */
            return before < i - 1;
        return before < i - 1 && is_name(before) && is_one_of(before - 1, "; { } const ");
    }
    return is_one_of(before, "* & && > ... , [ ") && is_one_of(i + 1, ", ) = ; [ { : > ");
}

bool of_object(int name) {
    return is_one_of(is(name - 1, "template") ? name - 2 : name - 1, ". -> ");
}

bool calls_variable(const struct body *caller, int name) {
    bool object = of_object(name), qualified = is(name - 1, "::");
    for (int i = caller->start; i < tokens[caller->open].match && !object && !qualified; i++)
        if (i != caller->name && same_text(i, name) && !is_one_of(i - 1, ". -> :: ") &&
            declares_variable(i))
            return true;
    return (!object && has_name(&variables, name)) ||
           ((object || qualified || caller->member) && has_name(&members, name));
}

bool may_call(int name, const struct body *b) {
    return same_text(b->name, name) && !b->kernel && (b->member || !of_object(name)) && !of_host(b);
}
