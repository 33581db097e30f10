/*
 * launches.c: kernel<<<grid, block>>>(arguments).
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "kernels.h"
#include "messages.h"
#include "options.h"
#include "passes.h"

struct launch {
    int open; /* the first `<` of `<<<` */
    enum scope scope;
    int body; /* it is in; -1: in none */
};
static struct launch *launches;
static int launch_count;

void record_launch(int open, enum scope scope) {
    ADD(launches, launch_count, (struct launch){open, scope, inside});
}

/* The first token of the postfix expression that ends at token i. */
static int callee_start(int i) {
    static const char heads[] = "if while for switch constexpr ";
    static const char keywords[] = "return else do case goto throw co_return co_yield ";
    for (;;) {
        if (is(i, ">")) {
            int open = angle_open(i);
            if (open < 1)
                return i;
            i = open - 1;
        } else if (is_one_of(i, ") ] ") && closes(i)) {
            i = tokens[i].match;
            bool call =
                (is_name(i - 1) && !is_one_of(i - 1, heads) && !is_one_of(i - 1, keywords)) ||
                is(i - 1, "]") || is(i - 1, ">") ||
                (is(i - 1, ")") && !is_one_of(tokens[i - 1].match - 1, heads));
            if (!call)
                return i;
            i--;
            continue;
        }
        if (is(i - 1, "template"))
            i--;
        if (is_one_of(i - 1, ". -> ")) {
            i -= 2;
        } else if (is(i - 1, "::")) {
            i--;
            if (!(is_name(i - 1) && !is_one_of(i - 1, keywords)) && !is(i - 1, ">"))
                return i;
            i--;
        } else {
            return i;
        }
    }
}

/* How to launch a callee: by its type as it stands, without a loop over threads where it is split,
 * by what the arguments make of it (a template, an overload, default arguments), or as a value. */
enum manner { TYPED, SPLIT, GENERIC, POINTER };

/* What the kernels of that name share with their blocks: "0" where that differs. */
static const char *shared_by(int name) {
    const char *shared = NULL;
    for (int i = 0; i < kernel_count; i++)
        if (same_text(kernels[i].name, name) && kernels[i].body_end >= 0) {
            if (shared && strcmp(shared, kernels[i].shared) != 0)
                return "0";
            shared = kernels[i].shared;
        }
    return shared && !specialized(name) ? shared : "0";
}

static enum manner manner_of(int start, int end, int *name) {
    int open = -1;
    for (int i = start; i <= end; i++) {
        if (is(i, "<") && is_name(i - 1) && angle_close(i) > 0) {
            open = i;
            i = angle_close(i);
        } else if (is_name(i)) {
            *name = i;
            open = -1;
        } else if (!is(i, "::")) {
            return POINTER;
        }
    }
    enum manner manner = POINTER;
    for (int i = 0; i < kernel_count; i++) {
        const struct kernel *k = &kernels[i];
        if (!same_text(k->name, *name))
            continue;
        int given = open < 0 ? 0 : count_items(open, end);
        if (k->parameters.defaults || given != k->template_parameters || ambiguous(k, true))
            return GENERIC;
        manner = k->split || manner == SPLIT ? SPLIT : TYPED;
    }
    return manner;
}

/* From `<<<` to `>>>`; both are followed by what a launch needs. */
static int launch_close(int open) {
    int close = open + 3;
    if (!is_name(open - 1) && !is_one_of(open - 1, "> ) ] "))
        fail(open, "'<<<' without a kernel before it");
    while (!(shift(close, ">") && is(close + 2, ">") && is(close + 3, "("))) {
        if (opens(close))
            close = tokens[close].match;
        else if (close >= token_count - 1 || is_one_of(close, "; ) ] } "))
            fail(open, "'<<<' without '>>>(' in a kernel launch");
        close++;
    }
    if (!opens(close + 3))
        fail(close + 3, "'(' without ')' in a kernel launch");
    if (close == open + 3)
        fail(open, "'<<<>>>' without a grid and a block in a kernel launch");
    return close;
}

/* ---- A kernel of which only a call tells what it is given ----
 *
 *     __global__ void k(int *o, int n = ++next)      is preceded by
 *     template <class cpu_L> inline void cpu_called_k(const cpu_L &cpu_l, int *o, int n = ++next) {
 *         cpu_l.with(o, n);
 *     }
 *
 * which the host calls, once for a launch. Where there may be several, each thread converts.
 */

static bool is_rewritten(int first, int end) {
    for (int i = first; i < end; i++)
        if (tokens[i].before || tokens[i].instead || tokens[i].after || shift(i, "<"))
            return true;
    return false;
}

/* The text of a kernel's parameters, each with a name, and these names; NULL: not known. */
static const char *named_parameters(int open, const char **names) {
    const char *all = "";
    int end = tokens[open].match;
    *names = "";
    for (int i = open + 1 + (end == open + 2 && is(open + 1, "void")), comma; i < end;
         i = comma + 1) {
        struct parameter p = read_parameter(i, end, &comma);
        if (has_one_of(p.first, p.end, "auto ... ") || is_rewritten(p.end, comma) ||
            (p.name < 0 && has_one_of(p.first, p.end, "( [ ")))
            return NULL;
        append(&all, ", ");
        for (int k = p.first; k < p.end; k++)
            if (!is_one_of(k, "__restrict__ __restrict "))
                append(&all, format("%s ", join(k, k)));
        const char *name = p.name < 0 ? format("cpu_p%d", i) : join(p.name, p.name);
        append(&all, p.name < 0 ? name : "");
        append(&all, p.has_default ? join(p.end, comma - 1) : "");
        append(names, format("%s%s", *names[0] ? ", " : "", name));
    }
    return all;
}

