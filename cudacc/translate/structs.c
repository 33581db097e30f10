/*
 * structs.c: structs that a traced build must copy as nvcc does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "passes.h"

int struct_in_hand = -1;

/* Structs that move in pieces, by the tokens that name them. */
static struct names in_pieces;

bool any_in_pieces(void) { return in_pieces.count > 0; }
bool moves_in_pieces(int name) { return has_name(&in_pieces, name); }

/* Is a struct plain data, not all of it of 4 bytes? Neighbors are then moved together, and it makes
 * no difference which of them are wanted. */
static bool has_pieces(int start, int open, int type) {
    bool wide = has_one_of(start, open, "__align__ alignas ");
    bool narrow = false;
    if (!is_name(type) || tokens[open].origin != OF_USER || !has_word(start, open, "struct") ||
        has_one_of(start, open, ": template "))
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
        wide |=
            is_one_of(i, "double long * size_t int64_t uint64_t ptrdiff_t float2 float4 int2 int4 "
                         "uint2 uint4 short4 ushort4 double2 double4 long1 long2 long4 ulong1 "
                         "ulong2 ulong4 longlong1 longlong2 longlong4 ulonglong1 ulonglong2 "
                         "ulonglong4 double1 ") ||
            moves_in_pieces(i);
    }
    return narrow || wide;
}

/* What the struct holds, and its end, for mixed_words() (trace_copies.h). `struct NAME`, for a
 * member may have its name. */
static const char *members(int open, const char *self) {
    const char *list = "";
    for (int i = open + 1; i < tokens[open].match; i++) {
        if (is(i, "<") && angle_close(i) > 0)
            i = angle_close(i);
        else if (is(i, "["))
            i = tokens[i].match;
        else if (is_name(i) && is_one_of(i + 1, ", ; [ "))
            append(&list,
                   format("::cpu_device::member{__builtin_offsetof(struct %s, %s), sizeof(%s::%s), "
                          "alignof(decltype(%s::%s))}, ",
                          self, join(i, i), self, join(i, i), self, join(i, i)));
    }
    return format("%s::cpu_device::member{sizeof(struct %s), 0, 0}", list, self);
}

/* nvcc moves a struct in pieces of its alignment (trace_copies.h); where it looks at members of
 * several sizes, member by member. What gcc does with words of 4 bytes is known: hooks.c, range().
 * Nothing here changes what C++ says of the type: not its size, not whether its copies are bytes,
 * nor what it is bound to or initialized with. */
void rewrite_struct(int start, int open) {
    int close = tokens[open].match, colon = find(start, open, ": "), name = colon - 1;
    struct_in_hand = name;
    if (is(name, ">") && angle_open(name) > 0) /* Name<int> is called Name in itself */
        name = angle_open(name) - 1;
    name -= is(name, "final");
    int type = name;
    int before = is(name, ")") ? tokens[name].match - 2 : name; /* __align__(8) */
    bool is_bare = is(start, "typedef") && is(before, "struct") && is_name(close + 1);
    if (is_bare) /* the name that follows is not there yet, so it gets one */
        type = close + 1;
    if (tokens[open].origin != OF_USER || open + 1 == close || has_word(start, open, "union"))
        return;
    bool has_members = has_pieces(start, open, type);
    if ((!is_bare && (!is_name(name) || is_one_of(name, "struct class "))) ||
        !(has_members || has_one_of(start, open, "__align__ alignas aligned __aligned__ ")))
        return;
    add_name(&in_pieces, type);
    if (is(start, "typedef"))
        add_name(&in_pieces, close + 1);
    const char *self = is_bare ? format(" cpu_struct_%d ", in_pieces.count) : join(name, name);
    if (is_bare)
        append(&tokens[open].before, self);
    const char *list = has_members ? members(open, self) : "";
    append(
        &tokens[close].before,
        format(" public: typedef struct %s cpu_device_in_pieces; static constexpr unsigned long "
               "cpu_mixed_words() { return ::cpu_device::mixed_words(%s); } static constexpr "
               "bool cpu_is_padded() { return ::cpu_device::is_padded(%s); } "
               "__attribute__((always_inline)) cpu_device_in_pieces &operator=(::cpu_device::moved<"
               "cpu_device_in_pieces> cpu_from) "
               "{ ::cpu_device::move_pieces<cpu_mixed_words()>(this, cpu_from.from); return "
               "*this; }",
               self, list, list));
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
