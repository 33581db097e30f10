/*
 * host.h: memory that host code of the program has from malloc(), new and related functions, for
 * the calls that copy from and to it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <stddef.h>

struct trace_host_block {
    const char *base;
    size_t bytes, usable; /* usable: what the C library says of it */
    const void *pc;       /* of the call that gave it */
    int freed;
};
/* `p` has been given: comes back. */
void *trace_host_given(void *p, size_t bytes, const void *pc);
/* p is freed, and kept for a while, so that its address means nothing else; 0: not known, the
 * caller frees it. */
int trace_host_freed(void *p);
/* The block that holds p; 0: not known. */
int trace_host_find(const void *p, struct trace_host_block *block);
/* The bytes from p on of a variable that a call is about to copy from or to, as the compiler knows
 * it (trace_libc.h); SIZE_MAX: not known. */
size_t trace_host_variable(const void *p);
/* The same of what it copies there, which may be a block. */
size_t trace_host_source(const void *to);
