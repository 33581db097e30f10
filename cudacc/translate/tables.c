/*
 * tables.c: constant tables, `__device__ const`. gcc calls no tracer for a load that names one; it
 * does for one through a pointer. So t[i] becomes (&t[0])[i] in device code. What the compiler then
 * still folds, as with an index that it knows, nvcc folds, too.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "passes.h"

static struct names tables; /* of arrays, and of what may be structs that hold some */

void record_tables(const struct declaration *d) { add_declared(&tables, d); }

/* Does a struct declare a member of this name as an array? */
static bool is_array_member(int name) {
    for (int i = 0; i < token_count; i++)
        if (same_text(i, name) && is(i + 1, "[") && is_declarator(i))
            return true;
    return false;
}

/* Token i names a table, as `t` in t[i] and s.t[i]: the bracket; -1: it does not. */
static int table_bracket(int i) {
    int end = i;
    for (int k = 0; k < tables.count; k++) {
        if (!same_text(tables.at[k], i))
            continue;
        while (is(end + 1, ".") && is_name(end + 2))
            end += 2;
        bool right = end > i ? is_array_member(end) : is(tables.at[k] + 1, "[");
        return right && is(end + 1, "[") && opens(end + 1) && !is_one_of(i - 1, ". -> ") &&
                       !is_declarator(i)
                   ? end + 1
                   : -1;
    }
    return -1;
}

/* Does token i name something that the function has declared, a parameter or a variable? */
static bool is_local(const struct body *b, int i) {
    for (int k = b->parameters; k < i; k++)
        if (same_text(k, i) && is_declarator(k) && is_one_of(k + 1, "= ; , : [ ] ( ) { "))
            return true;
    return false;
}

/* Does token i name the counter of a loop around it, of which nothing but numbers and names from
 * outside of the function says how often it runs? */
static bool counts_to_constant(const struct body *b, int i) {
    for (int k = i; k > b->open; k--) {
        int open = k + 1, counter = -1;
        if (!is(k, "for") || !opens(open) || statement_end(k, i) < i)
            continue;
        for (int n = open + 1; n < tokens[open].match; n++)
            if (is_name(n) && same_text(n, i))
                counter = n;
        for (int n = open + 1; n < tokens[open].match && counter >= 0; n++)
            if (is_name(n) && !same_text(n, i) && !is_declarator(n) && is_local(b, n))
                return false;
        if (counter >= 0)
            return true;
    }
    return false;
}

/* nvcc unrolls such loops, and then knows the index. */
static bool is_constant(const struct body *b, int open) {
    for (int i = open + 1; i < tokens[open].match; i++)
        if (is_one_of(i, "threadIdx blockIdx blockDim gridDim ") ||
            (is_name(i) && is(i + 1, "(") && !is(i, "sizeof")) ||
            (is_name(i) && is_local(b, i) && !counts_to_constant(b, i)))
            return false;
    return true;
}

static void rewrite_uses(const struct body *b) {
    for (int i = b->open; i < tokens[b->open].match; i++) {
        bool constant = true;
        int bracket = is_name(i) ? table_bracket(i) : -1;
        if (bracket < 0)
            continue;
        for (int k = bracket; is(k, "[") && opens(k); k = tokens[k].match + 1)
            constant &= is_constant(b, k);
        int first = i; /* of a qualified name */
        while (is(first - 1, "::"))
            first -= is_name(first - 2) ? 2 : 1;
        for (int k = bracket; is(k, "[") && opens(k) && !constant; k = tokens[k].match + 1) {
            tokens[first].before = format("(&%s", tokens[first].before ? tokens[first].before : "");
            append(&tokens[k - 1].after, "[0])");
        }
    }
}

void rewrite_tables(void) {
    for (int k = 0; k < body_count && tables.count; k++)
        if (is_user_device_code(&bodies[k]))
            rewrite_uses(&bodies[k]);
}
