/*
 * vectors.c: regions in which no thread needs to say that it is the one that runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "uniform.h"
#include "vectors.h"

/* What the region in hand does. */
static struct { bool loads_global, stores_global, loads_shared, stores_shared, changes_kept; } does;

static bool is_number(const struct local *l) {
    return is_scalar(l) && !l->pointer && !l->memory && holds_numbers(l);
}

/* `s[t + 1][i]`, of a __shared__ array or a parameter: its last token; 0: it is something else. */
static int end_of_access(int i, bool loads, bool stores) {
    const struct local *l = &locals[local_of(i)];
    bool global = l->statement < 0 && l->pointer && l->use == UNIFORM && !l->modified;
    bool shared = l->use == OUTSIDE && l->array && !l->pointer;
    if ((!global && !shared) || !holds_numbers(l))
        return 0;
    for (; is(i + 1, "["); i = tokens[i + 1].match)
        if (!opens(i + 1) || !is_stable(i + 2, tokens[i + 1].match - 1))
            return 0;
    *(global ? &does.loads_global : &does.loads_shared) |= loads;
    *(global ? &does.stores_global : &does.stores_shared) |= stores;
    return i;
}

/* Whether a thread comes to what is behind a `?`, `&&` or `||` may not depend on what it loads. */
static bool has_stable_condition(int first, int i) {
    int begin = i;
    while (begin > first && !is_one_of(begin - 1, "( , "))
        begin = closes(begin - 1) ? tokens[begin - 1].match : begin - 1;
    return is_stable(begin, i - 1);
}

static bool is_value(int first, int last) {
    for (int i = first; i <= last; i++) {
        bool unary = i == first || (tokens[i - 1].kind == PUNCTUATION && !is_one_of(i - 1, ") ] "));
        int k = is_use(i) ? local_of(i) : -1;
        bool fits =
            tokens[i].kind == NUMBER || is_one_of(i, "+ - | ^ ~ ! < > == != <= >= ( ) : , ");
        if (k >= 0 && is(i + 1, "["))
            fits = (i = end_of_access(i, true, false)) > 0;
        else if (k >= 0)
            fits = is_number(&locals[k]) && !is(i + 1, "(") &&
                   (locals[k].use != AGAIN || is_stable(i, i));
        else if (is_name(i))
            fits = is_one_of(i - 1, ". ") || is_stable(i, i);
        else if (is_one_of(i, "* & "))
            fits = !unary;
        else if (is_one_of(i, "/ % "))
            fits = tokens[i + 1].kind == NUMBER;
        else if (is_one_of(i, "? && || "))
            fits = has_stable_condition(first, i);
        else if (is(i, "."))
            fits = is_name(i - 1);
        if (!fits || shift(i, "+") || shift(i, "-"))
            return false;
    }
    return first <= last;
}

/* `x = ...;`, `s[t] += ...;` */
static bool is_assignment(int first, int last) {
    int k = is_use(first) ? local_of(first) : -1, end = first, op = 0;
    if (k < 0)
        return false;
    if (is(first + 1, "["))
        end = end_of_access(first, false, true);
    else if (!is_number(&locals[k]) || locals[k].use < INSIDE)
        return false;
    if (end && is_one_of(end + 1, "+ - * & | ^ ") && is(end + 2, "=") && !tokens[end + 2].spaced)
        op = end + 1;
    if (!end || (!op && !is_one_of(end + 1, "= <<= >>= ")))
        return false;
    if (end > first && !is(end + 1, "="))
        end_of_access(first, true, true);
    does.changes_kept |= locals[k].use == KEPT;
    return is(last, ";") && is_value(op ? end + 3 : end + 2, last - 1);
}

static bool is_simple(int first, int last) {
    if (is(first, "{")) {
        for (int i = first + 1, end; i < last; i = end + 1)
            if (!is_simple(i, end = statement_end(i, last)))
                return false;
        return true;
    }
    if (!is(first, "if"))
        return is(first, ";") || is_assignment(first, last);
    int close = tokens[first + 1].match, end = statement_end(close + 1, last + 1);
    return opens(first + 1) && is_stable(first + 2, close - 1) && is_simple(close + 1, end) &&
           (end == last || (is(end + 1, "else") && is_simple(end + 2, last)));
}

static bool declares_numbers(const struct statement *t) {
    for (int k = t->locals; k < t->locals + t->local_count; k++) {
        const struct local *l = &locals[k];
        if (l->use == AGAIN ? !is_stable(l->name, l->name)
            : l->use < INSIDE
                ? false
                : !is_number(l) || (l->initial >= 0 && (!is(l->initial - 1, "=") ||
                                                        !is_value(l->initial, l->initial_end))))
            return false;
    }
    return true;
}

/* Functions of the user's that have the names of those which only compute. */
static bool has_own(const char *names) {
    for (int k = 0; k < function_count; k++)
        if (tokens[functions[k].name].origin == OF_USER && is_one_of(functions[k].name, names))
            return true;
    return false;
}

bool is_vector(int region, bool *once) {
    memset(&does, 0, sizeof does);
    outer_names = "";
    for (int s = region; s >= 0 && statements[s].region == region; s = statements[s].next) {
        const struct statement *t = &statements[s];
        if (t->kind != PLAIN ||
            (!stands_outside(s) &&
             !(t->local_count ? declares_numbers(t) : is_simple(t->first, t->last))))
            return false;
    }
    *once = !does.loads_global && !does.stores_global;
    if (has_own("min max "))
        return false;
    return *once ? does.loads_shared || does.stores_shared
                 : !(does.loads_global && does.stores_global) &&
                       !(does.loads_shared && does.stores_shared) && !does.changes_kept;
}
