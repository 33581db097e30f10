/*
 * arguments.c: where the pointers among a launch's arguments lead, and the names of the kernel's
 * parameters.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/names/allocations.h"
#include <string.h>

struct trace_kernel {
    const char *name, *parameters;
    struct trace_kernel *next;
};

struct trace_arguments {
    unsigned count;
    struct {
        unsigned argument;
        const struct trace_allocation *allocation;
        const struct cpu_device_element *element;
    } item[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace_kernel *kernels; /* guarded by `lock` */

void cpu_device_trace_kernel(const char *name, const char *parameters) {
    struct trace_kernel *k = trace_must(malloc(sizeof *k));
    WITH_LOCK(lock);
    *k = (struct trace_kernel){name, parameters, kernels};
    kernels = k;
}

void trace_arguments_add(struct trace_arguments **list, unsigned argument,
                         const struct trace_allocation *a,
                         const struct cpu_device_element *element) {
    unsigned count = *list ? (*list)->count : 0;
    struct trace_arguments *longer =
        trace_must(realloc(*list, sizeof *longer + (count + 1) * sizeof longer->item[0]));
    longer->item[count].argument = argument;
    longer->item[count].allocation = a;
    longer->item[count].element = element;
    longer->count = count + 1;
    *list = longer;
}

const struct cpu_device_element *trace_element(const struct cpu_device_launch *launch,
                                               const struct trace_allocation *a) {
    const struct trace_arguments *list = launch->trace_arguments;
    const struct cpu_device_element *element = NULL;
    for (unsigned i = 0, seen = 0; list && i < list->count; i++) {
        if (list->item[i].allocation != a)
            continue;
        if (seen++ && list->item[i].element != element)
            return NULL;
        element = list->item[i].element;
    }
    return element;
}

struct trace_arguments *trace_copy_arguments(const struct trace_arguments *a) {
    size_t bytes = a ? sizeof *a + a->count * sizeof a->item[0] : 0;
    return a ? memcpy(trace_must(malloc(bytes)), a, bytes) : NULL;
}
int trace_same_arguments(const struct trace_arguments *a, const struct trace_arguments *b) {
    if (!a || !b || a->count != b->count)
        return !a && !b;
    for (unsigned i = 0; i < a->count; i++)
        if (a->item[i].argument != b->item[i].argument ||
            a->item[i].allocation != b->item[i].allocation)
            return 0;
    return 1;
}

/* Copies the name of a kernel's parameter; 0: the kernel or the name is not known. */
static int parameter_name(const char *kernel, unsigned index, char *name, size_t size) {
    for (const struct trace_kernel *k = kernels; k; k = k->next) {
        if (strcmp(k->name, kernel) != 0)
            continue;
        const char *p = k->parameters;
        for (unsigned i = 0; p && i < index; i++) {
            p = strchr(p, ',');
            p = p ? p + 1 : NULL;
        }
        if (p && strcspn(p, ",")) {
            snprintf(name, size, "%.*s", (int)strcspn(p, ","), p);
            return 1;
        }
    }
    return 0;
}

void trace_argument_names(const char *kernel, const struct trace_arguments *arguments,
                          const struct trace_allocation *a, const char *between, char *names,
                          size_t size) {
    char one[100];
    size_t used = 0;
    names[0] = 0;
    WITH_LOCK(lock);
    for (unsigned i = 0; arguments && i < arguments->count; i++)
        if (arguments->item[i].allocation == a &&
            parameter_name(kernel, arguments->item[i].argument, one, sizeof one) &&
            used + strlen(one) + strlen(between) + 1 < size)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used ? between : "", one);
}
