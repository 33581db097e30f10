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

/* Structs that move in pieces, by the tokens that name them. */
static int *in_pieces;
static int piece_count;

bool any_in_pieces(void) { return piece_count > 0; }

bool moves_in_pieces(int name) {
    for (int i = 0; i < piece_count; i++)
        if (same_text(in_pieces[i], name))
            return true;
    return false;
}

static bool is_vector(int i) { /* a type of CUDA's that is aligned to 8 bytes or more */
    return is_one_of(i, "float2 float4 int2 int4 uint2 uint4 short4 ushort4 double2 double4 long1 "
                        "long2 long4 ulong1 ulong2 ulong4 longlong1 longlong2 longlong4 ulonglong1 "
                        "ulonglong2 ulonglong4 double1 ");
}

/* Is a struct plain data, aligned to 8 bytes or more, with nothing smaller than 4 in it? Neighbors
 * are then moved together, and it makes no difference which of them are wanted. */
static bool has_pieces(int start, int open, int name) {
    bool wide = has_word(start, open, "__align__") || has_word(start, open, "alignas");
    if (!is_name(name) || !has_word(start, open, "struct") || !in_main_file(open) ||
        is_one_of(name, "struct final ") || has_word(start, open, ":") ||
        has_word(start, open, "template"))
        return false;
    for (int i = open + 1; i < tokens[open].match; i++) {
        if (is_one_of(i, "( ) { } : = ~ & operator static union struct volatile mutable char short "
                         "bool signed char1 char2 char3 char4 uchar1 uchar2 uchar3 uchar4 short1 "
                         "short2 short3 ushort1 ushort2 ushort3 int8_t uint8_t int16_t uint16_t "
                         "half half2 __half __half2 nv_bfloat16 nv_bfloat162 __nv_bfloat16 "
                         "__nv_bfloat162 friend using typedef ") ||
            (is(i, "const") && !is(i + 2, "*")))
            return false;
        wide |= is_one_of(i, "double long * size_t int64_t uint64_t ptrdiff_t ") || is_vector(i) ||
                moves_in_pieces(i);
    }
    return wide;
}

/* nvcc moves a struct in pieces of its alignment (trace_copies.h); where it looks at members of
 * several sizes, member by member. One with an alignment of its own, and of members of 4 bytes, is
 * a vector (vector_types.h). What gcc does with words of 4 bytes is known: hooks.c, range(). */
void rewrite_struct(int start, int open) {
    int close = tokens[open].match, name = open - 1;
    if (tokens[open].origin == OF_SYSTEM || has_word(start, open, "union") ||
        has_word(open, close, "cpu_device_whole"))
        return;
    if (has_pieces(start, open, name)) {
        in_pieces = grow(in_pieces, (size_t)(piece_count + 1) * sizeof *in_pieces);
        in_pieces[piece_count++] = name;
        const char *self = join(name, name);
        append(&tokens[close].before,
               format(" typedef void cpu_device_in_pieces; __attribute__((always_inline)) %s "
                      "&operator=(const %s &cpu_from) { ::cpu_device::move_pieces(this, "
                      "&cpu_from); return *this; }",
                      self, self));
        structs_apart = true;
    }
    if (has_word(start, open, "__align__") || has_word(start, open, "alignas") ||
        has_word(start, open, "aligned") || has_word(start, open, "__aligned__"))
        append(&tokens[close].before, " __extension__ volatile char cpu_device_whole[0];");
    else if (has_word(start, open, "struct") && !has_word(start, open, ":") && is_mixed(open))
        append(&tokens[close].before, " __extension__ ::cpu_device_apart cpu_apart[0];"),
            structs_apart = true;
}
