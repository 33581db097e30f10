/*
 * calls.c: what a call in a kernel, or in what it calls, may mean.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"

/* What else may be called: the user's variables outside of functions. */
struct variable {
    int name;
    enum scope scope;
};
static struct variable *variables;
static int variable_count;

void record_variables(int start, int end, enum scope scope) {
    static const char none[] = "bool char short int long float double signed unsigned size_t "
                               "struct class union enum namespace ";
    struct declaration d = parse_declaration(start);
    if (d.function || d.name < 0 || d.end > end || has_word(start, d.name, "typedef") ||
        is(start, "using") || is_one_of(d.name - 1, none))
        return;
    for (int i = d.name; i >= 0 && i < end; i = next_name(declarator_end(&d, i)))
        ADD(variables, variable_count, (struct variable){i, scope});
}

/* Functions that are declared, perhaps not defined, to be called in kernels. */
struct prototype {
    int name;
    const char *signature;
};
static struct prototype *prototypes;
static int prototype_count;

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
    if (tokens[d->start].origin != OF_USER)
        return;
    ADD(prototypes, prototype_count, (struct prototype){d->name, signature(d->name)});
}

static bool defines(const struct body *b, const struct prototype *p) {
    return same_text(b->name, p->name) && strcmp(signature(b->name), p->signature) == 0;
}

/* A definition need not repeat what its declaration says. */
bool of_host(const struct body *b) {
    if (tokens[b->name].origin != OF_USER ||
        has_one_of(b->start, b->open, "__device__ constexpr consteval "))
        return false;
    for (int i = 0; i < prototype_count; i++)
        if (defines(b, &prototypes[i]))
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
    for (int i = 0; i < variable_count; i++)
        if (same_text(variables[i].name, name) &&
            (variables[i].scope == NAMESPACE ? !object : object || qualified || caller->member))
            return true;
    return false;
}

bool may_call(int name, const struct body *b) {
    return same_text(b->name, name) && !b->kernel && (b->member || !of_object(name)) && !of_host(b);
}
