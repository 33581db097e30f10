/*
 * shared_names.h: the __shared__ variables of the program.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A __shared__ variable, as each worker has it. */
struct trace_variable {
    const char *name, *function, *file;
    int line;
    size_t bytes;        /* 0: dynamic, the launch says how many */
    size_t row, element; /* of T t[N][M]: the bytes of t[0] and of t[0][0]; of T t[N]: 0 and t[0] */
    ptrdiff_t offset;
    size_t place;                       /* on a GPU: where it lies among those of its function */
    const struct trace_variable *first; /* of these */
    unsigned number;                    /* in the order of the notes */
    struct trace_variable *next;
};

/* ---- Shared memory, on a worker ---- */
void trace_shared_start(void); /* at a launch's begin */
const struct trace_variable *trace_shared_find(const void *address);
/* The addresses where the calling thread has those that are declared; and with gaps beside them. */
void trace_shared_variables(uintptr_t *from, size_t *bytes);
void trace_shared_range(uintptr_t *from, size_t *bytes);
int trace_shared_near(const void *address); /* where shared variables and their gaps lie? */
const char *trace_shared_base(const struct trace_variable *v); /* on this worker; not dynamic */
/* Is this the compiler asking whether a variable with a constructor has been constructed? */
int trace_is_guard(const void *address);
/* The dynamic one's name in a kernel. */
const char *trace_dynamic_name(const char *kernel);
