/*
 * kernel_abi.h: the seam between translated kernels (C++: launch.h, device_functions.h) and the
 * runtime (C: block.c, wait.c).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_KERNEL_ABI_H
#define CPU_DEVICE_KERNEL_ABI_H

#include <stddef.h>
#include "../vector_types.h"

#ifdef __cplusplus
extern "C" {
#define CPU_DEVICE_NORETURN [[noreturn]]
#else
#define CPU_DEVICE_NORETURN _Noreturn
#endif

/* A struct or class that an argument points to: one for each type; NULL: it is something else. */
struct cpu_device_element {
    size_t alignment;
    int is_padded; /* it moves in pieces, and some of its bytes are of no member */
};

/* A pointer argument that led to host memory, and the address that the kernel got instead. */
struct cpu_device_host_pointer {
    const void *given, *replacement;
    unsigned argument;
};

/* With an older gcc the loops over threads (launch.h) are instrumented, too. */
enum { CPU_DEVICE_TRACED = 1, CPU_DEVICE_TRACED_WITH_LOOPS };

struct cpu_device_config {
    dim3 grid_dim, block_dim;
    size_t shared_bytes;
    void *stream;
    const struct cooperation *cooperation; /* its blocks may wait for each other; else NULL */
};

/* One launch: filled in by launch.h, the runtime's own once it is queued. */
struct cpu_device_launch {
    const char *name;
    const void *function; /* NULL: not known by address */
    const char *shared;   /* then: as in cpu_device_kernel */
    unsigned grid_dim[3], block_dim[3];
    size_t shared_bytes;
    void *stream;
    const struct cooperation *cooperation;
    void (*run_thread)(const void *arguments);  /* runs one thread of the current block; if NULL: */
    void (*run_threads)(const void *arguments); /* runs all */
    void (*destroy)(void *arguments);           /* not the memory that they are in; may be NULL */
    void *arguments;
    struct cpu_device_host_pointer host_pointers[8];
    unsigned host_pointer_count;
    int traced; /* by code that was compiled with --trace: CPU_DEVICE_TRACED or the other; else 0 */
    struct trace_arguments *trace_arguments; /* traced builds: where its pointers lead */
    struct trace_launch *trace;              /* traced builds: what is counted */
    /* runtime's own */
    unsigned long long blocks, next_block, chunk;
    unsigned long long error_position; /* traced builds: no block behind it starts any more */
    unsigned long progress; /* once a thread polls: blocks begun, and what its workers report */
    int helpers, stop, polled;
    int extra_workers; /* beyond one for each processor */
    struct grid *grid; /* of a cooperative one that runs: extra/runtime/grid.c's own */
    void (*ended)(struct cpu_device_launch *launch); /* called when its blocks have; or NULL */
    struct cpu_device_launch *next;
    /* extra/runtime/children.c's own: what its threads have launched */
    struct cpu_device_launch *children;
    unsigned long child_count;
    unsigned long number; /* as a child: how many came before it; of which block; how deep it is */
    unsigned long long position;
    unsigned depth;
};

/* One of a kernel, at this address, with this name, and `shared` as above. */
struct cpu_device_launch *cpu_device_launch_new(const struct cpu_device_config *config,
                                                const void *function, const char *name,
                                                const char *shared);
/* Gives it a copy of its arguments, checks the configuration, then queues the launch. Errors become
 * the thread's last error. */
void cpu_device_launch_queue(struct cpu_device_launch *launch, const void *arguments, size_t bytes,
                             size_t alignment);
/* A kernel argument that points to pageable host memory is replaced by an address that faults
 * when the kernel uses it, as on a GPU: error 700. Other pointers come back unchanged. */
const void *cpu_device_pointer(struct cpu_device_launch *launch, unsigned argument, const void *p,
                               const struct cpu_device_element *element);

/* Nonzero once a thread of the current block has waited for another one, or when the schedule is
 * not in order: threads are then handed out one by one by cpu_device_next_thread(). Or its threads
 * run from barrier to barrier, and none can wait elsewhere; or all of them have. */
