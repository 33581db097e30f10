/*
 * scopes.c: the walk through namespaces, classes and functions that rewrites declarations.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "kernels.h"
#include "options.h"
#include "passes.h"

/* Where a declaration stands. */
struct context {
    enum scope scope;
    const char *path; /* the namespace */
    bool in_template;
};

/* What the brace at token `brace` opens, from the declaration or statement before it. */
static enum scope scope_of(int start, int brace, const char **path) {
    bool is_class = false;
    for (int i = start; i < brace; i++) {
        if (is(i, "template"))
            i = template_end(i);
        else if (is_one_of(i, attributes) && opens(i + 1))
            i = tokens[i + 1].match;
        else if (is(i, "namespace")) {
            *path = format("%s::%s", *path, i + 1 < brace ? join(i + 1, brace - 1) : " ");
            return NAMESPACE;
        } else if (is(i, "extern") && i + 2 == brace && tokens[i + 1].kind == TEXT)
            return NAMESPACE;
        else if (is_one_of(i, "struct class union "))
            is_class = true;
        else if (is(i, "<") && is_class && angle_close(i) > 0)
            i = angle_close(i);
        else if (is_one_of(i, "( = enum operator "))
            return BLOCK;
        else if (opens(i))
            i = tokens[i].match;
    }
    return is_class ? CLASS : BLOCK;
}

static void rewrite_declaration(int start, const struct context *c) {
    struct declaration d = parse_declaration(start);
    if (d.at[DEVICE] >= 0 && d.function)
        record_prototype(&d);
    if (d.at[DEVICE] >= 0 || d.at[GLOBAL] >= 0 || (d.at[SHARED] >= 0 && c->scope != BLOCK))
        record_stepping(&d);
    if (d.at[GLOBAL] >= 0)
        record_kernel(&d, c->scope, c->path);
    else if (d.at[SHARED] >= 0 && !d.function)
        rewrite_shared(&d, c->scope, c->in_template);
    else if ((d.at[DEVICE] >= 0 || d.at[CONSTANT] >= 0 || d.at[MANAGED] >= 0) && !d.function)
        rewrite_variable(&d, c->scope);
}

/* Qualifiers that need no look at what they qualify. False: not one of them. */
static bool rewrite_word(int i) {
    if (is_one_of(i, "__host__ __grid_constant__ __inline_hint__ __nv_pure__ ")) {
        drop(i, i);
    } else if (is_one_of(i, "__launch_bounds__ __cluster_dims__ __block_size__ __maxnreg__ ")) {
        drop(i, opens(i + 1) ? tokens[i + 1].match : i);
    } else if (is(i, "__align__") && opens(i + 1)) {
        tokens[i].instead = "__attribute__((aligned";
        append(&tokens[tokens[i + 1].match].after, "))");
    } else if (is(i, "__noinline__")) {
        tokens[i].instead = "__attribute__((noinline))";
    } else if (is(i, "__forceinline__")) {
        if (!tokens[i].instead) /* of a kernel */
            tokens[i].instead = "inline __attribute__((always_inline))";
    } else {
        return false;
    }
    return true;
}

static const char spaces[] = "__device__ __shared__ __constant__ __managed__ ";

/* `static` in a function of the device alone: a variable of the device. */
static void rewrite_static(int start, const struct context *c) {
    const struct body *b = inside >= 0 ? &bodies[inside] : NULL;
    if (!tracing || !b || c->scope != BLOCK || has_word(b->start, b->open, "__host__") ||
        !(b->kernel || has_word(b->start, b->open, "__device__")))
        return;
    struct declaration d = parse_declaration(start);
    if (!d.function && d.name >= 0 && !has_one_of(start, d.end, spaces))
        rewrite_variable(&d, BLOCK);
}

/* Does the text of a declaration or statement begin again after token i? */
static bool ends_statement(int start, int i, enum scope scope) {
    return is(i, ";") || (is(i, ":") && (is_one_of(i - 1, "public private protected default ") ||
                                         is(start, "case") || (scope == BLOCK && i == start + 1)));
}

