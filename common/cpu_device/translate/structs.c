/*
 * structs.c: see structs.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "structs.h"

bool structs_apart;

static bool in_main_file(int i) { /* the first marker names it */
    const char *name = strchr(text, '"');
    struct place at = place_of(i);
    return name && strncmp(name + 1, at.name, (size_t)at.name_length) == 0 &&
           name[1 + at.name_length] == '"';
}

/* Is a struct nothing but numbers and pointers, not all of them of 4 bytes? Where there are unions,
 * or when it is declared in a header that C files may include, it must stay as it is. */
static bool is_mixed(int open) {
    static const char words[] =
        "float int unsigned signed char short long double bool const * , ; ";
    static const char fours[] = "float int unsigned signed const , ; ";
    bool others = false;
    for (int i = open + 1; i < tokens[open].match; i++) {
        bool is_declared = is_one_of(i + 1, ", ; ") && is_name(i) && !is_one_of(i, words);
        if (!is_one_of(i, words) && !is_declared)
            return false;
        others |= !is_one_of(i, fours) && !is_declared;
    }
    if (!others || !in_main_file(open))
        return false;
    for (int i = 0; i < token_count; i++)
        if (tokens[i].origin == OF_USER && is(i, "union"))
            return false;
    return true;
}

/* nvcc moves a struct member by member, but as a whole if it has an alignment of its own, like the
 * vector types (vector_types.h has both of these members). What gcc does with words of 4 bytes is
 * known: trace.c, range(). */
void rewrite_struct(int start, int open) {
    int close = tokens[open].match;
    if (tokens[open].origin == OF_SYSTEM || has_word(start, open, "union") ||
        has_word(open, close, "cpu_device_whole"))
        return;
    if (has_word(start, open, "__align__") || has_word(start, open, "alignas") ||
        has_word(start, open, "aligned") || has_word(start, open, "__aligned__"))
        append(&tokens[close].before, " __extension__ volatile char cpu_device_whole[0];");
    else if (has_word(start, open, "struct") && !has_word(start, open, ":") && is_mixed(open))
        append(&tokens[close].before, " __extension__ ::cpu_device_apart cpu_apart[0];"),
            structs_apart = true;
}