enum { CPU_DEVICE_IN_PARTS = -1, CPU_DEVICE_DONE = -2 };
extern __thread int cpu_device_one_by_one;
/* Calls a part of a block whose threads do not say which of them runs (translate/vectors.c): then
 * ::threadIdx.x is CPU_DEVICE_NO_THREAD. 0: an error has ended it; each thread for itself
 * will find it, too, and no address may be passed over then. */
enum { CPU_DEVICE_NO_THREAD = 1024 };
int cpu_device_part(void (*part)(const void *), const void *with);
int cpu_device_next_thread(void); /* sets threadIdx; 0: all have been started */
void cpu_device_thread_done(void);

/* The kernels of the program, for cudaLaunchKernel and cudaFuncGetAttributes. */
struct cpu_device_kernel {
    const void *function;
    const char *name;
    int max_threads;    /* from __launch_bounds__; 0: none given */
    const char *shared; /* the functions with __shared__ variables that it may call, one in a line,
                         * itself first; NULL: none */
    void (*launch)(struct cpu_device_launch *launch, void **arguments); /* gives it them */
    struct cpu_device_kernel *next;
    size_t counted_bytes; /* the runtime's own: of these variables, and 1; 0: not counted yet */
};
void cpu_device_register(struct cpu_device_kernel *kernel);
/* A function's n-th __shared__ variable. Of the instances of a template only those of a kernel are
 * known by their address; else kernel is NULL. */
void cpu_device_shared(const char *function, int variable, const void *kernel, size_t bytes);
/* An instance of a template of __device__ or __constant__ variables. */
void cpu_device_symbol(const void *base, size_t bytes);
const char *cpu_device_kernel_name(const void *function); /* "kernel" when unknown */

/* ---- What device functions ask of the runtime ---- */

#if defined CPU_DEVICE_TRACE && defined __cplusplus
/* What is constant is not traced, if its type has no constructor; launch.h writes threadIdx under
 * another name. */
extern __thread const uint3 threadIdx, blockIdx, blockDim, gridDim;
extern __thread uint3 cpu_device_thread_index __asm__("threadIdx");
#else
extern __thread uint3 threadIdx, blockIdx;
extern __thread dim3 blockDim, gridDim;
#endif

extern __thread char cpu_device_dynamic_shared[]; /* of the running block */

enum { CPU_BARRIER_PLAIN = 1, CPU_BARRIER_COUNT, CPU_BARRIER_AND, CPU_BARRIER_OR };

/* __syncthreads and related functions: the reduced value over the block's threads. */
int cpu_device_barrier(int kind, int value);

/* Which warp function a kernel calls, and where; pc NULL: where cpu_device_warp_collect() is. */
struct cpu_device_warp_call {
    const char *function;
    const void *pc;
};

/* Each lane of mask hands in 64 bits and receives everybody's; returns the lanes that took part.
 * Entries of values[] for other lanes stay as they are. */
unsigned cpu_device_warp_collect(const struct cpu_device_warp_call *call, unsigned mask,
                                 unsigned long long value, unsigned long long values[32]);
unsigned cpu_device_lane(void);             /* linear thread index % 32 */
unsigned cpu_device_active_lanes(int line); /* __activemask, called in that source line */
unsigned cpu_device_multiprocessors(void);  /* how many it says it has */
void cpu_device_yield(void);                /* lets other threads of the block run */
/* The running thread polls: now and then the others get a turn, as on a GPU. */
void cpu_device_polled(void);
/* An atomic operation has changed nothing there, as a maximum mostly does: a thread that always
 * does the same polls. */
void cpu_device_unchanged(const volatile void *address);
/* The running thread is about to use volatile memory at p, for which `place` stands: of a warp's
 * threads those that have come to the earliest place continue together. Only in shared memory? */
void cpu_device_step(const volatile void *p, int place, int only_shared);
void cpu_device_step_to_print(int place); /* the same before it prints */
/* A round begins of a loop that takes steps, of the places from begin to end. */
void cpu_device_round(int depth, int begin, int end);
int cpu_device_in_kernel(void);

/* Nanoseconds: the device's clock rate is given as 1 GHz. */
long long clock64(void);

/* Ends the kernel with an error that sticks; `what` goes to stderr with kernel and thread. */
CPU_DEVICE_NORETURN void cpu_device_trap(int cuda_error, const char *what);

#ifdef __cplusplus
}
#endif
#endif
