/*
 * unwritten.h: reads of memory that was never written.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/race_block.h"

/* n reads the bytes `missing`, which are not known to be written, or writes bytes read early. */
void trace_unwritten_read(struct checker *c, struct touched *t, const struct run *n,
                          bytes128 missing);
void trace_unwritten_changed(struct checker *c, const struct touched *t, const struct run *n);

void trace_unwritten_tell(struct checker *c); /* the block has ended */
void trace_unwritten_forget(struct checker *c);
void trace_unwritten_launch_begin(void);
void trace_unwritten_launch_end(void);

/* An atomic reads what it changes; atomicExch, too, returns it. Other releases are stores. */
static inline int reads(const struct run *r) {
    return r->class == READ || r->class == VOLATILE_READ ||
           (in_block(r->class) == SYNC && trace_site_of(r->site)->op == TRACE_ATOMIC);
}
