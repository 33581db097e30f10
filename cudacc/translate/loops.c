/*
 * loops.c: which kernels have no loops.  In those no jump leads back, and the tracer need not
 * follow the jumps: they get the ATTRIBUTE of --loop-free=ATTRIBUTE.  Unless that is certain of a
 * kernel and all that it calls, it counts as one with loops.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "options.h"
#include "passes.h"

static bool loop_free(struct body *b);

static bool loop_free_call(const struct body *caller, int name) {
    static const char types[] = "void bool char short int long float double signed unsigned ";
    static const char others[] = "if switch return sizeof alignof noexcept static_assert typeid "
                                 "asm __asm__ __asm ";
    if (is_one_of(name, types) || is_one_of(name, others) || is_one_of(name, attributes) ||
        is_one_of(name, "static_cast reinterpret_cast const_cast ") || begins(name, "__builtin_"))
        return true;
    bool defined = false, declared = false;
    if (calls_variable(caller, name))
        return false;
    for (int i = 0; i < body_count; i++) {
        if (!may_call(name, &bodies[i]))
            continue;
        if (of_library(bodies[i].scope) && !using_directives && !is(name - 1, "::"))
            continue; /* std::min is not min */
        if (!loop_free(&bodies[i]))
            return false;
        defined = true;
    }
    /* What only a header declares is compiled elsewhere, without tracing. */
    for (int i = 0; i < function_count && !of_object(name); i++) {
        if (!same_text(functions[i].name, name))
            continue;
        if (!defined && tokens[functions[i].name].origin == OF_USER)
            return false;
        declared = true;
    }
    return (defined || declared) && !(separate && elsewhere(name));
}

/* (float)(...): the cast's parentheses hold nothing but words of types. */
static bool is_cast(int open) {
    int i = open + 1;
    while (is_one_of(i, "bool char short int long float double signed unsigned const void * ") ||
           is_one_of(i, "size_t int32_t uint32_t int64_t uint64_t "))
        i++;
    return i > open + 1 && i == tokens[open].match;
}

static bool loop_free(struct body *b) {
    if (b->course != NOT_ASKED)
        return b->course == LOOP_FREE; /* ASKED: it calls itself */
    if (tokens[b->name].origin != OF_USER) {
        /* What runs in loops of the CPU device is not recorded; the system stays as it is. */
        b->course = tokens[b->name].origin == OF_CPU_DEVICE ? LOOP_FREE : LOOPING;
        return b->course == LOOP_FREE;
    }
    b->course = ASKED;
    bool found = false;
    for (int i = b->parameters; i < tokens[b->open].match && !found; i++) {
        if (is_one_of(i, "for while do goto "))
            found = true;
        else if (is_call(i))
            found = !loop_free_call(b, i) && !template_parameter(b, i);
        else if (is(i, ")") && is(i + 1, "(")) /* a call through an expression? */
            found = !is_cast(tokens[i].match) &&
                    !is_one_of(tokens[i].match - 1, "if switch while sizeof __attribute__ ");
        else if (is(i, "]") && is(i + 1, "(")) /* or a lambda */
            found = is_name(tokens[i].match - 1) || is_one_of(tokens[i].match - 1, ") ] ");
    }
    b->course = found ? LOOPING : LOOP_FREE;
    return !found;
}

/* gcc inlines a function into one with other attributes of sanitizers only if it must. */
static void force_inline(struct body *b) {
    int first = b->start;
    while (is(first, "template") || (is(first, "[") && is(first + 1, "[") && opens(first)))
        first = 1 + (is(first, "[") ? tokens[first].match : template_end(first));
    bool stated =
        has_one_of(first, b->name, "inline __inline__ __inline constexpr ") || b->of_class;
    if (b->inlined ||
        has_one_of(first, b->open, "__forceinline__ __noinline__ always_inline noinline "))
        return;
    b->inlined = true;
    if (!stated && separate && !has_word(first, b->name, "static"))
        return; /* another file may call it */
    /* A function of the host, too, is called by other files. */
    bool kept = !stated && first == b->start && has_word(first, b->name, "__host__") &&
                !has_word(first, b->name, "static");
    append(&tokens[first].before, format("%s__attribute__((always_inline%s)) ",
                                         stated ? "" : "inline ", kept ? ", used" : ""));
}

/* Marks what a function calls, and what that calls. */
static void force_calls_inline(const struct body *b) {
    for (int i = b->parameters; i < tokens[b->open].match; i++) {
        for (int k = is_call(i) ? 0 : body_count; k < body_count; k++)
            if (may_call(i, &bodies[k]) && loop_free(&bodies[k]) && !bodies[k].inlined) {
                force_inline(&bodies[k]);
                bodies[k].inlined = true;
                force_calls_inline(&bodies[k]);
            }
    }
}

/* The names of classes, vectors among them. */
static struct names classes;

static void find_classes(void) {
    for (int i = 0; i < token_count; i++) {
        int name;
        if (tokens[i].origin != OF_SYSTEM && is_one_of(i, "struct class union ") &&
            is_one_of(past_class_name(i, &name), "{ : final ")) /* a definition */
            add_name(&classes, name);
    }
}

/* Does a function, or what it calls, name a class, or a parameter of a template? gcc makes a
 * function that copies it, which follows the jumps (driver/flags.sh). */
static bool names_class(struct body *b) {
    if (b->asked_for_class) /* it calls itself, or has been called before */
        return false;
    b->asked_for_class = true;
    for (int i = b->start; i < tokens[b->open].match; i++) {
        if (is(i, "template") || (is_name(i) && has_name(&classes, i)))
            return true;
        for (int k = is_call(i) ? 0 : body_count; k < body_count; k++)
            if (&bodies[k] != b && tokens[bodies[k].name].origin == OF_USER &&
                may_call(i, &bodies[k]) && names_class(&bodies[k]))
                return true;
    }
    return false;
}

static bool may_copy(struct body *kernel) {
    for (int i = 0; i < body_count; i++)
        bodies[i].asked_for_class = false;
    return names_class(kernel);
}

bool mark_loop_free_kernels(void) {
    bool any = false, all = true;
    /* Constructors and operators need no name to be called: one with a loop spoils all. */
    for (int i = 0; i < body_count; i++) {
        struct body *b = &bodies[i];
        if (b->implicit && is_user_device_code(b) && !loop_free(b))
            return false;
    }
    for (int i = 0; i < body_count; i++)
        for (int k = bodies[i].start; k < bodies[i].name; k++)
            all &= !is(k, "__global__") || loop_free(&bodies[i]);
    if (!all && copies_are_calls)
        find_classes();
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
