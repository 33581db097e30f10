/*
 * streams.h: what puts the operations of different streams, and the host, in order.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "trace/check/shadow.h"
#include "trace/trace.h"

/* ---- See struct observer ---- */
void trace_streams_created(void);
void trace_streams_launch(void); /* what this thread puts next is one */
void trace_streams_put(unsigned long long stream, unsigned long number);
void trace_streams_after(unsigned long long stream, unsigned long number, unsigned long long other,
                         unsigned long other_number);
void trace_streams_graph(unsigned long long stream, unsigned long number, unsigned nodes,
                         const unsigned (*pairs)[2], size_t pair_count);
void trace_streams_node(unsigned node);
void trace_streams_host_after(unsigned long long stream, unsigned long number);
void trace_streams_begins(unsigned long long stream, unsigned long number);
void trace_streams_host_function(int has_ended);

/* ---- Who uses memory ---- */

/* One of the last users of a line: an operation, in one way. */
struct use {
    uint32_t id;
    uint16_t site;
    uint8_t class, flags;
    bytes128 bytes;
};
enum { LAST_USES = 6 };
struct line_uses {
    uint8_t lock, next;
    struct use use[LAST_USES];
};

/* The operation that runs on this stream's thread; 0: none to be checked. */
uint32_t trace_streams_now(const char *what);
/* Is what that operation does to s of any interest? */
int trace_streams_watch(const struct shadow *s, uint32_t operation);
/* A block of a kernel has used bytes of a line. By `class` of access.h; flags: the block has used
 * what flags between kernels are made of. */
void trace_streams_used(struct shadow *s, uintptr_t line, bytes128 bytes, uint32_t operation,
                        unsigned class, unsigned site, int flags);
/* A copy, a memset, or the free of all of it has: this stream's thread is at it. */
void trace_streams_called(struct api_call call, const void *p, size_t bytes, enum trace_op op);
void trace_streams_freed(struct trace_allocation *a, struct api_call call);
void trace_streams_given(const void *base, struct api_call call);
/* By the host, which must have waited for all that has used it. */
void trace_streams_host_frees(struct trace_allocation *a, struct api_call call);
/* A thread of a kernel has read bytes of a constant. */
void trace_streams_constant(struct trace_allocation *a, const void *p, size_t bytes, uint32_t id,
                            unsigned site);
/* The host has, while work that it has not waited for is queued; volatile: a flag. */
extern atomic_int trace_unwaited; /* there is such work */
void trace_streams_host(const void *p, size_t bytes, enum trace_op op, const void *pc,
                        int is_volatile);

/* ---- What was found ---- */

/* Two uses of the same bytes with nothing between them: site, of a call with 0 bytes; in which
 * kernel, or by which call; NULL: by the host, or in a graph. */
struct unordered {
    struct unordered_use {
        unsigned long site;
        const char *what;
        long is_host;
    } use[2];
    long is_free;  /* the second one */
    long is_graph; /* both are of one graph */
    const struct trace_allocation *allocation;
};
struct unordered *trace_streams_unordered(unsigned *count);
