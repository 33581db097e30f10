/*
 * allocations.h: what the program has allocated and declared, and the names of it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "runtime/observer.h"
#include "trace/names/alloc.h"

struct trace_arguments; /* NULL: none leads anywhere */

struct trace_allocation {
    enum memory_kind kind;
    const char *base;
    size_t bytes;
    int freed;               /* 2: by free(), while it was registered */
    const char *name, *file; /* of the allocating call, or of the variable; NULL: not known */
    int line;
    long element;            /* see cpu_device_name() */
    size_t pitch, width;     /* of cudaMallocPitch: bytes of a row, and of these, used; else 0 */
    size_t set;              /* __constant__: the bytes of its only copy, a small part; else 0 */
    size_t elements;         /* __constant__: of an array, each of more than a byte; else 0 */
    size_t source;           /* __constant__: the bytes that its last copy could have taken */
    int is_set;              /* __constant__: by its initializer or a copy */
    int copied;              /* there has been a copy */
    int asked_for;           /* a variable: cudaGetSymbolAddress has returned its address */
    unsigned number;         /* from 1; distinguishes those of one call */
    struct trace_site *site; /* the call */
    struct shadow *shadow;   /* check/shadow.c: which bytes have been written */
    struct trace_allocation *next;
};

/* ---- What the program allocates: see struct observer ---- */
/* Is p in a variable other than with bytes of it? */
int trace_variable_fits(const void *p, size_t bytes);
void trace_pitched(const void *base, size_t pitch, size_t width);
void trace_asked_for(const void *symbol);
void trace_constant_set(const void *p, size_t bytes); /* a copy or a memset has written there */
void trace_allocated(const void *base, size_t bytes, enum memory_kind kind);
struct trace_allocation *trace_freed(const void *base); /* NULL: not known */
void trace_allocating(void);                            /* a call begins that may allocate */
/* What is returned is a variable at p whose address only the device knows, or NULL. */
const struct trace_allocation *trace_argument(struct cpu_device_launch *launch, unsigned argument,
                                              const void *p,
                                              const struct cpu_device_element *element);

/* ---- Which allocation ---- */
/* Those alive, with the __device__ and __managed__ variables: fixed while a launch holds it. */
struct trace_map;
struct trace_map *trace_map_take(void);
void trace_map_give(struct trace_map *map);
struct trace_allocation *trace_map_find(const struct trace_map *map, const void *address);
/* The one in use that holds the address, else a freed one that did, else the nearest one that ends
 * before it, else NULL. Takes the lock. */
const struct trace_allocation *trace_allocation_near(const void *address);
/* The one in use that holds p, or NULL, and the addresses of which that is true. */
struct trace_allocation *trace_allocation_around(uintptr_t p, uintptr_t *from, uintptr_t *to);
/* The same, for those who ask often, about a few of them by turns: without the lock. */
struct trace_allocation *trace_allocation_known(uintptr_t p);
/* All those in use, by address. */
void trace_allocations_each(void (*visit)(const struct trace_allocation *a, void *data),
                            void *data);
/* __constant__ variables, which are none of the above: the one at p, or the one that p is behind,
 * within a page; NULL: neither. */
const struct trace_allocation *trace_constant(const void *p);
/* The one in which the address lies, else the nearest one, live or freed; how many bytes away. */
const struct trace_allocation *trace_nearest(uintptr_t address);
size_t trace_distance(const struct trace_allocation *a, const char *p);
/* For people: `d_x`, the kernel's parameter that led to it, or `p#2`. */
const char *trace_allocation_name(const struct trace_allocation *a, const char *kernel,
                                  const struct trace_arguments *arguments);

/* A __device__, __constant__ or __managed__ variable, as the notes bring it. */
void trace_variable_declared(const char *kind, const char *name, const void *base, size_t bytes,
                             size_t element, const char *file, int line);

/* ---- arguments.c: where the pointers among a launch's arguments lead ---- */
/* a: NULL for a null pointer. */
void trace_arguments_add(struct trace_arguments **list, unsigned argument,
                         const struct trace_allocation *a,
                         const struct cpu_device_element *element);
struct trace_arguments *trace_copy_arguments(const struct trace_arguments *a);
int trace_same_arguments(const struct trace_arguments *a, const struct trace_arguments *b);
/* What all arguments that lead to an allocation take it for; NULL: nothing with members. */
const struct cpu_device_element *trace_element(const struct cpu_device_launch *launch,
                                               const struct trace_allocation *a);
/* The kernel's parameters that lead to an allocation, or are null pointers where it is NULL; ""
 * when none is known. */
void trace_argument_names(const char *kernel, const struct trace_arguments *arguments,
                          const struct trace_allocation *a, const char *between, char *names,
                          size_t size);
