/*
 * shared_sizes.c: which functions have __shared__ variables, and which of them a kernel may call:
 * what a launch needs to know of a block's shared memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"

/* It has __shared__ variables, or leads to some. The key is what the runtime knows a function by:
 * the same in all files that include its header. */
static void lead(struct body *f) {
    struct place p = place_of(f->name);
    if (!f->shared)
        f->shared =
            quoted(format("%s %.*s:%ld", join(f->name, f->name), p.name_length, p.name, p.line));
}

const char *instance(int template_header, int name) {
    static const char types[] = "bool char short int long float double signed unsigned ";
    const char *arguments = "";
    int close = angle_close(template_header);
    for (int i = template_header + 1, end; i < close; i = end + 1) {
        int parameter = read_parameter(i, close, &end).end - 1;
        if (parameter <= i || !is_name(parameter) || is_one_of(parameter, types) ||
            is(parameter - 1, "::") || has_one_of(i, parameter, "... template "))
            return NULL; /* it has no name, or is a pack */
        append(&arguments, format("%s%s", *arguments ? ", " : "", join(parameter, parameter)));
    }
    return format("%s<%s>", join(name, name), arguments);
}

const char *shared_sizes(const struct declaration *d) {
    struct body *f = inside < 0 ? NULL : &bodies[inside];
    const char *calls = "", *kernel = "0";
    if (!f || !f->device)
        return NULL;
    lead(f);
    if (f->kernel && f->template_header >= 0 && instance(f->template_header, f->name))
        kernel = format("::cpu_device::address(%s)", instance(f->template_header, f->name));
    for (int name = d->name; name >= 0; name = next_name(declarator_end(d, name)))
        calls = format("%s ::cpu_device_shared(%s, %d, %s, sizeof %s);", calls, f->shared,
                       f->shared_count++, kernel, join(name, name));
    return calls;
}

static bool leads(const struct body *f) {
    for (int i = f->open; i < tokens[f->open].match; i++)
        for (int g = is_call(i) ? 0 : body_count; g < body_count; g++)
            if (bodies[g].shared && !bodies[g].kernel && same_text(bodies[g].name, i))
                return true;
    return false;
}

/* Marks the functions that lead to one with __shared__ variables, transitively. */
static void mark_leading(void) {
    static bool done;
    bool any = false, more = true;
    for (int f = 0; f < body_count; f++)
        any |= bodies[f].shared_count && !bodies[f].kernel;
    while (any && more && !done) {
        more = false;
        for (int f = 0; f < body_count; f++)
            if (bodies[f].device && !bodies[f].shared && leads(&bodies[f])) {
                lead(&bodies[f]);
                more = true;
            }
    }
    done = true;
}

static void visit(struct body *f, const char **keys) {
    if (!f->shared || f->seen)
        return;
    f->seen = true;
    append(keys, format("%s \"\\n\" ", f->shared));
    for (int i = f->open; i < tokens[f->open].match; i++)
        for (int g = is_call(i) ? 0 : body_count; g < body_count; g++)
            if (!bodies[g].kernel && same_text(bodies[g].name, i))
                visit(&bodies[g], keys);
}

const char *shared_functions(int body_end) {
    const char *keys = "";
    mark_leading();
    for (int f = 0; f < body_count; f++)
        bodies[f].seen = false;
    for (int f = 0; f < body_count; f++)
        if (tokens[bodies[f].open].match == body_end)
            visit(&bodies[f], &keys);
    return *keys ? keys : "0";
}
