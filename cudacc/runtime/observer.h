/*
 * observer.h: what the runtime and the API report to an observer.
 *
 * A plain program has no observer, and each OBSERVE below costs one test of a pointer.  The tracer
 * (trace/) is one; it begins to watch before main() does, and ends the program's last word.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "runtime/runtime.h"

/* Why a thread stays behind: others go first, but it could go on; it waits for something that
 * others have to do; for all threads of its block. */
enum suspension { STEPS_ASIDE, WAITS, AT_BARRIER };

struct observer {
    void (*started)(void); /* the device */

    /* ---- Calls of the program, on its threads; cpu_device_call says which one ---- */
    void (*allocating)(void); /* begins, and may give memory */
    void (*allocated)(const void *base, size_t bytes, enum memory_kind kind); /* with the lock */
    void (*pitched)(const void *base, size_t pitch, size_t width); /* it has rows of that width */
    void (*given)(const void *base); /* in the order of a stream, on that stream's thread */
    void (*freed)(const void *base); /* with the lock; on a stream's thread: see cpu_device_call */
    /* It is about to be freed, with the lock: all is done, but the host has not waited for it. */
    void (*freed_unwaited)(const void *base);
    void (*free_failed)(const void *p);    /* it was given a wrong pointer */
    void (*asked_for)(const void *symbol); /* cudaGetSymbolAddress has returned its address */
    /* Does a variable at p have that many bytes? Nonzero where no variable is known. */
    int (*variable_fits)(const void *p, size_t bytes);
    /* The same of memory of the host; what: as below. Else it has said so. */
    int (*host_fits)(const char *what, const void *p, size_t bytes);
    /* The call fails: the bytes at p, its "source", "destination" or "memory", are in no one
     * allocation; it copies in another direction than `kind` says; for another reason. */
    void (*call_outside)(const char *what, const void *p, size_t bytes);
    /* NULL: memory of the device */
    void (*call_direction)(enum cudaMemcpyKind kind, const void *host_to, const void *host_from);
    void (*call_wrong)(const char *why);
    void (*call_overlaps)(const void *to, const void *from, size_t bytes); /* a copy */
    void (*call_variable)(const char *what, const void *p); /* p is in a variable of the device */
    /* A copy, or a memset (from: NULL), is about to write; has written. */
    void (*copying)(void *to, const void *from, size_t bytes);
    void (*copied)(struct api_call call, void *to, const void *from, size_t bytes);
    void (*set)(struct api_call call, void *p, size_t bytes);
    /* So many bytes that kernels have printed did not fit into that room; pc: of the last call. */
    void (*print_lost)(size_t bytes, size_t room, const void *pc);
    const void *(*allocation_of)(const void *p); /* for cpu_device_pages_each */
    void (*error_asked)(void);                   /* cudaGetLastError and related functions */
    void (*returns)(void); /* a call that needs the device, or a launch, is about to return */
    /* The host, in a function of some library: a fault at an address of the device's. Called in a
     * signal handler. */
    void (*host_faulted)(const void *address, int is_write);
    void (*argument)(struct cpu_device_launch *launch, unsigned argument, const void *p,
                     const struct cpu_device_element *element);
    void (*launch_refused)(const struct cpu_device_launch *launch,
                           const struct launch_limits *limits);
    void (*launch_queued)(struct cpu_device_launch *launch);

    /* ---- Order, with the lock: streams by number, operations by theirs in a stream ---- */
    void (*stream_created)(void);
    void (*operation_put)(unsigned long long stream, unsigned long number);
    /* It begins after that one of another stream. */
    void (*operation_after)(unsigned long long stream, unsigned long number,
                            unsigned long long other, unsigned long other_number);
    /* That operation is a graph of so many nodes, of which the second one of a pair comes after the
     * first one; pairs are in the order of the second. */
    void (*graph_put)(unsigned long long stream, unsigned long number, unsigned nodes,
                      const unsigned (*pairs)[2], size_t pair_count);
    void (*host_after)(unsigned long long stream, unsigned long number); /* the host has waited */

