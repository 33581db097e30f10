/*
 * copies.c: where device code copies a struct into a variable.
 *
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"
#include "copies.h"
#include "structs.h"

/* The end of an initializer; 0: it may be that the comma in it is no end. */
static int initializer_end(int i) {
    if (is_one_of(i, "{ ; , "))
        return 0;
    for (; !is_one_of(i, "; , ") && !closes(i); i++) {
        if (is(i, "<") || tokens[i].kind == END)
            return 0;
        if (opens(i))
            i = tokens[i].match;
    }
    return i;
}

/* The declarators `v = x, w = y` of a type. */
static void rewrite_declarators(int type, int i) {
    while (is_name(i) && is(i + 1, "=")) {
        int end = initializer_end(i + 2);
        if (!end)
            return;
        int first = is(type - 1, "struct") ? type - 1 : type; /* the variable may be called so */
        append(&tokens[i + 2].before,
               format("::cpu_device::value_of<%s>::get(", join(first, type)));
        append(&tokens[end - 1].after, ")");
        i = is(end, ",") ? end + 1 : end;
    }
}

void rewrite_copies(void) {
    for (int k = 0; k < body_count && any_in_pieces(); k++) {
        const struct body *b = &bodies[k];
        if (!is_user_device_code(b) || has_word(b->start, b->open, "constexpr"))
            continue;
        for (int i = b->open + 1; i < tokens[b->open].match; i++)
            if (is_name(i) && is_name(i + 1) &&
                !is_one_of(i - 1, ". -> :: constexpr static typename ") &&
                (moves_in_pieces(i) || template_parameter(b, i)))
                rewrite_declarators(i, i + 1);
    }
}
