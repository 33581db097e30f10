/*
 * must.h: memory that the tracer cannot do without.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_MUST_H
#define CPU_DEVICE_MUST_H

#include <stdio.h>
#include <stdlib.h>

/* Ends the program where memory is out. */
static inline void *trace_must(void *p) {
    if (!p) {
        fprintf(stderr, "CPU device: out of memory for the trace\n");
        abort();
    }
    return p;
}

#endif
