/*
 * arena.h: memory of the tracer's own, and what it is divided into.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed; NULL when that would be too much. */
void *trace_memory(size_t bytes);
void trace_memory_give(void *p, size_t bytes);
void trace_memory_is_short(void); /* says so, once; no races are looked for from then on */
extern atomic_int trace_races_off;

/* Memory that is all given back at once. */
struct chunk;
struct arena {
    struct chunk *chunks, *spare;
    size_t used; /* of the first chunk */
};
void *trace_arena_memory(struct arena *a, size_t bytes); /* zeroed, or NULL */
void trace_arena_reuse(struct arena *a);                 /* nothing in it is needed any more */

/* A table by address. Each entry begins with its address (uintptr_t), which is not 0. */
struct address_table {
    size_t bytes, most; /* of an entry; entries */
    uint32_t room, count;
    char *entry;    /* in the order in which they came */
    uint32_t *slot; /* behind them */
};
void *trace_address_find(const struct address_table *t, uintptr_t address); /* or NULL */
/* Finds it or puts it there, with zeroes, or what has been forgotten; others may move. NULL: no
 * memory, or there are `most`. */
void *trace_address_add(struct address_table *t, uintptr_t address);
void trace_address_forget(struct address_table *t); /* all of it; keeps the memory */
void trace_address_clear(struct address_table *t);  /* and gives its memory back */
