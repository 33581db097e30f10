/*
 * variables.c: the variables of the device: where they are, and what they hold at first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/runtime.h"
#include <stdlib.h>

static const struct section {
    char *from, *to;
    enum memory_kind kind;
} sections[] = {
    {__start_cpu_device_data, __stop_cpu_device_data, MEMORY_SYMBOL},
    {__start_cpu_constant_data, __stop_cpu_constant_data, MEMORY_SYMBOL},
    {__start_cpu_device_const, __stop_cpu_device_const, MEMORY_SYMBOL},
    {__start_cpu_managed_data, __stop_cpu_managed_data, MEMORY_MANAGED},
};
enum { KEPT = 2 }; /* of these, what the variables hold at first */

/* Templates, which lie in no section. */
static struct symbol {
    struct section where;
    struct symbol *next;
} * symbols; /* complete before main() */

void cpu_device_symbol(const void *base, size_t bytes) {
    struct symbol *s = malloc(sizeof *s);
    if (!s)
        abort();
    *s = (struct symbol){{(char *)base, (char *)base + bytes, MEMORY_SYMBOL}, symbols};
    symbols = s;
}

static int holds(const struct section *s, const char *p) { return p >= s->from && p < s->to; }

struct memory cpu_device_variables_find(const void *p) {
    const struct section *found = NULL;
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !found; i++)
        if (holds(&sections[i], p))
            found = &sections[i];
    for (const struct symbol *s = symbols; s && !found; s = s->next)
        if (holds(&s->where, p))
            found = &s->where;
    if (!found)
        return (struct memory){.kind = MEMORY_HOST};
    return (struct memory){found->kind, found->from, (size_t)(found->to - found->from), 0};
}

int cpu_device_memory_is_symbol(const void *p) {
    return cpu_device_variables_find(p).kind != MEMORY_HOST;
}

/* A piece of them that is not zero; cudaDeviceReset() gives it back. It leaves __managed__ ones as
 * they are (both seen on an H200). */
struct image {
    char *at;
    size_t bytes;
    struct image *next;
    char first[];
};
static struct image *images;

/* Byte by byte, without a call: between variables may be what an address sanitizer forbids. */
#define UNCHECKED __attribute__((no_sanitize_address)) static
UNCHECKED int is_zero(const volatile char *p, size_t bytes) {
    while (bytes && !p[bytes - 1])
        bytes--;
    return !bytes;
}
UNCHECKED void copy_bytes(volatile char *to, const volatile char *from, size_t bytes) {
    while (bytes--)
        to[bytes] = from ? from[bytes] : 0;
}

static void keep_image(char *from, char *to) {
    enum { PIECE = 4096 };
    for (size_t bytes; from < to; from += bytes) {
        bytes = to - from < PIECE ? (size_t)(to - from) : PIECE;
        struct image *image = is_zero(from, bytes) ? NULL : malloc(sizeof *image + bytes);
        if (!image)
            continue;
        *image = (struct image){from, bytes, images};
        copy_bytes(image->first, from, bytes);
        images = image;
    }
}

void cpu_device_variables_keep(void) {
    for (int i = 0; i < KEPT; i++)
        keep_image(sections[i].from, sections[i].to);
    for (const struct symbol *s = symbols; s; s = s->next)
        keep_image(s->where.from, s->where.to);
}

static void clear(const struct section *s) { copy_bytes(s->from, NULL, (size_t)(s->to - s->from)); }

void cpu_device_variables_reset(void) {
    for (int i = 0; i < KEPT; i++)
        clear(&sections[i]);
    for (const struct symbol *s = symbols; s; s = s->next)
        clear(&s->where);
    for (const struct image *i = images; i; i = i->next)
        copy_bytes(i->at, i->first, i->bytes);
}
