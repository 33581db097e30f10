/*
 * aligned.c: kernels in which an address is misaligned only if a pointer that they are given is: it
 * is enough to look at those once, and not at each access.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "split.h"
#include "uniform.h"

/* Is there a pointer of that name anywhere, for all one can tell? */
static bool may_be_pointer(int name) {
    for (int i = 0; i < token_count; i++)
        if (tokens[i].origin != OF_SYSTEM && is_name(i) && same_text(i, name) &&
            is_one_of(i - 1, "* & const __restrict__ "))
            return true;
    return false;
}

static bool gives_pointer(int name) {
    for (int k = 0; k < function_count; k++)
        if (same_text(functions[k].name, name) && is_one_of(functions[k].name - 1, "* & auto "))
            return true;
    return false;
}

bool keeps_alignment(int parameters, int open) {
    for (int k = 0; k < local_count; k++) {
        const struct local *l = &locals[k];
        if (l->statement >= 0)
            continue;
        for (int i = l->base; i < l->name && !l->pointer; i++)
            if (!is_one_of(i, number_types) && !is(i, "const"))
                return false;
    }
    for (int i = parameters; i < tokens[open].match; i++) {
        bool pointer_type = is(i, "*") && is_one_of(i + 1, ") > * & ");
        if (pointer_type || is_one_of(i, "-> ->* reinterpret_cast union auto "))
            return false;
        if (!is_name(i) || local_of(i) >= 0)
            continue;
        if (is(i + 1, "[") && !is_one_of(i - 1, ". ") && may_be_pointer(i))
            return false;
        if (is(i + 1, "(") && (is(i - 1, ".") || gives_pointer(i)))
            return false;
    }
    return true;
}