    /* ---- On the stream's thread ---- */
    void (*operation_begins)(unsigned long long stream, unsigned long number);
    void (*node_begins)(unsigned node);   /* of the graph that this operation is */
    void (*host_function)(int has_ended); /* one begins in the stream, or has ended */
    void (*launch_begins)(struct cpu_device_launch *launch);
    void (*launch_ended)(struct cpu_device_launch *launch);
    void (*launch_lost)(
        const struct cpu_device_launch *launch); /* an error before it: it never begins */

    /* ---- On a worker ---- */
    void (*worker_joins)(struct cpu_device_launch *launch);
    void (*worker_leaves)(void); /* after its last block, or an abandoned one */
    void (*thread_ends)(void);   /* the operating system's */
    void (*block_begins)(unsigned long long block, unsigned long long position);
    void (*block_ended)(void);                    /* all its threads have returned */
    void (*stack)(const char *low, size_t bytes); /* of the fiber that runs next */

    /* A block starts on the fast path (launch.h). `thread` runs, waits, and is no fast path any
     * more: those before it have returned. From then on threads begin and end one by one. */
    void (*fast_path_left)(unsigned thread);
    void (*thread_begins)(unsigned thread);
    void (*thread_ended)(unsigned thread);
    void (*suspended)(unsigned thread, enum suspension why);
    void (*released)(unsigned thread); /* it need not wait any more */
    void (*resumed)(unsigned thread);  /* it runs again */
    void (*polled)(void);              /* it has looked for what others may have done */
    /* A warp function: these lanes, all suspended, continue together. Does it order memory? */
    void (*warp_together)(unsigned warp, unsigned lanes, int orders_memory);
    /* A thread calls one. Of those that its mask names `gone` have returned; `lanes` continue. */
    void (*warp_called)(unsigned thread, const void *pc);
    void (*warp_without)(unsigned warp, unsigned lanes, unsigned gone,
                         const struct cpu_device_warp_call *call);
    /* A misused one, or two, and why; else the function of the other is NULL. */
    void (*warp_misused)(const char *why, unsigned thread, struct cpu_device_warp_call call,
                         unsigned other_thread, struct cpu_device_warp_call other);
    void (*barrier_reached)(unsigned thread, const void *pc);

    /* The running thread reads or stores through a texture or surface object; p: in memory that may
     * have been freed, and of any alignment. */
    void (*texel)(const void *p, unsigned bytes, int stores, const void *pc);
    /* The running thread begins an asynchronous copy to an address, from one (NULL: not known, or
     * fewer bytes); it has waited for it. */
    void (*copy_begun)(const void *to, const void *from, unsigned bytes, const void *pc);
    void (*copy_arrived)(const void *to, unsigned bytes, const void *pc);

    /* At a barrier over the grid the running thread comes in the name of its block, or continues.
     * */
    void (*grid_barrier)(const void *place, int continues);

    /* The running thread is about to go past an end of a variable. */
    void (*past_end)(const void *p, int stores, const void *pc);

    int (*barrier_complete)(unsigned finished); /* threads that have returned */
    /* The block can never end, since `thread` waits in a warp function. */
    int (*deadlock)(const char *what, unsigned thread);
    /* Both answer with the error that is to end the kernel, or 0.
     *
     * The running thread ends its kernel: why, and at which return address; NULL: not known. `what`
     * is NULL for a fault at an illegal address. Called in signal handlers. */
    void (*dies)(int error, const char *what, const void *pc, const void *address);
    void (*died)(void); /* it has; on the worker's own stack */
};

extern PRIVATE const struct observer *cpu_device_observer; /* NULL: none */

#define OBSERVED __builtin_expect(cpu_device_observer != NULL, 0)
#define OBSERVE(what, ...)                                                                         \
    do {                                                                                           \
        if (OBSERVED)                                                                              \
            cpu_device_observer->what(__VA_ARGS__);                                                \
    } while (0)
/* What the observer answers; without one, `otherwise`. */
#define ASK_OBSERVER(otherwise, what, ...)                                                         \
    (OBSERVED ? cpu_device_observer->what(__VA_ARGS__) : (otherwise))
