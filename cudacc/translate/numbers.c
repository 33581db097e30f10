/*
 * numbers.c: where the text of a kernel means what it seems to mean.
 *
 * A C++ program says itself what `a << b` does for its own classes, what `T x = y` converts, and
 * what happens at a scope's end. In a kernel of numbers, and in a file whose classes are structs of
 * values, it says no more than the language does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "split.h"
#include "uses.h"

/* Does a text of that origin declare a type of that name? OF_USER: or the CPU device's. */
static bool is_type(int name, enum origin origin) {
    for (int k = 1; k < token_count; k++) {
        if (!same_text(k, name) || (tokens[k].origin == OF_SYSTEM) != (origin == OF_SYSTEM))
            continue;
        bool named = is_one_of(k + 1, ", ; [ ") || (is(k + 1, "(") && !is_one_of(k + 2, "* & ")) ||
                     (is(k + 1, ")") && is(k - 1, "*") && is(k - 2, "("));
        if (is_one_of(k - 1, "struct class union enum namespace using typename ") ||
            (is(start_of(k), "typedef") && named))
            return true;
    }
    return false;
}

static bool is_foreign(int name) {
    return !is_one_of(name, number_types) && !is(name, "const") && is_type(name, OF_SYSTEM) &&
           !is_type(name, OF_USER);
}

/* ---- A plain file -------------------------------------------------------------------------- */

static bool is_of_values(int open) {
    static const char none[] = "& && ~ < > :: operator template virtual using friend mutable ";
    return !has_one_of(open, tokens[open].match, none);
}

static bool is_plain_class(int i) {
    int open = i + 1;
    while (is_name(open) ||
           (is(open, "(") && is_one_of(open - 1, "__attribute__ __align__ alignas ")))
        open = opens(open) ? tokens[open].match + 1 : open + 1;
    if (is(open, ":") || (is(open, "{") && (is(i - 1, ">") || !is_of_values(open))))
        return is(i - 1, "enum");
    return true;
}

/* May a name for a type hide a reference, what a template makes, or a class of a library? */
static bool is_plain_alias(int i) {
    while (!is(++i, ";") && i < token_count && !is(i, "{"))
        if (is_one_of(i, "& && < decltype typename ") || (is_name(i) && is_foreign(i)) ||
            (is(i, "::") && !is_type(i - 1, OF_USER)))
            return false;
    return true;
}

bool file_is_plain(void) {
    for (int i = 0; i < token_count; i++) {
        if (tokens[i].origin != OF_USER)
            continue;
        if (is(i, "operator") || (is_one_of(i, "struct class union ") && !is_plain_class(i)) ||
            (is_one_of(i, "typedef using ") && !is(i + 1, "namespace") && !is_plain_alias(i)))
            return false;
    }
    return true;
}

bool has_plain_classes(int parameters, int end) {
    for (int i = parameters; i < end; i++)
        if (is(i, "::") && is_name(i - 1) && !is_type(i - 1, OF_USER))
            return false;
    for (int k = 0; k < local_count; k++)
        for (int i = locals[k].base; i < locals[k].declarator; i++)
            if (is(i, "<") || (is_name(i) && is_foreign(i)))
                return false;
    return true;
}

/* ---- Numbers alone ------------------------------------------------------------------------- */

/* A function of the CPU device or the C library; or the only one of the user's, of numbers. */
static bool is_function_of_numbers(int i) {
    bool users = false, others = false;
    for (const struct function *f = NULL; (f = function_named(i, false, f));) {
        bool user = tokens[f->name].origin == OF_USER;
        if (user && (users || is(start_of(f->name), "template")))
            return false;
        users |= user, others |= !user;
    }
    if (users)
        prove(format("::cpu_device::is_of_numbers<decltype(%s)>", join(i, i)));
    return users != others && !is_method(i);
}

/* Does the user declare the name outside of functions and classes? If not, it is a variable within
 * braces of the kernel, whose type is looked at where it stands. */
static bool is_outer(int name) {
    static bool *skipped;
    if (!skipped) {
        skipped = memset(grow(NULL, (size_t)token_count), 0, (size_t)token_count);
        for (int k = 0; k < body_count; k++)
            skipped[bodies[k].open] = true;
    }
    for (int i = 0; i < token_count; i++)
        if (tokens[i].origin == OF_USER && same_text(i, name))
            return true;
        else if (skipped[i] || (is(i, "(") && opens(i)) ||
                 (is(i, "{") && opens(i) && tokens[i].origin == OF_USER &&
                  has_one_of(start_of(i), i, "struct class ")))
            i = tokens[i].match;
    return false;
}

/* A name that is no local. */
static bool is_of_numbers(int i, int body, int end) {
    static const char words[] = "break const constexpr continue default do else extern false for "
                                "if nullptr return sizeof switch true case void while static "
                                "static_cast reinterpret_cast __shared__ __restrict__ __restrict "
                                "threadIdx blockIdx blockDim gridDim warpSize __syncthreads ";
    static const char others[] = "asm __asm__ alignas alignof class decltype delete enum goto "
                                 "namespace new struct template this throw try typedef typeid "
                                 "typename union using volatile noexcept __extension__ ";
    if (is(i - 1, "."))
        return is_one_of(i - 2, "threadIdx blockIdx blockDim gridDim ");
    if (is_one_of(i, others) || is_one_of(i - 1, "-> :: ") || is(i + 1, "::"))
        return false;
    if (is_one_of(i, words) || is_number_word(i))
        return true;
    if (is(i, "auto")) /* what numbers make is one; but not a parameter */
        return i > body;
    if (is(i + 1, "("))
        return is_function_of_numbers(i);
    if (is_function(i, false) || is_method(i))
        return false;
    if (!is_type(i, OF_USER) && !is_outer(i))
        return !is_foreign(i);
    for (int k = body; k < end; k++) /* another variable, within braces? */
        if (same_text(k, i) && is_name(k - 1) && !is_one_of(k - 1, "return else case "))
            return false;
    if (is_template_type(i) || is_type(i, OF_USER))
        prove(format("::cpu_device::is_number<%s>", join(i, i)));
    else
        prove(format("::cpu_device::is_of_numbers<decltype(%s)>", join(i, i)));
    return true;
}

bool has_numbers_alone(int parameters, int end) {
    for (int i = parameters; i < end; i++)
        if (tokens[i].kind == NUMBER
                ? !is_literal(i)
                : is_name(i) && local_of(i) < 0 && !is_of_numbers(i, tokens[parameters].match, end))
            return false;
    return true;
}
