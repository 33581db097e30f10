/*
 * places.c: where something is, in words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/report/report.h"
#include "trace/names/heap.h"
#include <string.h>

const char *place_in_grid(char text[64], unsigned long long i, const unsigned size[3],
                          int for_csv) {
    snprintf(text, 64, for_csv ? "%llux%llux%llu" : "(%llu,%llu,%llu)", i % size[0],
             i / size[0] % size[1], i / size[0] / size[1]);
    return text;
}

void add_access(char text[TEXT], const struct site *s, const void *pc) {
    static const char *const words[] = {"load", "store", "atomic"};
    text_add(text, "%s", words[s->op]);
    if (s->bytes) /* known */
        text_add(text, " of %u bytes", s->bytes);
    text_add(text, " at %s", trace_place(pc));
}

const char *place_of_allocation(char text[300], const struct trace_allocation *a) {
    text[0] = 0;
    if (a->file)
        snprintf(text, 300, ", %s at %s:%d",
                 a->kind == MEMORY_SYMBOL || !a->bytes ? "declared" : "allocated",
                 trace_path_shown(a->file), a->line);
    return text;
}

/* The bytes of an element, where the allocation is an array with a plain name; else 0. */
static long element_of(const struct trace_allocation *a, const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    long element = labs(a->element);
    int whole = element && !a->pitch && a->bytes % (size_t)element == 0;
    return whole && !name[strspn(name, letters)] ? element : 0;
}

static long index_of(const struct trace_allocation *a, const char *p, long element) {
    long offset = (long)(p - a->base);
    return offset / element - (offset % element < 0);
}

/* For an address outside of an allocation: "; it would be d_a[1000], the last one is d_a[999]". */
static void index_text(char *text, size_t size, const struct trace_allocation *a, const char *p,
                       const char *name) {
    long element = element_of(a, name), index = element ? index_of(a, p, element) : 0;
    text[0] = 0;
    if (index < 0)
        snprintf(text, size,
                 "; it would be %s[%ld]; an index below 0: a subtraction, or an overflow", name,
                 index);
    else if (element)
        snprintf(text, size, "; it would be %s[%ld], the last one is %s[%ld]", name, index, name,
                 (long)a->bytes / element - 1);
}

/* "d_a[3], byte 12 of 400"; of what is no array, "byte 12 of d_a, 400 bytes". */
static void place_inside(char *text, size_t size, const struct trace_allocation *a, const char *p,
                         const char *name, const char *place, const char *freed) {
    size_t offset = (size_t)(p - a->base), element = (size_t)element_of(a, name);
    if (!element)
        snprintf(text, size, "byte %zu of %s, %zu bytes%s%s", offset, name, a->bytes, place, freed);
    else
        snprintf(text, size, "%s[%zu], byte %zu of %zu%s%s", name, offset / element, offset,
                 a->bytes, place, freed);
}

/* An address that is far from all arrays, on the way through all live ones: the index that it
 * would have in what the kernel was given, since whoever wrote that knows it again. An unsigned
 * index that went below 0 leads 2^32 elements past where it was meant to: the array for which that
 * explains the address is the one whose index is nearest to 0. */
struct far {
    const char *p;
    const struct trace_launch *launch;
    const struct trace_allocation *below;
    long index;
    unsigned count;
    char text[300];
};

static void look_from(const struct trace_allocation *a, void *data) {
    enum { MOST = 3, BELOW_MOST = 1 << 20 };
    struct far *f = data;
    char parameters[100];
    const char *name = trace_allocation_name(a, f->launch->kernel, f->launch->arguments);
    long element = element_of(a, name), index = element ? index_of(a, f->p, element) : 0;
    long below = index - (1L << 32);
    if (below < 0 && below >= -BELOW_MOST && (!f->below || below > f->index))
        f->below = a, f->index = below;
    trace_argument_names(f->launch->kernel, f->launch->arguments, a, "", parameters,
                         sizeof parameters);
    size_t used = strlen(f->text);
    if (element && *parameters && f->count++ < MOST)
        snprintf(f->text + used, sizeof f->text - used, "%s%s[%ld]",
                 used ? " or " : "; it would be ", name, index);
}

