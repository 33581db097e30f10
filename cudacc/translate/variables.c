/*
 * variables.c: __shared__, __device__, __constant__ and __managed__.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "messages.h"
#include "options.h"
#include "passes.h"

/* A `__shared__ alignas(16) float x` is legal for nvcc; C++ wants alignas to come first. */
static void hoist_alignas(const struct declaration *d) {
    for (int i = d->start; i < d->end; i++) {
        if (!is(i, "alignas") || !opens(i + 1) || i == d->start)
            continue;
        append(&tokens[d->start].before, format("%s ", join(i, tokens[i + 1].match)));
        drop(i, tokens[i + 1].match);
    }
}

/* A type without what belongs to the variable alone. */
static char *type_text(int first, int last) {
    char *s = format("%s", "");
    for (int i = first; i <= last; i++) {
        if (is_one_of(i, attributes) && opens(i + 1))
            i = tokens[i + 1].match;
        else if (!is_one_of(i, "extern static __shared__ "))
            s = format("%s %s", s, join(i, i));
    }
    return s;
}

/* `float s[]` names the shared memory of the launch.  In a template that takes a reference: g++
 * forgets the name in __asm__ when it instantiates one. */
static void rewrite_dynamic_shared(const struct declaration *d, bool in_template) {
    int base_end = d->start; /* of the type that all declarators share */
    while (base_end < d->name && !is_one_of(base_end, "* & "))
        base_end++;
    for (int first = base_end, i = d->end; i < token_count; first = ++i) {
        while (opens(i) && !is(i, "["))
            i = tokens[i].match + 1;
        int name = i - 1, last = name; /* the name, and the `]` of its last dimension */
        while (is(last + 1, "[") && opens(last + 1))
            last = tokens[last + 1].match;
        if (in_template) {
            append(&tokens[name].before, "(&");
            append(&tokens[name].after, ")");
            append(&tokens[last].after,
                   format(" = reinterpret_cast<%s %s (&)%s>(::cpu_device_dynamic_shared)",
                          type_text(d->start, base_end - 1), join(first, name - 1),
                          join(name + 1, last)));
        } else {
            append(&tokens[last].after, " __asm__(\"cpu_device_dynamic_shared\")");
        }
        for (i = last + 1; !is_one_of(i, ", ; ") && i < token_count; i++)
            if (opens(i))
                i = tokens[i].match;
        if (!is(i, ","))
            break;
        while (!is_one_of(i + 1, "[ , ; ") && i + 1 < token_count)
            i++;
    }
}

const char *shared_names = "";

/* More than a block has is an error of nvcc's assembler. What other functions of the kernel have is
 * counted at a launch. */
static void limit_shared(const struct declaration *d) {
    const char *sum = "0", *sizes = shared_sizes(d);
    int end = -1;
    for (int name = d->name; name >= 0; name = next_name(end)) {
        const char *word = format(" %s ", join(name, name));
        if (!strstr(shared_names, word))
            shared_names = format("%s%s", shared_names, word);
        end = declarator_end(d, name);
    }
    for (const char *s = shared_names; *(s += strspn(s, " ")); s += strcspn(s, " "))
        sum = format("%s + sizeof %.*s", sum, (int)strcspn(s, " "), s);
    if (sizes)
        append(&tokens[end].after, note(sizes, BLOCK));
    append(&tokens[end].after,
           format(" static_assert(%s <= %d, \"a block has %d bytes of shared memory, and these "
                  "__shared__ variables take more\");",
                  sum, 48 << 10, 48 << 10));
}

static void refuse_initializer(const struct declaration *shared) {
    int i = find(shared->end, token_count, "; = { ");
    if (is_one_of(i, "= { "))
        report(i, "a __shared__ variable has no initializer: one thread stores its first value, "
                  "then all come to __syncthreads()");
}

void rewrite_shared(const struct declaration *d, enum scope scope, bool in_template) {
    refuse_initializer(d);
    int shared = d->at[SHARED], storage = d->at[EXTERN] >= 0 ? d->at[EXTERN] : d->at[STATIC];
    int first = storage >= 0 && storage < shared ? storage : shared;
    drop(shared, shared);
    if (storage >= 0)
        drop(storage, storage);
    /* As on a GPU where those of a block follow one another, for nearly all: a float4 fits. What
     * other kernels have, and in which order the compiler puts them, moves none. */
    tokens[first].instead = "static thread_local __attribute__((aligned(16)))";
    if (d->at[EXTERN] >= 0)
        tokens[first].instead = in_template ? "__attribute__((unused))" : "extern __thread";
    else if (tracing && scope == NAMESPACE) /* keeps its place before its gap */
        append(&tokens[first].instead, " __attribute__((used))");
    if (d->at[EXTERN] >= 0 && in_template)
        tokens[0].before = "extern \"C\" { extern __thread char cpu_device_dynamic_shared[]; } ";
    record_hoisted(d);
    if (d->at[EXTERN] >= 0)
        rewrite_dynamic_shared(d, in_template);
    else if (scope == BLOCK)
        limit_shared(d);
    hoist_alignas(d);
    if (tracing)
        note_variables(d, d->at[EXTERN] >= 0 ? "dynamic" : "shared", NULL, scope);
}

/* Does a declaration's initializer hold an address, for all one can tell? */
static bool holds_address(int i) {
    for (; i < token_count && !is(i, ";"); i++)
        if (tokens[i].kind == TEXT || is_one_of(i, "* & "))
            return true;
    return false;
}

