/*
 * structs.c: structs that a traced build must copy as nvcc does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "structs.h"

bool structs_apart;
int struct_in_hand = -1;

static bool in_main_file(int i) { /* the first marker names it */
    const char *name = strchr(text, '"');
    struct place at = place_of(i);
    return name && strncmp(name + 1, at.name, (size_t)at.name_length) == 0 &&
           name[1 + at.name_length] == '"';
}

/* The `{` of a struct or union that is defined at token i; -1: none is. */
static int body_at(int i) {
    bool is_user = tokens[i].origin == OF_USER;
    int name, open = is_one_of(i, "struct union class ") ? past_class_name(i, &name) : -1;
    return is_user && is(open, "{") && opens(open) ? open : -1;
}

/* The types that in_union() has asked about, each of them once: no union holds one of these. */
static struct names asked;

/* Does a union hold the type, or one that holds it? */
static bool union_holds(int type) {
    if (!is_name(type) || has_name(&asked, type))
        return false;
    add_name(&asked, type);
    for (int i = 0; i < token_count; i++) {
        int open = body_at(i), close = open < 0 ? i : tokens[open].match;
        if (is(i, "typedef") && is(i + 1, "struct") && same_text(i + 2, type) && union_holds(i + 3))
            return true;
        if (open < 0 || same_text(close + 1, type))
            continue;
        if (same_text(open - 1, type)) { /* its own definition: has it another name? */
            if (union_holds(close + 1))
                return true;
            continue;
        }
        for (int k = open + 1; k < close; k++) {
            if (!same_text(k, type))
                continue;
            if (is(i, "union") || union_holds(open - 1) || union_holds(close + 1))
                return true;
            break;
        }
    }
    return false;
}

/* Does a union hold the type, by itself or inside others? It could not be copied then. */
static bool in_union(int type) {
    int known = asked.count;
    if (!union_holds(type))
        return false;
    asked.count = known;
    return true;
}

/* Is a struct nothing but numbers and pointers, not all of them of 4 bytes? In a union, or when it
 * is declared in a header that C files may include, it must stay as it is. */
static bool is_mixed(int open, int type) {
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
    return others && in_main_file(open) && !in_union(type);
}

/* Structs that move in pieces, by the tokens that name them. */
static struct names in_pieces;

bool any_in_pieces(void) { return in_pieces.count > 0; }
bool moves_in_pieces(int name) { return has_name(&in_pieces, name); }

static bool is_vector(int i) { /* a type of CUDA's that is aligned to 8 bytes or more */
    return is_one_of(i, "float2 float4 int2 int4 uint2 uint4 short4 ushort4 double2 double4 long1 "
                        "long2 long4 ulong1 ulong2 ulong4 longlong1 longlong2 longlong4 ulonglong1 "
                        "ulonglong2 ulonglong4 double1 ");
}

/* Is a struct plain data, not all of it of 4 bytes? Neighbors are then moved together, and it makes
 * no difference which of them are wanted. */
static bool has_pieces(int start, int open, int type) {
    bool wide = has_one_of(start, open, "__align__ alignas ");
    bool narrow = false;
    if (!is_name(type) || tokens[open].origin != OF_USER || !has_word(start, open, "struct") ||
        is(type, "final") || has_one_of(start, open, ": template "))
        return false;
    for (int i = open + 1; i < tokens[open].match; i++) {
        if (is_one_of(i, "( ) { } : = ~ & operator static union struct volatile mutable half half2 "
                         "__half __half2 nv_bfloat16 nv_bfloat162 "
                         "__nv_bfloat16 __nv_bfloat162 friend using typedef ") ||
            (is(i, "const") && !is(i + 2, "*")))
            return false;
        narrow |= is_one_of(i, "char short bool char1 char2 char3 char4 uchar1 uchar2 uchar3 "
                               "uchar4 short1 short2 short3 ushort1 ushort2 ushort3 int8_t "
                               "uint8_t int16_t uint16_t ");
        wide |= is_one_of(i, "double long * size_t int64_t uint64_t ptrdiff_t ") || is_vector(i) ||
                moves_in_pieces(i);
    }
    return (narrow || wide) && !in_union(type);
}