static void put_called(struct kernel *k, const char *parameters, const char *names) {
    int header = k->template_header;
    const char *also = header < 0 ? "" : join(header + 1, angle_close(header) - 1);
    if (!k->called)
        append(&tokens[k->start].before,
               format("extern \"C++\" { template <%s%sclass cpu_L> inline void cpu_called_%s("
                      "const cpu_L &cpu_l%s) { cpu_l.with(%s); } } ",
                      also, *also ? ", " : "", join(k->name, k->name), parameters, names));
    k->called = true;
}

/* By `using other::name;`, which makes no such function known; or as a friend of a class. */
static bool is_used_from_elsewhere(int name) {
    for (int i = 0; i < token_count; i++)
        for (bool used = is_one_of(i, "using friend ") && tokens[i].origin == OF_USER;
             used && i < token_count && !is(i, ";"); i++)
            if (same_text(i, name))
                return true;
    return false;
}

/* May a launch call it? It is the one kernel of that name, and no variable's name may be. Not in a
 * kernel, whose threads take turns. */
static bool is_called(const struct launch *l, int name) {
    struct kernel *k = NULL;
    const char *names, *parameters;
    for (int i = 0; i < kernel_count; i++)
        if (same_text(kernels[i].name, name)) {
            if (k)
                return false;
            k = &kernels[i];
        }
    if (l->scope != BLOCK || l->body < 0 || k->body_end < 0 || k->template_parameters < 0 ||
        specialized(name) || bodies[l->body].device || calls_variable(&bodies[l->body], name) ||
        is_used_from_elsewhere(name) || !(parameters = named_parameters(k->open, &names)))
        return false;
    put_called(k, parameters, names);
    return true;
}

static void rewrite_launch(const struct launch *l) {
    int open = l->open, close = launch_close(open);
    int start = callee_start(open - 1), name = open - 1;
    bool parenthesised = is(start, "(") && tokens[start].match == open - 1;
    enum manner manner = manner_of(start + parenthesised, open - 1 - parenthesised, &name);
    const char *callee = join(start, open - 1);
    /* [=], because a parameter or a local variable may hide the kernel's name. */
    const char *attributes = kernel_attribute;
    if (tracing)
        attributes = format("%s __attribute__((no_sanitize(\"thread\"))) %s", kernel_attribute,
                            loop_free_attribute);
    const char *capture = l->scope == BLOCK ? "=" : "", *kernel = join(name, name);
    const char *call =
        format("[%s](auto... cpu_a) %s { %s(cpu_a...); }", capture, attributes, callee);
    drop(open, open + 2);
    drop(close, close + 2);
    if (launches_as_calls) { /* k<<<grid, block>>>(x) is config(grid, block), k(x) */
        drop(start, open - 1);
        tokens[open].instead = "cpu_device::config(";
        tokens[close].instead = format("), %s", placed(start, callee));
        return;
    }
    tokens[close].instead = "))";
    if (manner == SPLIT)
        call = callee;
    if (manner == TYPED || manner == SPLIT) {
        append(&tokens[start].before, "cpu_device::bind(");
        tokens[open].instead = format(", %s, \"%s\", cpu_device::config(", call, kernel);
    } else if (manner == POINTER) {
        append(&tokens[start].before, "cpu_device::bind_pointer(");
        tokens[open].instead = ", cpu_device::config(";
    } else {
        bool called = !parenthesised && is_called(l, name);
        const char *bind =
            format("cpu_device::bind_generic(%s, [%s](auto cpu_k) -> decltype(cpu_k = %s, "
                   "(const void *)0) { return (const void *)(cpu_k = %s); }, \"%s\", %s",
                   call, capture, callee, callee, kernel, shared_by(name));
        int arguments = close + 3, end = tokens[arguments].match;
        drop(start, open - 1);
        if (called) { /* first the configuration, as on a GPU */
            append(&tokens[start].before, "((void)cpu_device::pushed(");
            tokens[open].instead = "";
            tokens[close].instead =
                format("), %scpu_called_%s(%s)%s",
                       start < name ? format("%s ", join(start, name - 1)) : "",
                       join(name, open - 1), bind, end > arguments + 1 ? "," : "");
            tokens[arguments].instead = " ";
            append(&tokens[end].after, ")");
        } else {
            append(&tokens[start].before, bind);
            tokens[open].instead = ", cpu_device::config(";
        }
        for (int i = arguments + 1; i < end && !called; i++)
            if (is(i, "__null") && is_one_of(i - 1, "( , ") && is_one_of(i + 1, ") , "))
                tokens[i].instead = "nullptr";
    }
}

void rewrite_launches(void) {
    for (int i = 0; i < launch_count; i++)
        rewrite_launch(&launches[i]);
}