/* Not farther away than a near one is large, or a small part of what lies between two allocations?
 * Else which was meant is not known. */
static int is_near(const struct trace_allocation *a, const char *p) {
    enum { NEAR = 1 << 14 };
    return trace_distance(a, p) <= (a->bytes > NEAR ? a->bytes : NEAR);
}

void place_of_address(char *text, size_t size, const struct trace_launch *l, uintptr_t address,
                      const char **name) {
    char place[300];
    const struct trace_allocation *a = trace_nearest(address);
    const char *p = (const char *)address;
    *name = "";
    if (trace_heap_of(p)) {
        *name = trace_heap_of(p)->name;
        trace_heap_place(text, size, p);
        return;
    }
    if (!a || !is_near(a, p)) {
        struct far f = {.p = p, .launch = l};
        trace_allocations_each(look_from, &f);
        if (f.below) {
            *name = trace_allocation_name(f.below, l->kernel, l->arguments);
            snprintf(text, size, "%s[%ld], where an unsigned index is %ld; %s has %zu bytes%s",
                     *name, f.index, f.index + (1L << 32), *name, f.below->bytes,
                     place_of_allocation(place, f.below));
            return;
        }
        snprintf(text, size,
                 "%s; no array is near; perhaps an index has overflowed, or the pointer is wrong%s",
                 cpu_device_memory_ours(p) ? "device memory that was never allocated"
                                           : "not memory of the device",
                 f.text);
        return;
    }
    *name = trace_allocation_name(a, l->kernel, l->arguments);
    place_of_allocation(place, a);
    const char *freed = !a->freed ? ""
                        : a->freed == 2 || cpu_device_memory_ours(a->base)
                            ? ", which has been freed"
                            : ", which is no longer registered";
    char which[200], past[32];
    index_text(which, sizeof which, a, p, *name);
    if (p < a->base)
        snprintf(text, size, "%zu bytes before %s, %zu bytes%s%s%s", (size_t)(a->base - p), *name,
                 a->bytes, place, freed, which);
    else if (p >= a->base + a->bytes)
        snprintf(text, size, "%s the end of %s, %zu bytes%s%s%s",
                 trace_past(past, (size_t)(p - a->base) - a->bytes), *name, a->bytes, place, freed,
                 which);
    else
        place_inside(text, size, a, p, *name, place, freed);
}

long index_of_address(const struct trace_launch *l, uintptr_t address) {
    const struct trace_allocation *a = trace_nearest(address);
    const char *p = (const char *)address;
    long element = 0;
    if (a && trace_distance(a, p) && is_near(a, p))
        element = element_of(a, trace_allocation_name(a, l->kernel, l->arguments));
    return element ? index_of(a, p, element) : 0;
}

/* "bins[3]", "tile[1][2]". */
static void element_in_shared(char *text, size_t size, const struct finding *f, const char *name) {
    size_t offset = (size_t)f->offset;
    if (f->row)
        snprintf(text, size, "%s[%zu][%zu]", name, offset / f->row, offset % f->row / f->element);
    else
        snprintf(text, size, "%s[%zu]", name, offset / f->element);
}

void place_in_shared(char *text, size_t size, const struct finding *f, const char **name) {
    char element[300], past[32];
    *name = *f->text ? f->text : "shared memory";
    if (f->offset < 0)
        snprintf(text, size, "%ld bytes before shared %s, %zu bytes", -f->offset, *name, f->bytes);
    else if ((size_t)f->offset >= f->bytes)
        snprintf(text, size, "%s the end of shared %s, %zu bytes",
                 trace_past(past, (size_t)f->offset - f->bytes), *name, f->bytes);
    else if (f->element) {
        element_in_shared(element, sizeof element, f, *name);
        snprintf(text, size, "shared %s, byte %ld of %zu", element, f->offset, f->bytes);
    } else
        snprintf(text, size, "byte %ld of shared %s, %zu bytes", f->offset, *name, f->bytes);
}
