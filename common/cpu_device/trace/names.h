/*
 * names.h: the names in the tracer's report: of allocations, variables and parameters, and the
 * source line of an address in the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_NAMES_H
#define CPU_DEVICE_TRACE_NAMES_H

#include "runtime/observer.h"

struct cpu_device_launch;
struct trace_arguments;

struct trace_allocation {
    enum memory_kind kind;
    const char *base;
    size_t bytes;
    int freed;
    const char *name, *file; /* of the allocating call, or of the variable; NULL: not known */
    int line;
    long element;            /* see cpu_device_name() */
    size_t pitch, width;     /* of cudaMallocPitch: bytes of a row, and of these, used; else 0 */
    int asked_for;           /* a variable: cudaGetSymbolAddress has told its address */
    unsigned number;         /* from 1; tells those of one call apart */
    struct trace_site *site; /* the call */
    struct shadow *shadow;   /* trace_shadow.c: which bytes have been written */
    struct trace_allocation *next;
};

/* A __shared__ variable, as each worker has it. */
struct trace_variable {
    const char *name, *function, *file;
    int line;
    size_t bytes;        /* 0: dynamic, the launch says how many */
    size_t row, element; /* of T t[N][M]: the bytes of t[0] and of t[0][0]; else 0 */
    ptrdiff_t offset;
    struct trace_variable *next;
};

/* ---- What the program allocates: see struct observer ---- */
/* Is p in a variable other than with bytes of it? */
int trace_variable_fits(const void *p, size_t bytes);
void trace_pitched(const void *base, size_t pitch, size_t width);
void trace_asked_for(const void *symbol);
void trace_allocated(const void *base, size_t bytes, enum memory_kind kind);
struct trace_allocation *trace_freed(const void *base); /* NULL: not known */
void trace_allocating(void);                            /* a call begins that may allocate */
/* What is returned is a variable at p whose address only the device knows, or NULL. */
const struct trace_allocation *trace_argument(struct cpu_device_launch *launch, unsigned argument,
                                              const void *p);

/* ---- Which allocation ---- */
/* Those alive, with the __device__ and __managed__ variables: fixed while a launch holds it. */
struct trace_map;
struct trace_map *trace_map_take(void);
void trace_map_give(struct trace_map *map);
struct trace_allocation *trace_map_find(const struct trace_map *map, const void *address);
/* The one in use that holds the address, else a freed one that did, else the nearest one that ends
 * before it, else NULL. Takes the lock. */
const struct trace_allocation *trace_allocation_near(const void *address);
/* All those in use, by address, or all that have been freed, the last one first. */
void trace_allocations_each(int freed, void (*visit)(const struct trace_allocation *a, void *data),
                            void *data);
/* __constant__ variables, which are none of the above: the one at p, or the one that p is behind,
 * within a page; NULL: neither. */
const struct trace_allocation *trace_constant(const void *p);
/* The kernel's arguments that are null pointers: "a, b"; "" when none is known. */
void trace_null_arguments(const char *kernel, const struct trace_arguments *arguments, char *names,
                          size_t size);
/* For people: `d_x`, the kernel's parameter that led to it, or `p#2`. */
const char *trace_allocation_name(const struct trace_allocation *a, const char *kernel,
                                  const struct trace_arguments *arguments);

/* ---- Shared memory, on a worker ---- */
void trace_shared_start(void); /* at a launch's begin */
const struct trace_variable *trace_shared_find(const void *address);
int trace_shared_near(const void *address); /* where shared variables and their gaps lie? */
const char *trace_shared_base(const struct trace_variable *v); /* on this worker; not dynamic */
/* Is this the compiler asking whether a variable with a constructor has been constructed? */
int trace_is_guard(const void *pc);
/* The dynamic one's name in a kernel. */
const char *trace_dynamic_name(const char *kernel);

/* ---- Source lines ---- */
struct trace_source {
    const char *file; /* without folders; "" when not known */
    const char *path;
    int line;
    int main; /* in the .cu file that was compiled: its name need not be said */
};
/* pcs are return addresses. Asks addr2line once for all that are not known yet. */
void trace_sources_look_up(const void *const *pcs, size_t count);
struct trace_source trace_source_find(const void *pc);
int trace_source_of_pc(const void *pc, const char **file, int *line); /* 0: not known */
/* A launch through a pointer does not know its kernel's name and calls it "kernel": the name. */
int trace_source_is_ours(const struct trace_source *s); /* in a header of CPU device or C++ */
const char *trace_kernel_name(const char *name, const void *function);
size_t trace_pc_in_file(const void *pc); /* as addr2line wants it */
/* "file.cu:12", or the address with what to install. */
const char *trace_place(const void *pc);

#endif
