/*
 * vectors.c: regions (regions.c) in which no thread needs to say that it is the one that runs, so
 * that the host compiler can make vectors of their loop:
 *
 *     float before = t >= step ? sums[t - step] : 0;
 *
 * Threads run in order there, too. Only an access to a __shared__ array can fail, and then the
 * region is done once more, from its first thread on, each with its index in ::threadIdx. That
 * finds the same address wrong, of the same thread: addresses come from what the region does not
 * change. Vectors of loads from global memory earned less than 1.2 times.
 *
 * SPDX-License-Identifier: MIT
 */
#include "split.h"
#include "uniform.h"

/* What the region in hand does, and which type its values have: those of a local. */
static struct {
    bool uses_shared, computes, fraction, chooses;
    const struct local *type, *dynamic;
} does;

static const char *type_of(const struct local *l) {
    const char *words = "";
    for (int i = l->base; i < type_end(l); i++)
        if (is_one_of(i, number_words))
            words = format("%s %s", words, join(i, i));
    return words;
}

/* All values are of one type: in a vector a conversion may give other bits. */
static bool has_the_type(const struct local *l) {
    does.type = does.type ? does.type : l;
    return strcmp(type_of(l), type_of(does.type)) == 0;
}

static bool is_number(const struct local *l) {
    return is_scalar(l) && !l->pointer && !l->memory && holds_numbers(l) && has_the_type(l);
}

static bool is_fraction(int i) {
    const char *s = join(i, i);
    bool hexadecimal = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    return tokens[i].kind == NUMBER && strpbrk(s, hexadecimal ? ".pP" : ".eE");
}

static bool is_floating(int i) {
    int k = is_use(i) ? local_of(i) : -1;
    return is_one_of(i, "float double ") || is_fraction(i) ||
           (k >= 0 && has_one_of(locals[k].base, locals[k].name, "float double "));
}

/* Of an index or a condition. */
static bool stays(int first, int last) {
    bool floating = false;
    for (int i = first; i <= last; i++) {
        does.chooses |= is_one_of(i, "? && || ");
        floating |= is_floating(i);
    }
    return !floating && is_stable(first, last);
}

/* `s[t + 1][i]`, of a __shared__ array: its last token; 0: it is none. */
static int end_of_access(int i) {
    const struct local *l = &locals[local_of(i)];
    if (l->use != OUTSIDE || !l->array || l->pointer || !holds_numbers(l) || !has_the_type(l))
        return 0;
    if (has_word(l->base, l->name, "extern")) { /* all of these begin at one address */
        if (does.dynamic && does.dynamic != l)
            return 0;
        does.dynamic = l;
    }
    for (; is(i + 1, "["); i = tokens[i + 1].match)
        if (!opens(i + 1) || !stays(i + 2, tokens[i + 1].match - 1))
            return 0;
    does.uses_shared = true;
    return i;
}

/* The `?`, `&&` or `||` behind a condition that begins at token i, or i. */
static int end_of_condition(int i, int last) {
    for (int end = i; end <= last && !is_one_of(end, ", ) : "); end++)
        if (is_one_of(end, "? && || "))
            return end;
        else if (opens(end))
            end = tokens[end].match;
    return i;
}

static bool is_value(int first, int last) {
    for (int i = first; i <= last; i++) {
        bool unary = i == first || (tokens[i - 1].kind == PUNCTUATION && !is_one_of(i - 1, ") ] "));
        int choice =
            i == first || is_one_of(i - 1, "( , ? : && || ") ? end_of_condition(i, last) : i;
        if (choice > i) {
            /* Whether a thread comes to what is behind it does not depend on what is loaded. */
            does.chooses = true;
            if (!stays(i, choice - 1))
                return false;
            i = choice;
            continue;
        }
        int k = is_use(i) ? local_of(i) : -1;
        bool fits = is_literal(i) || is_one_of(i, "+ - | ^ ~ ! < > == != <= >= ( ) : , ");
        if (k >= 0 && is(i + 1, "["))
            fits = (i = end_of_access(i)) > 0;
        else if (k >= 0)
            fits =
                is_number(&locals[k]) && !is(i + 1, "(") && (locals[k].use != AGAIN || stays(i, i));
        else if (is_one_of(i, "* & "))
            fits = !unary;
        else if (shift(i, "<") || shift(i, ">"))
            fits = tokens[i + 2].kind == NUMBER;
        else if (is_one_of(i, "/ % "))
            fits = tokens[i + 1].kind == NUMBER;
        does.fraction |= is_fraction(i);
        does.computes |= !unary && is_one_of(i, "+ - * / % ");
        if (!fits || shift(i, "+") || shift(i, "-"))
            return false;
    }
    return first <= last;
}

/* `x = ...;`, `s[t] += ...;` */
static bool is_assignment(int first, int last) {
    int k = is_use(first) ? local_of(first) : -1, end = first;
    while (is(end + 1, "[") && opens(end + 1))
        end = tokens[end + 1].match;
    bool op = is_one_of(end + 1, "+ - * & | ^ ") && is(end + 2, "=") && !tokens[end + 2].spaced;
    if (k < 0 || !is(last, ";") || !is(end + 1 + op, "=") || !is_value(end + 2 + op, last - 1))
        return false;
    does.computes |= op;
    if (end == first)
        return is_number(&locals[k]) && locals[k].use >= INSIDE;
    return end_of_access(first) == end;
}

static bool declares_numbers(const struct statement *t) {
    for (int k = t->locals; k < t->locals + t->local_count; k++) {
        const struct local *l = &locals[k];
        if (l->use == AGAIN ? !stays(l->name, l->name)
            : l->use < INSIDE
                ? false
                : !is_number(l) || (l->initial >= 0 && (!is(l->initial - 1, "=") ||
                                                        !is_value(l->initial, l->initial_end))))
            return false;
    }
    return true;
}

static bool is_one(int region) {
    memset(&does, 0, sizeof does);
    for (int s = region; s >= 0 && statements[s].region == region; s = statements[s].next) {
        const struct statement *t = &statements[s];
        if (t->kind != PLAIN ||
            (!stands_outside(s) &&
             !(t->local_count ? declares_numbers(t) : is_assignment(t->first, t->last))))
            return false;
    }
    for (int k = 0; k < local_count; k++)
        if (locals[k].use == AGAIN && !stays(locals[k].initial, locals[k].initial_end))
            does.computes = true;
    /* A product and a sum become one operation, or stay two where a branch is between them: it is
     * not in a vector. */
    return does.uses_shared && !(does.computes && does.chooses) &&
           !(does.fraction && does.type && !is_floating(does.type->name));
}

bool is_vector(int region) {
    const char *before = proofs;
    bool is = is_one(region);
    if (!is)
        proofs = before;
    return is;
}
