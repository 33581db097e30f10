/*
 * shared_sizes.c: which functions have __shared__ variables, and which of them a kernel may call:
 * what a launch needs to know of a block's shared memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shared_sizes.h"

struct function {
    int name, open; /* the `{` of its body */
    int template_header;
    bool kernel;
    int variables; /* __shared__ ones of its own */
    bool seen;
    const char *key; /* NULL: it leads to no __shared__ variable */
};
static struct function *functions;
static int function_count;

void record_device_function(const struct declaration *d) {
    int open = body_of(d);
    if (open < 0)
        return;
    ADD(functions, function_count,
        (struct function){.name = d->name,
                          .open = open,
                          .template_header = d->template_header,
                          .kernel = d->at[GLOBAL] >= 0});
}

static struct function *function_around(int i) {
    for (int f = function_count - 1; f >= 0; f--)
        if (functions[f].open < i && i < tokens[functions[f].open].match)
            return &functions[f];
    return NULL;
}

/* It has __shared__ variables, or leads to some. The key is what the runtime knows a function by:
 * the same in all files that include its header. */
static void lead(struct function *f) {
    struct place p = place_of(f->name);
    if (!f->key)
        f->key =
            quoted(format("%s %.*s:%ld", join(f->name, f->name), p.name_length, p.name, p.line));
}

const char *instance(int template_header, int name) {
    static const char types[] = "bool char short int long float double signed unsigned ";
    const char *arguments = "";
    int close = angle_close(template_header);
    for (int i = template_header + 1, end; i < close; i = end + 1) {
        int equals = -1;
        for (end = i; end < close && !is(end, ","); end = past(end))
            if (is(end, "=") && equals < 0)
                equals = end;
        int parameter = (equals < 0 ? end : equals) - 1;
        if (parameter <= i || !is_name(parameter) || is_one_of(parameter, types) ||
            is(parameter - 1, "::") || has_one_of(i, parameter, "... template "))
            return NULL; /* it has no name, or is a pack */
        append(&arguments, format("%s%s", *arguments ? ", " : "", join(parameter, parameter)));
    }
    return format("%s<%s>", join(name, name), arguments);
}

const char *shared_sizes(const struct declaration *d) {
    struct function *f = function_around(d->name);
    const char *calls = "", *kernel = "0";
    if (!f)
        return NULL;
    lead(f);
    if (f->kernel && f->template_header >= 0 && instance(f->template_header, f->name))
        kernel = format("::cpu_device::address(%s)", instance(f->template_header, f->name));
    for (int name = d->name; name >= 0; name = next_name(declarator_end(d, name)))
        calls = format("%s ::cpu_device_shared(%s, %d, %s, sizeof %s);", calls, f->key,
                       f->variables++, kernel, join(name, name));
    return calls;
}

static bool leads(const struct function *f) {
    for (int i = f->open; i < tokens[f->open].match; i++)
        for (int g = is_call(i) ? 0 : function_count; g < function_count; g++)
            if (functions[g].key && !functions[g].kernel && same_text(functions[g].name, i))
                return true;
    return false;
}

/* Marks the functions that lead to one with __shared__ variables, transitively. */
static void mark_leading(void) {
    static bool done;
    bool any = false, more = true;
    for (int f = 0; f < function_count; f++)
        any |= functions[f].variables && !functions[f].kernel;
    while (any && more && !done) {
        more = false;
        for (int f = 0; f < function_count; f++)
            if (!functions[f].key && leads(&functions[f])) {
                lead(&functions[f]);
                more = true;
            }
    }
    done = true;
}

static void visit(struct function *f, const char **keys) {
    if (!f->key || f->seen)
        return;
    f->seen = true;
    append(keys, format("%s \"\\n\" ", f->key));
    for (int i = f->open; i < tokens[f->open].match; i++)
        for (int g = is_call(i) ? 0 : function_count; g < function_count; g++)
            if (!functions[g].kernel && same_text(functions[g].name, i))
                visit(&functions[g], keys);
}

const char *shared_functions(int body_end) {
    const char *keys = "";
    mark_leading();
    for (int f = 0; f < function_count; f++)
        functions[f].seen = false;
    for (int f = 0; f < function_count; f++)
        if (body_end >= 0 && tokens[functions[f].open].match == body_end)
            visit(&functions[f], &keys);
    return *keys ? keys : "0";
}
