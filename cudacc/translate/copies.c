/*
 * copies.c: where device code copies a struct into a variable. That is no assignment, which the
 * struct itself could define, and must stay possible without a constructor: `T v = x;` becomes
 * `T v = value_of<T>() <<= x;` (trace_copies.h), for the structs of structs.c and for the types
 * that a template takes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "passes.h"

/* `= x` becomes `= head <<= x`. That operator takes all that `=` takes, so that nobody has to know
 * where x ends: a comma may be one of template arguments. */
static void put_before(int i, const char *head) { /* and before what others have added */
    const char *before = tokens[i].before;
    tokens[i].before = format("%s <<= %s", head, before ? before : "");
}

/* The declarators `v = x, w = y` of a type. */
static void rewrite_declarators(int type, int i) {
    int first = is(type - 1, "struct") ? type - 1 : type; /* the variable may be called so */
    for (; is_name(i) && is(i + 1, "=") && !is_one_of(i + 2, "{ ; , "); i++) {
        put_before(i + 2, format("::cpu_device::value_of<%s>()", join(first, type)));
        do
            i = find(i + 1, token_count, ", ; ) ] } ");
        while (is(i, ",") && !(is_name(i + 1) && is(i + 2, "=")));
        if (!is(i, ","))
            return;
    }
}

static bool twice(int i) { return is_one_of(i, "+ - ") && is_one_of(i - 1, "+ - "); } /* ++, -- */

/* Does the block, or the list, from its `{` name constants? */
static bool is_enum(int open) {
    int k = open - 1;
    while (is_name(k) || is_one_of(k, ": :: "))
        k--;
    return has_word(k + 1, open, "enum");
}

/* May the bracket be that of T (*x)[3], T (C::*x)[3]? */
static bool declares_pointer(int open) {
    int k = open + 1;
    while (is_name(k) && is(k + 1, "::"))
        k += 2;
    return is(open, "(") && is_one_of(k, "* & ") && !is_one_of(open - 2, ". -> ");
}

/* May what follows the comma be a declarator, or of a capture, rather than an expression? */
static bool may_declare(int comma) {
    int k = comma - 1;
    while (k >= 0 && !is_one_of(k, "; { ( [ ? : else do return ") &&
           !(closes(k) && (is_control(k) || (is(k, "}") && is_name(k + 1)))))
        k = closes(k) ? tokens[k].match - 1 : k - 1;
    if (is(k, "[") || (is(k, "{") && is_enum(k)))
        return true;
    if (is(k, "(") && !is_control(tokens[k].match))
        return false;
    if (is_one_of(++k, "[ alignas decltype typeof __typeof__ __attribute__ "))
        return true;
    if (!is_name(k) && !is(k, "::"))
        return false;
    while (is(k, "::") || is_one_of(k + 1, ":: < "))
        k = is(k + 1, "<") ? past(k + 1) - 1 : k + 1;
    return is_name(k + 1) || is_one_of(k + 1, "* & && ") || declares_pointer(k + 1);
}

/* The first token of an expression which begins at token k, but for its prefixes; -1: that may be a
 * declaration's name. */
static int with_prefixes(int k) {
    while (is(k - 1, "*") || twice(k - 1) ||
           (is(k - 1, ")") && !is_control(k - 1) && !is_name(tokens[k - 1].match - 1)))
        k = is(k - 1, ")") ? tokens[k - 1].match : k - 1 - twice(k - 1);
    bool begins = is(k - 1, ")")   ? is_control(k - 1)
                  : is(k - 1, "{") ? !is_enum(k - 1)
                  : is(k - 1, ",") ? !may_declare(k - 1)
                                   : is_one_of(k - 1, "; } else do return : ? ( = ");
    return begins ? k : -1;
}

/* The first token of what is assigned to by the `=` at token i; -1: it is not known to be more than
 * a declaration's name. */
static int assigned(int i) {
    int k = i - 1;
    for (;; k -= 2) {
        while (twice(k))
            k -= 2;
        while ((closes(k) && !is(k, "}")) || (is(k, ">") && angle_open(k) > 0)) {
            int open = is(k, ">") ? angle_open(k) : tokens[k].match;
            bool is_list = is(k, ")");
            k = open - 1;
            if (is_list && ((!is_name(k) && !closes(k) && !is(k, ">")) || /* by themselves */
                            is_one_of(k, "else do return ") || (closes(k) && is_control(k))))
                return with_prefixes(open);
            if (declares_pointer(open))
                return -1;
        }
        if (!is_name(k) || is_one_of(k, "auto operator default delete decltype else do return "))
            return -1;
        bool is_global = is(k - 1, "::") && !is_name(k - 2) && !is(k - 2, ">"); /* ::x */
        k -= is_global;
        if (is_global || !is_one_of(k - 1, ". -> :: "))
            return with_prefixes(k);
    }
}

static void rewrite_assignment(int i) {
    int first = assigned(i);
    bool is_literal = !is_name(i + 1) && (closes(i + 2) || is_one_of(i + 2, "; , : "));
    if (first >= 0 && !is_literal && !is_one_of(i + 1, "{ ; , ") && !has_word(first, i, "{"))
        put_before(i + 1, format("::cpu_device::target<decltype(%s)>()", join(first, i - 1)));
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
