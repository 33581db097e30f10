/*
 * copies.c: where device code copies a struct into a variable. That is no assignment, which the
 * struct itself could define, and must stay possible without a constructor: `T v = x;` becomes
 * `T v = value_of<T>::get(x);` (trace_copies.h), for the structs of structs.c and for the types
 * that a template takes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "passes.h"

/* The end of an initializer; 0: it may be that the comma in it is no end. */
static int initializer_end(int i) {
    bool maybe_template = false;
    if (is_one_of(i, "{ ; , "))
        return 0;
    for (; !is_one_of(i, "; , ") && !closes(i); i++) {
        maybe_template |= is(i, "<");
        if (tokens[i].kind == END)
            return 0;
        if (opens(i))
            i = tokens[i].match;
    }
    return maybe_template && is(i, ",") ? 0 : i;
}

static void wrap(int first, int end, const char *head) { /* around what others have added */
    const char *before = tokens[first].before;
    tokens[first].before = format("%s%s", head, before ? before : "");
    append(&tokens[end - 1].after, ")");
}

/* The declarators `v = x, w = y` of a type. */
static void rewrite_declarators(int type, int i) {
    while (is_name(i) && is(i + 1, "=")) {
        int end = initializer_end(i + 2);
        if (!end)
            return;
        int first = is(type - 1, "struct") ? type - 1 : type; /* the variable may be called so */
        wrap(i + 2, end, format("::cpu_device::value_of<%s>::get(", join(first, type)));
        i = is(end, ",") ? end + 1 : end;
    }
}

/* The first token of what is assigned to by the `=` at token i; -1: it is not known to be more than
 * a declaration's name. */
static int assigned(int i) {
    int k = i - 1 - is_one_of(i - 1, "++ -- ");
    for (;; k -= 2) {
        while (closes(k) && !is(k, "}")) {
            bool is_call = is(k, ")");
            k = tokens[k].match - 1;
            if (!is_name(k) && !closes(k)) { /* in parentheses, by themselves */
                k++;
                goto prefix;
            }
            if (is_call && !(is_name(k) && is_one_of(k - 1, ". -> ")))
                return -1; /* T (x)[3] = y */
        }
        if (!is_name(k) || is_one_of(k, "auto operator default delete "))
            return -1;
        if (!is_one_of(k - 1, ". -> :: "))
            break;
    }
prefix:
    while (is(k - 1, "*"))
        k--;
    bool begins_statement =
        is(k - 1, ")")   ? is_one_of(tokens[k - 1].match - 1, "if for while switch constexpr ")
        : is(k - 1, "{") ? is_one_of(k - 2, ") ; { } else do ")
                         : is_one_of(k - 1, "; } else do : ( ");
    return begins_statement ? k : -1;
}

static void rewrite_assignment(int i) {
    int first = assigned(i), end = initializer_end(i + 1);
    if (first < 0 || !end || (end == i + 2 && !is_name(i + 1)) || has_word(first, i, "{"))
        return;
    wrap(i + 1, end, format("::cpu_device::target<decltype(%s)>::from(", join(first, i - 1)));
}

void rewrite_copies(void) {
    for (int k = 0; k < body_count && any_in_pieces(); k++) {
        const struct body *b = &bodies[k];
        if (!is_user_device_code(b) || has_word(b->start, b->open, "constexpr"))
            continue;
        for (int i = b->open + 1; i < tokens[b->open].match; i++)
            if (is(i, "="))
                rewrite_assignment(i);
            else if (is_name(i) && is_name(i + 1) &&
                     !is_one_of(i - 1, ". -> :: constexpr static typename ") &&
                     (moves_in_pieces(i) || template_parameter(b, i)))
                rewrite_declarators(i, i + 1);
    }
}
