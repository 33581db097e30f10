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
    void *p = bytes < MAPPED_BYTES ? calloc(1, bytes)
                                   : mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!p || p == MAP_FAILED) {
        atomic_fetch_sub(&taken, bytes);
        return NULL;
    }
    if (bytes >= MAPPED_BYTES)
        madvise(p, bytes, MADV_HUGEPAGE);
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
        struct chunk *k = LIST_TAKE(a->spare) ?: trace_memory(sizeof *k);
        if (!k) {
            trace_memory_is_short();
            return NULL;
        }
        LIST_ADD(a->chunks, k);
        a->used = 0;
    }
    void *p = a->chunks->data + a->used;
    a->used += bytes;
    return memset(p, 0, bytes);
}

void trace_arena_reuse(struct arena *a) {
    LIST_EACH (a->chunks, k)
        LIST_ADD(a->spare, k);
    a->chunks = NULL;
    a->used = 0;
}

/* ---- Tables by address ------------------------------------------------------------------- */

static inline void *entry_at(const struct address_table *t, uint32_t number) {
    return number ? t->entry + (number - 1) * t->bytes : NULL;
}

/* Where its number is, or would be. There are twice as many slots as entries. */
static inline uint32_t *slot_of(const struct address_table *t, uintptr_t address) {
    size_t last = 2 * t->room - 1, i = hash64(address) >> 20 & last;
    while (t->slot[i] && *(uintptr_t *)entry_at(t, t->slot[i]) != address)
        i = (i + 1) & last;
    return &t->slot[i];
}

static size_t bytes_of(const struct address_table *t) {
    return t->room * (t->bytes + 2 * sizeof *t->slot);
}

static int grow(struct address_table *t) {
    struct address_table more = *t;
    more.room = t->room ? 2 * t->room : 128;
    if (!(more.entry = trace_memory(bytes_of(&more))))
        return 0;
    more.slot = (uint32_t *)(more.entry + more.room * more.bytes);
    if (t->room)
        memcpy(more.entry, t->entry, t->count * t->bytes);
    trace_memory_give(t->entry, bytes_of(t));
    *t = more;
    for (uint32_t number = 1; number <= t->count; number++)
        *slot_of(t, *(uintptr_t *)entry_at(t, number)) = number;
    return 1;
}

void *trace_address_find(const struct address_table *t, uintptr_t address) {
    return t->room ? entry_at(t, *slot_of(t, address)) : NULL;
}

void *trace_address_add(struct address_table *t, uintptr_t address) {
    if (t->count == t->room && t->count < t->most && !grow(t))
        return NULL;
    uint32_t *slot = slot_of(t, address);
    if (!*slot && t->count < t->most) {
        *slot = ++t->count;
        *(uintptr_t *)entry_at(t, *slot) = address;
    }
    return entry_at(t, *slot);
}

void trace_address_forget(struct address_table *t) {
    for (uint32_t number = t->count; number; number--) /* the last one is the last of its row */
        *slot_of(t, *(uintptr_t *)entry_at(t, number)) = 0;
    t->count = 0;
}

void trace_address_clear(struct address_table *t) {
    trace_memory_give(t->entry, bytes_of(t));
    *t = (struct address_table){.bytes = t->bytes, .most = t->most};
}
