/*
 * arguments.h: where the pointers among a launch's arguments lead, and the names of the kernel's
 * parameters.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "runtime/observer.h"

struct trace_allocation;
struct trace_arguments; /* NULL: none leads anywhere */

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