/* In which memory the variable lies. */
static enum word space_of(const struct declaration *d) {
    return d->at[MANAGED] >= 0 ? MANAGED : d->at[CONSTANT] >= 0 ? CONSTANT : DEVICE;
}
static const char *const space_names[] = {
    [DEVICE] = "device", [CONSTANT] = "constant", [MANAGED] = "managed"};

/* A section is read-only or it is not, and addresses to be relocated must be writable. */
static const char *section_of(const struct declaration *d, bool constant) {
    if (constant)
        return holds_address(d->start) ? NULL : "cpu_device_const";
    return format("cpu_%s_data", space_names[space_of(d)]);
}

/* `__device__ struct s {...};` and its like: nvcc warns that the word means nothing there. */
static bool declares_type(const struct declaration *d) {
    return (is(d->end, ";") &&
            (is(d->end - 1, "}") || is_one_of(d->name - 1, "struct class union enum "))) ||
           (is(d->end, ":") && d->class_key) || has_word(d->start, d->end, "typedef");
}

/* g++ puts no template into a section. A class beside it tells the runtime of each instance that is
 * named, before main(), and stands for it there. */
static void place_template(const struct declaration *d, const char *kind) {
    static const char before[] = "return else do case throw sizeof co_return co_yield ";
    const char *v = instance(d->template_header, d->name), *name = join(d->name, d->name);
    const char *traced = "", *class = format("cpu_place_of_%s", name);
    int end = find(d->end, token_count - 1, "; ");
    if (!v || d->at[MANAGED] >= 0) {
        report(d->name, "the CPU device has no such template of variables in device memory");
        return;
    }
    if (tracing)
        traced =
            format("::cpu_device_trace_variable(\"%s\", \"%s\", &%s, sizeof %s, 0, 0, \"\", %s);",
                   kind, name, v, v, quoted_place(d->name));
    append(&tokens[end].after,
           format(" %s struct %s { static void tell() { ::cpu_device_symbol(&%s, sizeof %s); %s } "
                  "static inline __attribute__((always_inline)) decltype((%s)) at() { "
                  "(void)&::cpu_device::note<%s>::entry; return %s; } };",
                  join(d->template_header - 1, template_end(d->template_header - 1)), class, v, v,
                  traced, v, class, v));
    for (int i = end; i < token_count; i++) {
        if (!same_text(i, d->name))
            continue;
        int close = is(i + 1, "<") ? angle_close(i + 1) : -1, first = i;
        while (is(first - 1, "::"))
            first -= 1 + is_name(first - 2);
        if (is(first - 1, "using") && first < i)
            append(&tokens[i + 1].after, format(" using %s%s;", join(first, i - 1), class));
        if (close < 0 || is_one_of(i - 1, ". -> ") || (is_name(i - 1) && !is_one_of(i - 1, before)))
            continue;
        tokens[i].instead = class;
        append(&tokens[close].after, "::at()");
    }
}

/* A variable template, as the user wrote it, and no specialization. */
static bool is_own_template(const struct declaration *d) {
    return d->template_header >= 0 && !d->specialization && !is(d->name + 1, "<") &&
           tokens[d->start].origin == OF_USER;
}

/* Arrays begin at a sector, whatever the host compiler likes. */
static void place(const struct declaration *d, const char *section, int at) {
    append(&tokens[at].before, format("__attribute__((section(\"%s\")%s)) ", section,
                                      is(d->name + 1, "[") ? ", aligned(32)" : ""));
}

static bool is_stored(const struct declaration *d) {
    return d->at[STATIC] >= 0 || d->at[EXTERN] >= 0 || d->linkage;
}

/* In one file alone `inline` says nothing, and such a variable would have no section. */
static bool is_inline(const struct declaration *d, bool constant) {
    if (d->at[INLINE] < 0 || constant || (separate && d->at[STATIC] < 0))
        return d->at[INLINE] >= 0;
    tokens[d->at[INLINE]].instead = "";
    return false;
}

/* Variables of a device go into sections of their own, where the runtime finds them.  As in nvcc
 * without -rdc they belong to their file, even when another one has the same name. */
void rewrite_variable(const struct declaration *d, enum scope scope) {
    bool constant = d->constant || has_word(d->start, d->end, "constexpr");
    const char *section = section_of(d, constant);
    enum word space = space_of(d);
    int at = d->type_first ? d->start : d->at[space];
    if (scope == CLASS || declares_type(d))
        return;
    bool many = d->template_header >= 0 || is_inline(d, constant); /* may be defined again */
    bool here = !many && d->at[EXTERN] < 0;
    if (is_own_template(d) && !constant && scope == NAMESPACE)
        place_template(d, space_names[space]);
    hoist_alignas(d);
    record_hoisted(d);
    if (constant && space == DEVICE)
        record_tables(d);
    if (tracing && here && !d->qualified)
        note_variables(d, space_names[space],
                       scope == NAMESPACE && space != MANAGED ? section : NULL, scope);
    if (scope == BLOCK) {
        if (!is_stored(d))
            append(&tokens[at].before, "static ");
        return;
    }
    if (section && here)
        place(d, section, at);
    if (!separate && !is_stored(d) && !many && !d->qualified)
        append(&tokens[at].before, "static __attribute__((unused)) ");
}
