/*
 * loops.c: which kernels have no loops.  In those no jump leads back, and the tracer need not
 * follow the jumps: they get the ATTRIBUTE of --loop-free=ATTRIBUTE.  Unless that is certain of a
 * kernel it counts as one with loops; so does one that calls a function of the user's: of 77
 * programs of the course no kernel without loops does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "options.h"
#include "passes.h"

static bool loop_free_call(const struct body *caller, int name) {
    static const char types[] = "void bool char short int long float double signed unsigned ";
    static const char others[] = "if switch return sizeof alignof noexcept static_assert typeid "
                                 "asm __asm__ __asm ";
    if (is_one_of(name, types) || is_one_of(name, others) || is_one_of(name, attributes) ||
        is_one_of(name, "static_cast reinterpret_cast const_cast ") || begins(name, "__builtin_"))
        return true;
    if (calls_variable(caller, name) || is_function(name, true))
        return false;
    /* What only a header declares is compiled elsewhere, without tracing. */
    bool known = !of_object(name) && is_function(name, false);
    for (int i = 0; i < body_count; i++) {
        if (!may_call(name, &bodies[i]))
            continue;
        if (of_library(bodies[i].scope) && !using_directives && !is(name - 1, "::"))
            continue; /* std::min is not min */
        /* What runs in loops of the CPU device is not recorded; the system stays as it is. */
        if (tokens[bodies[i].name].origin != OF_CPU_DEVICE)
            return false;
        known = true;
    }
    return known;
}

/* (float)(...): the cast's parentheses hold nothing but words of types. */
static bool is_cast(int open) {
    int i = open + 1;
    while (is_one_of(i, "bool char short int long float double signed unsigned const void * ") ||
           is_one_of(i, "size_t int32_t uint32_t int64_t uint64_t "))
        i++;
    return i > open + 1 && i == tokens[open].match;
}

static bool loop_free(const struct body *b) {
    for (int i = b->parameters; i < tokens[b->open].match; i++)
        if (is_one_of(i, "for while do goto ") ||
            (is_call(i) && !loop_free_call(b, i) && !template_parameter(b, i)))
            return false;
        else if (is(i, ")") && is(i + 1, "(") && !is_cast(tokens[i].match) && /* an expression? */
                 !is_one_of(tokens[i].match - 1, "if switch while sizeof __attribute__ "))
            return false;
        else if (is(i, "]") && is(i + 1, "(") && /* or a lambda */
                 (is_name(tokens[i].match - 1) || is_one_of(tokens[i].match - 1, ") ] ")))
            return false;
    return true;
}

/* gcc inlines a function into one with other attributes of sanitizers only if it must. */
static void force_inline(struct body *b) {
    int first = b->start;
    while (is(first, "template") || (is(first, "[") && is(first + 1, "[") && opens(first)))
        first = 1 + (is(first, "[") ? tokens[first].match : template_end(first));
    bool stated =
        has_one_of(first, b->name, "inline __inline__ __inline constexpr ") || b->of_class;
    bool kept = !stated && !has_word(first, b->name, "static"); /* another file may call it */
    if (b->inlined || (kept && separate) ||
        has_one_of(first, b->open, "__forceinline__ __noinline__ always_inline noinline "))
        return;
    b->inlined = true;
    kept &= first == b->start && has_word(first, b->name, "__host__");
    append(&tokens[first].before, format("%s__attribute__((always_inline%s)) ",
                                         stated ? "" : "inline ", kept ? ", used" : ""));
}

/* What a function calls, and what that calls: functions of the CPU device. */
static void force_calls_inline(const struct body *b) {
    for (int i = b->parameters; i < tokens[b->open].match; i++)
        for (int k = is_call(i) ? 0 : body_count; k < body_count; k++)
            if (may_call(i, &bodies[k]) && tokens[bodies[k].name].origin == OF_CPU_DEVICE &&
                !bodies[k].inlined) {
                force_inline(&bodies[k]);
                bodies[k].inlined = true;
                force_calls_inline(&bodies[k]);
            }
}

/* Does a kernel name a class, vectors among them, or a parameter of a template? gcc makes a
 * function that copies it, which follows the jumps (driver/flags.sh). */
static bool may_copy(const struct body *kernel) {
    static struct names classes;
    bool are_known = classes.count > 0;
    for (int i = 0, name; i < token_count && !are_known; i++)
        if (tokens[i].origin != OF_SYSTEM && is_one_of(i, "struct class union ") &&
            is_one_of(past_class_name(i, &name), "{ : final ")) /* a definition */
            add_name(&classes, name);
    for (int i = kernel->start; i < tokens[kernel->open].match; i++)
        if (is(i, "template") || (is_name(i) && has_name(&classes, i)))
            return true;
    return false;
}

bool mark_loop_free_kernels(void) {
    bool any = false, all = true;
    for (int i = 0; i < body_count; i++) {
        const struct body *b = &bodies[i];
        /* Constructors and operators need no name to be called: one with a loop spoils all. */
        if (b->implicit && is_user_device_code(b) && !loop_free(b))
            return false;
        all &= !b->kernel || loop_free(b);
    }
    for (int i = 0; i < body_count; i++)
        for (int k = bodies[i].start; k < bodies[i].name; k++)
            if (is(k, "__global__") && loop_free(&bodies[i]) &&
                (all || !copies_are_calls || !may_copy(&bodies[i]))) {
                tokens[k].instead = format("%s %s ", tokens[k].instead, loop_free_attribute);
                force_calls_inline(&bodies[i]);
                any = true;
            }
    for (int i = 0; i < body_count && any; i++)
        if (bodies[i].implicit && tokens[bodies[i].start].origin != OF_SYSTEM &&
            !of_host(&bodies[i]))
            force_inline(&bodies[i]);
    return any && all;
}