/* What the struct holds, and its end, for mixed_words() (trace_copies.h). */
static const char *members(int open, const char *self) {
    const char *list = "";
    for (int i = open + 1; i < tokens[open].match; i++) {
        if (is(i, "["))
            i = tokens[i].match;
        else if (is_name(i) && is_one_of(i + 1, ", ; [ "))
            append(&list, format("::cpu_device::member{__builtin_offsetof(%s, %s), sizeof(%s::%s), "
                                 "alignof(decltype(%s::%s))}, ",
                                 self, join(i, i), self, join(i, i), self, join(i, i)));
    }
    return format("%s::cpu_device::member{sizeof(%s), 0, 0}", list, self);
}

/* nvcc moves a struct in pieces of its alignment (trace_copies.h); where it looks at members of
 * several sizes, member by member. One with an alignment of its own, and of members of 4 bytes, is
 * a vector (vector_types.h). What gcc does with words of 4 bytes is known: hooks.c, range(). */
void rewrite_struct(int start, int open) {
    int close = tokens[open].match, name = open - 1, type = name;
    struct_in_hand = name;
    int before = is(name, ")") ? tokens[name].match - 2 : name; /* __align__(8) */
    bool is_bare = is(start, "typedef") && is(before, "struct") && is_name(close + 1);
    if (is_bare) /* the name that follows is not there yet, so it gets one */
        type = close + 1;
    if (tokens[open].origin == OF_SYSTEM || open + 1 == close || has_word(start, open, "union") ||
        has_word(open, close, "cpu_device_whole"))
        return;
    bool is_aligned = has_one_of(start, open, "__align__ alignas aligned __aligned__ ");
    bool is_named = is_bare || !is(name, "struct");
    if (is_named && has_pieces(start, open, type)) {
        add_name(&in_pieces, type);
        if (is(start, "typedef"))
            add_name(&in_pieces, close + 1);
        const char *self = is_bare ? format("cpu_struct_%d", in_pieces.count) : join(name, name);
        const char *list = members(open, self);
        if (is_bare)
            append(&tokens[open].before, format(" %s ", self));
        append(&tokens[close].before,
               format(" static constexpr unsigned long cpu_mixed_words() { return "
                      "::cpu_device::mixed_words(%s); } static constexpr bool "
                      "cpu_is_padded() { return ::cpu_device::is_padded(%s); }",
                      list, list));
        append(&tokens[close].before,
               format(" typedef void cpu_device_in_pieces; __attribute__((always_inline)) %s "
                      "&operator=(const %s &cpu_from) { "
                      "::cpu_device::move_pieces<cpu_mixed_words()>(this, &cpu_from); return "
                      "*this; }",
                      self, self));
        structs_apart = true;
    }
    if (is_aligned)
        append(&tokens[close].before, " __extension__ volatile char cpu_device_whole[0];");
    else if (has_word(start, open, "struct") && !has_word(start, open, ":") && is_mixed(open, type))
        append(&tokens[close].before, " __extension__ ::cpu_device_apart cpu_apart[0];"),
            structs_apart = true;
}

/* Does the destructor `~Name()`, from its `~`, do nothing? */
static bool does_nothing(int i) {
    for (i = tokens[i + 2].match + 1; is_one_of(i, "noexcept override final ( "); i++)
        if (opens(i))
            i = tokens[i].match;
    return (is(i, "=") && is(i + 1, "default")) || (is(i, "{") && is(i + 1, "}"));
}

/* Name(const Name<T> &), Name(Name &&), from the name; also one that is deleted. */
static bool copies_itself(int i) {
    int k = i + 2 + is(i + 2, "const");
    if (!is(i + 1, "(") || !same_text(i, k))
        return false;
    k = is(k + 1, "<") && angle_close(k + 1) > 0 ? angle_close(k + 1) : k;
    k += is(k + 1, "const");
    return is_one_of(k + 1, "& && ");
}

bool any_must_not_be_copied(void) {
    for (int i = 0; i < token_count; i++) {
        bool copies =
            !is(i, "~") || !is_name(i + 1) || !is(i + 2, "(") || !is(i + 3, ")") ||
            tokens[i].origin != OF_USER || does_nothing(i) ||
            !is_one_of(i - 1, "; { } : virtual inline constexpr __host__ __device__ ] ) ");
        for (int k = 0; k < token_count && !copies; k++)
            copies = same_text(k, i + 1) && copies_itself(k);
        if (!copies)
            return true;
    }
    return false;
}