static void walk(int begin, int end, const struct context *c);

/* A pair of braces; true: of a class, or a value, which may be part of a declaration. */
static bool walk_braces(int start, int open, const struct context *outer) {
    struct context c = {.path = outer->path};
    c.scope = scope_of(start, open, &c.path);
    c.in_template = outer->in_template || has_word(start, open, "template");
    int outside = inside;
    const char *names_outside = shared_names;
    if (outer->scope != BLOCK)
        shared_names = "";
    /* w{t} of a constructor, a value for an argument */
    bool value =
        c.scope == BLOCK && outer->scope != BLOCK && is_one_of(tokens[open].match + 1, ", { ");
    if (c.scope == BLOCK && outer->scope != BLOCK && !value &&
        (tracing || tokens[open].origin == OF_USER ||
         has_one_of(start, open, "__device__ __global__ ")))
        inside = record_body(start, open, outer->scope, outer->path);
    if (tracing && c.scope == CLASS)
        rewrite_struct(start, open);
    walk(open + 1, tokens[open].match, &c);
    inside = outside;
    shared_names = names_outside;
    return c.scope == CLASS || value;
}

/* __attribute__((__noinline__)) and [[gnu::__noinline__]] are the compiler's own. */
static bool is_qualifier(int i) {
    return is_name(i) && text[tokens[i].start] == '_' && !is_one_of(i + 1, ") ] , ");
}

/* The end of a declaration or statement of the user's. */
static void walk_end(int start, int end, const struct context *c) {
    if (tokens[end].origin == OF_USER)
        record_volatile_type(start, end);
    if (c->scope != BLOCK && tokens[end].origin == OF_USER)
        record_variables(start, end, c->scope);
    if (tracing && c->scope == BLOCK)
        note_dropped_result(start, end);
}

/* The parenthesis after a name, in a namespace or a class: a function's parameters. */
static void walk_parameters(int start, int open, const struct context *c) {
    if (c->scope == NAMESPACE ? !has_word(start, open, "__global__")
                              : c->scope == CLASS && tokens[open].origin != OF_SYSTEM)
        record_function(start, open - 1, c->path, c->scope == CLASS);
}

/* A word such as __device__ leaves the text, and the declaration that it stands in is rewritten,
 * unless that is a lambda. */
static void walk_space(int start, int i, bool is_done, const struct context *c) {
    bool lambda = is(i - 1, "]") && !is(tokens[i - 1].match + 1, "[");
    if (!tokens[i].instead)
        drop(i, i);
    if (!lambda && !is_done)
        rewrite_declaration(start, c);
}

static void walk(int begin, int end, const struct context *c) {
    int start = begin, done = -1; /* of the declaration or statement; the last one rewritten */
    for (int i = begin; i < end; i++) {
        if (is(i, "{") && opens(i)) {
            bool is_part = walk_braces(start, i, c);
            i = tokens[i].match;
            if (!is_part)
                start = i + 1;
        } else if (ends_statement(start, i, c->scope)) {
            if (is(i, ";"))
                walk_end(start, i, c);
            start = i + 1;
        } else if (shift(i, "<") && is(i + 2, "<") && !is(i - 1, "operator")) {
            record_launch(i, c->scope);
            i += 2;
        } else if (is(i, "requires") && c->scope != BLOCK) {
            i = past_constraint(i) - 1;
        } else if (tracing && is_allocation(i, c->scope)) {
            name_allocation(i);
        } else if (is(i, "using") && is(i + 1, "namespace") && !of_library(c->path)) {
            using_directives = true;
        } else if (is(i, "(") && is_name(i - 1)) {
            walk_parameters(start, i, c);
        } else if (is(i, "static") && i == start) {
            rewrite_static(start, c);
        } else if (is_qualifier(i) && !rewrite_word(i) &&
                   (is(i, "__global__") || is_one_of(i, spaces))) {
            walk_space(start, i, done == start, c);
            done = start;
        }
    }
}

void rewrite_scopes(void) {
    struct context c = {NAMESPACE, "", false};
    walk(0, token_count - 1, &c);
}
