/*
 * bits.c: see bits.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bits.h"
#include "calls.h"

struct field {
    int name, open; /* open: the brace of its class */
};
static struct field *fields;
static int field_count;

static void record_field(int name, int type, int type_end, int class) {
    fields = grow(fields, ((size_t)field_count + 1) * sizeof *fields);
    fields[field_count++] = (struct field){name, class};
    append(&tokens[tokens[class].match].before,
           format(" enum { cpu_unit_%s = sizeof(%s) };", join(name, name), join(type, type_end)));
}

/* Those between a pair of braces: of a class, or of a struct or union in it that has no name. */
static void find_fields(int open, int class) {
    int start = open + 1, type_end = -1; /* of a declaration; the last token of its type */
    for (int i = start; i < tokens[open].match; i++) {
        if (is(i, "{") && opens(i)) {
            if (is_one_of(i - 1, "struct union ") && is(tokens[i].match + 1, ";"))
                find_fields(i, class);
            i = tokens[i].match;
            start = i + 1;
        } else if (is(i, ";") || (is(i, ":") && is_one_of(i - 1, "public private protected "))) {
            start = i + 1, type_end = -1;
        } else if (is(i, ":") && is_name(i - 1) && i - 1 > start &&
                   !is_one_of(i - 2, "enum class struct union ")) {
            if (type_end < 0 && !is(i - 2, ","))
                type_end = i - 2;
            if (is(start, "mutable"))
                start++;
            if (type_end >= start && !has_word(start, i, "volatile") &&
                !has_word(start, i, "const"))
                record_field(i - 1, start, type_end, class);
        } else if (opens(i)) {
            i = tokens[i].match;
        }
    }
}

void record_bits(int start, int open) {
    int close = tokens[open].match, end = close;
    while (end < token_count && !is(end, ";"))
        end++;
    bool has_name = !is_one_of(open - 1, "struct union ") || !is(close + 1, ";");
    for (int i = start; i < end; i = i == open ? close : i + 1)
        if (is_one_of(i, "packed __packed__ "))
            return;
    if (tokens[open].origin == OF_USER && has_name)
        find_fields(open, open);
}

/* The first token of the object, or pointer, that ends at i, as `p` of `p[f(x)].inner`; -1: not
 * known. */
static int object_start(int i) {
    static const char words[] = "return if while for switch else do throw sizeof and or not ";
    for (;;) {
        bool call = is(i, ")");
        if (closes(i) && is_one_of(i, ") ] ")) {
            int open = tokens[i].match;
            i = open - 1;
            if (call && is(i, ">") && angle_open(i) > 0)
                i = angle_open(i) - 1;
            if (call && (!is_name(i) || is_one_of(i, words)))
                return open;
        } else if (is_name(i)) {
            while (is(i - 1, "::"))
                i -= is_name(i - 2) ? 2 : 1;
            if (!is_one_of(i - 1, ". -> "))
                return i;
            i -= 2;
        } else {
            return -1;
        }
    }
}

/* Does the function itself hold the object, most likely in registers? */
static bool is_local(const struct body *b, int first, int end) {
    bool in_array = false;
    for (int i = first; i <= end; i++) {
        if (is(i, "->") || is(i, "(") || (is(i, "[") && i != first + 1))
            return false;
        in_array |= is(i, "[");
        if (is(i, "[") && opens(i))
            i = tokens[i].match;
    }
    for (int k = first - 1; k > b->parameters; k--) {
        if (!same_text(k, first) || !is_declarator(k))
            continue;
        int from = k;
        while (from > b->parameters && !is_one_of(from, "; { } ( "))
            from--;
        return !is_one_of(k - 1, "& && * ") && !has_word(from, k, "__shared__") &&
               (!in_array || (is(k + 1, "[") && k > b->open));
    }
    return false;
}

static bool joined(int i, const char *a, const char *b) { /* `+=`, two tokens */
    return is_one_of(i, a) && is_one_of(i + 1, b) && !tokens[i + 1].spaced;
}

/* In a method: a field of the object that it is called for? */
static bool is_own(const struct body *b, int i) {
    bool is_member = false;
    for (int k = 0; k < field_count; k++)
        is_member |= same_text(fields[k].name, i) && fields[k].open < b->start &&
                     b->open < tokens[fields[k].open].match;
    for (int k = i - 1; k > b->parameters && is_member; k--)
        is_member = !(same_text(k, i) && is_declarator(k));
    return is_member && !is(i - 1, "::");
}

static void rewrite_use(const struct body *b, int i) {
    const char *name = join(i, i);
    bool with_dot = is_one_of(i - 1, ". -> ");
    int first = with_dot ? object_start(i - 2) : i;
    if (first < 0 || (with_dot ? is_local(b, first, i - 2) : !is_own(b, i)))
        return;
    bool written = is_one_of(i + 1, "= <<= >>= ") || joined(i + 1, "+ - * / % & | ^ ", "= ") ||
                   joined(i + 1, "+ ", "+ ") || joined(i + 1, "- ", "- ") ||
                   joined(first - 2, "+ ", "+ ") || joined(first - 2, "- ", "- ");
    const char *before = tokens[first].before ? tokens[first].before : "";
    if (!with_dot) {
        tokens[i].before = format("::cpu_bits_%s::at(*this, 0, %d).%s", name, written, before);
        return;
    }
    tokens[first].before =
        format("::cpu_bits_%s::at(%s%s", name, is(i - 1, "->") ? "*" : "", before);
    append(&tokens[i - 2].after, format(", 0, %d)", written));
    tokens[i - 1].instead = ".";
}

static bool is_field(int i) {
    for (int k = 0; k < field_count; k++)
        if (same_text(fields[k].name, i))
            return true;
    return false;
}

/* What hands the object on, for one name. */
static void define(int user, int name) {
    const char *s = join(name, name);
    append(&tokens[user].before,
           format("namespace { struct cpu_bits_%s { "
                  "template <class T> static void fill(T &x, unsigned long long ones) "
                  "{ x.%s = (decltype(x.%s))ones; } "
                  "template <class T, unsigned bytes = T::cpu_unit_%s> "
                  "__attribute__((always_inline)) static auto at(T &x, int, bool written) "
                  "-> decltype((void)x.%s, (x)) "
                  "{ ::cpu_device::note_bits<cpu_bits_%s, bytes>(x, written); return x; } "
                  "template <class T> __attribute__((always_inline)) "
                  "static T &&at(T &&x, long, bool) { return static_cast<T &&>(x); } }; } ",
                  s, s, s, s, s, s));
}

void rewrite_bits(void) {
    int user = 0;
    while (user < token_count - 1 && tokens[user].origin != OF_USER)
        user++;
    for (int k = 0; k < field_count; k++) {
        int first = 0;
        while (!same_text(fields[first].name, fields[k].name))
            first++;
        if (first == k)
            define(user, fields[k].name);
    }
    for (int k = 0; k < body_count && field_count; k++) {
        const struct body *b = &bodies[k];
        if (tokens[b->start].origin != OF_USER || !(b->kernel || !of_host(b)) ||
            has_word(b->start, b->open, "constexpr"))
            continue;
        for (int i = b->open + 1; i < tokens[b->open].match; i++)
            if (is_name(i) && is_field(i))
                rewrite_use(b, i);
    }
}
