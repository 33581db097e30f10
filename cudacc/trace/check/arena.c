/*
 * arena.c: memory of the tracer's own. It is limited, so that a program that needs most of the
 * machine still runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/check/arena.h"
#include "runtime/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAPPED_BYTES = 1 << 20 }; /* from here on it is mapped, and takes memory where it is used */

atomic_int trace_races_off;
static atomic_size_t taken;

void *trace_memory(size_t bytes) {
    if (atomic_fetch_add(&taken, bytes) + bytes > cpu_device_memory_total() / 2 + (16 << 20)) {
        atomic_fetch_sub(&taken, bytes);
        return NULL;
    }
    void *p = NULL;
    if (bytes < MAPPED_BYTES) {
        p = calloc(1, bytes);
    } else {
        p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
        if (p == MAP_FAILED)
            p = NULL;
        else
            madvise(p, bytes, MADV_HUGEPAGE);
    }
    if (!p)
        atomic_fetch_sub(&taken, bytes);
    return p;
}

void trace_memory_give(void *p, size_t bytes) {
    if (!p)
        return;
    if (bytes < MAPPED_BYTES)
        free(p);
    else
        munmap(p, bytes);
    atomic_fetch_sub(&taken, bytes);
}

void trace_memory_is_short(void) {
    if (!atomic_exchange(&trace_races_off, 1))
        fprintf(stderr,
                "CPU device: memory for the trace is short (%zu MiB are in use): from here "
                "on races are not looked for\n",
                atomic_load(&taken) >> 20);
}

/* ---- Arenas ------------------------------------------------------------------------------ */

enum { CHUNK_BYTES = (1 << 20) - 64 };
struct chunk {
    struct chunk *next;
    char data[CHUNK_BYTES] __attribute__((aligned(16)));
};

void *trace_arena_memory(struct arena *a, size_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (!a->chunks || a->used + bytes > CHUNK_BYTES) {
        struct chunk *k = a->spare;
        if (k)
            a->spare = k->next;
        else
            k = trace_memory(sizeof *k);
        if (!k) {
            trace_memory_is_short();
            return NULL;
        }
        k->next = a->chunks;
        a->chunks = k;
        a->used = 0;
    }
    void *p = a->chunks->data + a->used;
    a->used += bytes;
    return memset(p, 0, bytes);
}

void trace_arena_reuse(struct arena *a) {
    while (a->chunks) {
        struct chunk *k = a->chunks;
        a->chunks = k->next;
        k->next = a->spare;
        a->spare = k;
    }
    a->used = 0;
}

/* ---- Tables by address ------------------------------------------------------------------- */

static uintptr_t address_of(const void *entry) { return *(const uintptr_t *)entry; }

/* Where it is, or would be. room is a power of two, and not all of it is taken. */
static char *place_of(const struct address_table *t, uintptr_t address) {
    size_t i = hash64(address) >> 20 & (t->room - 1);
    while (address_of(t->entry + i * t->bytes) && address_of(t->entry + i * t->bytes) != address)
        i = (i + 1) & (t->room - 1);
    return t->entry + i * t->bytes;
}

static int grow(struct address_table *t) {
    struct address_table more = {.bytes = t->bytes, .room = t->room ? 2 * t->room : 256};
    more.entry = trace_memory(more.room * more.bytes);
    if (!more.entry)
        return 0;
    for (void *e = NULL; (e = trace_address_next(t, e));)
        memcpy(place_of(&more, address_of(e)), e, t->bytes);
    trace_memory_give(t->entry, t->room * t->bytes);
    t->room = more.room;
    t->entry = more.entry;
    return 1;
}

void *trace_address_find(const struct address_table *t, uintptr_t address) {
    char *e = t->room ? place_of(t, address) : NULL;
    return e && address_of(e) ? e : NULL;
}

void *trace_address_add(struct address_table *t, uintptr_t address) {
    if (2 * t->count >= t->room && t->count < t->most && !grow(t))
        return NULL;
    char *e = place_of(t, address);
    if (!address_of(e)) {
        if (t->count == t->most)
            return NULL;
        t->count++;
        *(uintptr_t *)e = address;
    }
    return e;
}

void *trace_address_next(const struct address_table *t, const void *entry) {
    size_t i = entry ? (size_t)((const char *)entry - t->entry) / t->bytes + 1 : 0;
    while (i < t->room && !address_of(t->entry + i * t->bytes))
        i++;
    return i < t->room ? t->entry + i * t->bytes : NULL;
}

void trace_address_clear(struct address_table *t) {
    trace_memory_give(t->entry, t->room * t->bytes);
    t->entry = NULL;
    t->room = t->count = 0;
}
