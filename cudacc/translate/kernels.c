/*
 * kernels.c: __global__ functions, and their entries in the program's list of kernels.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "kernels.h"
#include "messages.h"
#include "options.h"

struct kernel *kernels;
int kernel_count;
static struct names specializations;

static void refuse_result(const struct declaration *kernel) {
    static const char types[] = "bool char short int long float double signed unsigned size_t "
                                "int2 int3 int4 float2 float3 float4 double2 ";
    int type = -1;
    for (int i = kernel->start; i < kernel->name; i++) {
        if (is_one_of(i, "void auto "))
            return;
        if (is(i, "<") && angle_close(i) > 0)
            i = angle_close(i);
        else if (is_one_of(i, attributes) && opens(i + 1))
            i = tokens[i + 1].match;
        else if (is_one_of(i, types))
            type = i;
    }
    if (type >= 0)
        report(type, "a kernel returns void: what it computes goes through a pointer");
}

void record_kernel(const struct declaration *d, enum scope scope, const char *path) {
    int open = d->end;
    if (!d->function || !opens(open) || d->at[FRIEND] >= 0)
        return;
    refuse_result(d);
    if (scope == CLASS)
        report(d->at[GLOBAL], "a kernel cannot be a member of a class");
    bool instantiation = d->template_header < 0 && is(d->start, "template");
    int i = head_end(tokens[open].match + 1);
    if (!instantiation)
        tokens[d->at[GLOBAL]].instead = format("%s ", kernel_attribute);
    if (tracing && !instantiation) { /* one function, that holds all it calls */
        append(&tokens[d->at[GLOBAL]].instead, "__attribute__((noinline, flatten)) ");
        for (int k = d->start; k < i; k++) /* as in nvcc, its own wish is ignored */
            if (is_one_of(k, "__forceinline__ always_inline __always_inline__ "))
                tokens[k].instead = is(k, "__forceinline__") ? "inline" : "noinline";
    }
    /* What is known of a template holds for its specialisations and instantiations too. */
    if (d->specialization)
        add_name(&specializations, d->name);
    if (d->specialization || instantiation)
        return;
    struct kernel k = {.start = d->start,
                       .name = d->name,
                       .open = scope == NAMESPACE ? open : -1,
                       .scope = path,
                       .template_header = d->template_header,
                       .max_threads = "0",
                       .body_end = -1,
                       .shared = "0"};
    k.parameters = parse_parameters(open);
    if (d->template_header >= 0)
        k.template_parameters = count_items(d->template_header, angle_close(d->template_header));
    if (d->bounds >= 0) {
        int comma;
        read_parameter(d->bounds + 1, tokens[d->bounds].match, &comma);
        k.max_threads = join(d->bounds + 1, comma - 1);
    }
    if (is(i, "{") && opens(i) && scope == NAMESPACE)
        k.body_end = tokens[i].match;
    ADD(kernels, kernel_count, k);
}

bool ambiguous(const struct kernel *a, bool anywhere) {
    for (int i = 0; i < kernel_count; i++)
        if (same_text(a->name, kernels[i].name) && strcmp(a->scope, kernels[i].scope) == 0 &&
            (strcmp(a->parameters.types, kernels[i].parameters.types) != 0 ||
             a->template_parameters != kernels[i].template_parameters))
            return true;
    for (const struct function *f = NULL; (f = function_named(a->name, false, f));)
        if ((anywhere && using_directives) || strcmp(a->scope, f->scope) == 0)
            return true;
    return false;
}

bool specialized(int name) { return has_name(&specializations, name); }

/* Definitions enter the list of kernels right behind their body; templates that use shared memory
 * from within it, each instance for itself. */
static void register_kernel(int number, const struct kernel *k) {
    const char *scope = strchr(k->scope, ' ') ? "" : format("%s::", k->scope);
    const char *name = join(k->name, k->name);
    bool template = k->template_header >= 0;
    const char *value = template ? instance(k->template_header, k->name) : name;
    if (!value || (template && strcmp(k->shared, "0") == 0))
        return;
    const char *entry = format("static const ::cpu_device::kernel_entry cpu_kernel_entry_%d "
                               "__attribute__((unused))(%s%s, \"%s\", %s, %s);",
                               number, scope, value, name, k->max_threads, k->shared);
    if (!template)
        append(&tokens[k->body_end].after, format(" %s", entry));
    else
        append(&tokens[tokens[k->body_end].match].after,
               format(" struct cpu_kernel_%d { static void tell() { %s } };"
                      " (void)&::cpu_device::note<cpu_kernel_%d>::entry;",
                      number, entry, number));
}

void rewrite_kernels(void) {
    for (int i = 0; i < kernel_count; i++) {
        struct kernel *k = &kernels[i];
        if (k->body_end < 0)
            continue;
        k->shared = shared_functions(k->body_end);
        if (!ambiguous(k, false))
            register_kernel(i, k);
    }
}
