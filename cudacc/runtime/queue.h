/*
 * queue.h: the queues of streams, for those that put work into them: the API.  With the device's
 * lock held, where nothing else is said.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "runtime/runtime.h"
#include <stdlib.h>

struct wait_for {
    struct CUstream_st *stream;
    unsigned long number;
    struct wait_for *next;
};

struct operation {
    void (*run)(void *data); /* any number of times, where it can be captured */
    void (*end)(void *data); /* gives back what data holds, and data; NULL: free() */
    void *data;
    void (*queued)(void *data); /* a graph that it belongs to is launched; NULL: nothing to do */
    const char *kernel;         /* of a launch */
    int not_captured;           /* it cannot be part of a graph */
    int even_if_lost;           /* run is called after an error has ended the device, too */
    int references;             /* of graphs, and what is made of them */
    unsigned long turn;         /* among those of all streams, as they were queued */
    struct wait_for *waits;
    struct operation *next;
};
static inline void operation_end(struct operation *o) {
    if (o->end)
        o->end(o->data);
    else
        free(o->data);
}

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long id; /* never used again, unlike the address */
    int references, destroyed, has_thread;
    int legacy;    /* stream_legacy */
    int of_thread; /* a cudaStreamPerThread: lives as long as its thread */
    unsigned long queued, completed, released; /* operations so far; released: `late` only */
    struct operation *head, *tail;
    pthread_cond_t wake;
    struct CUstream_st *next;
};

/* This thread is a stream's, in a function of the host: it must not wait for itself. */
extern __thread int in_host_function;

extern struct CUstream_st *stream_legacy; /* stream 0, unless each thread has its own */

struct CUstream_st *stream_new(unsigned flags); /* NULL: no memory */
/* No new work; the thread, if there is one, ends with the work that is queued. */
void stream_end(struct CUstream_st *s);
void stream_drop(struct CUstream_st *s); /* one reference less; NULL: there is none */
/* The stream that a handle stands for; NULL: no such stream. */
struct CUstream_st *stream_of(cudaStream_t handle);
int stream_is_own(const struct CUstream_st *s); /* it came with the device or the thread */
/* Work before this call in a stream, and, for the legacy stream, in those that it waits for. */
int stream_done(void *stream);
/* Puts an operation into the queue: run(data), where run is not NULL, after the waits that the
 * stream's kind asks for and, with `after`, after that stream's operation `number`. Gives the lock
 * away while there is no room. The stream does not capture. Returns the number of the operation. */
unsigned long stream_put(struct CUstream_st *s, struct operation work, struct CUstream_st *after,
                         unsigned long number);
/* The same for a handle, without the lock; run(data) happens in stream order on the stream's
 * thread, and then the operation ends. wait: until then. A stream that captures keeps it. */
cudaError_t cpu_device_stream_enqueue(cudaStream_t stream, struct operation work, int wait);
/* Does it capture? And: invalidates its capture, if there is one. Without the lock. */
int cpu_device_stream_captures(cudaStream_t stream);
void cpu_device_stream_spoil(cudaStream_t stream);
/* Blocks the host until the stream's operation `number` is done. */
void stream_wait_for(struct CUstream_st *s, unsigned long number);
/* In the schedule `late` work starts only when the host waits; this is where it does. */
void streams_release(void);
/* Blocks the host, with the lock held, until done(argument); or, without it, until all streams are
 * idle. */
void cpu_device_host_wait(int (*done)(void *argument), void *argument);
cudaError_t cpu_device_wait(void);
/* The same, before this call frees p (or NULL) without CUDA's waiting for those who use it; shows:
 * what kernels have printed. */
cudaError_t cpu_device_wait_so(const void *p, int shows);
/* Gives what is queued time to be done, but no order: the host has not waited. On a stream's
 * thread: what was queued before the operation that it is at. At most two seconds, since a kernel
 * may wait for the host. Without the lock. */
void cpu_device_let_run(void);
void streams_start(void);
/* Ends those that the program has made; takes the lock itself. */
void streams_end(void);
