/*
 * runtime.h: what the parts of this room offer to each other, to api/ and to trace/.
 *
 *   device.c   the one device: its lock, its state, who watches it (observer.h)
 *   memory.c   what is allocated, which of it an address is in; host and device distinguished
 *   variables.c  __device__ and other variables, and what they hold at first
 *   pages.c    a model of which managed pages would move
 *   queue.c    streams: one thread per stream drains its queue (queue.h)
 *   capture.c  streams that capture a graph instead (capture.h)
 *   block.c    kernels: blocks over the cores, threads one after another (worker.h)
 *   wait.c     threads that wait for others of their block; fiber.c: what stays with them
 *   poll.c     threads that poll; watchdog.c: kernels that do not end
 *   stop.c     a kernel ends before its end; fault.c: because the processor says so
 *   print.c    printf and clock in kernels
 *   warp.c     device functions; errors.c: names and texts of errors
 *
 * The room calls nothing outside of it but the observer.  One lock, cpu_device.lock, guards
 * streams, events and the table of allocations; who changes something that others may wait for
 * calls cpu_device_progress().
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdarg.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

/* The runtime is compiled with hidden names, and linked so that they stay its own. A program can
 * call what include/ declares, and what says EXPORTED: functions of other libraries for which it
 * stands in. */
#define EXPORTED __attribute__((visibility("default")))
#define PRIVATE __attribute__((visibility("hidden"))) /* a shorter way to a variable */

#pragma GCC visibility push(default)
#include "include/cuda_runtime_api.h"
#include "include/cpu_device/kernel_abi.h"
#include "include/cpu_device/program_notes.h"
#include "include/cpu_device/pages.h"
#include "include/cpu_device/trace_abi.h"
#include "include/cpu_device/warp.h"
#pragma GCC visibility pop

#ifndef PKEY_DISABLE_ACCESS /* no protection keys in this C library */
#define PKEY_DISABLE_ACCESS 1
#define pkey_alloc(flags, rights) (-1)
#define pkey_set(key, rights) ((void)(key))
#define pkey_mprotect(p, bytes, allowed, key) ((void)(key), mprotect(p, bytes, allowed))
#endif

/* A warp, a block, its shared memory: without asking, and by cudaFuncSetAttribute. */
enum {
    WARP = 32,
    MAX_THREADS = 1024,
    MAX_WARPS = MAX_THREADS / WARP,
    SHARED_BYTES = 48 << 10,
    SHARED_OPTIN = 227 << 10
};

/* What a launch of a kernel may ask for, and what its __shared__ variables take. */
struct launch_limits {
    unsigned threads;                     /* of a block */
    size_t static_shared, dynamic_shared; /* bytes */
};

/* The running thread's number in its block. */
static inline unsigned linear_thread(void) {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* Holds a lock from here to the end of the braces that it stands in. */
#define WITH_LOCK(mutex)                                                                           \
    __attribute__((cleanup(lock_end), unused)) pthread_mutex_t *held_lock = lock_begin(&(mutex))
static inline pthread_mutex_t *lock_begin(pthread_mutex_t *mutex) {
    pthread_mutex_lock(mutex);
    return mutex;
}
static inline void lock_end(pthread_mutex_t *const *mutex) { pthread_mutex_unlock(*mutex); }

/* Lists, by `next`. The first item, `i`, of which a condition is true, or NULL; the pointer to it,
 * or the list's last one; an item comes to the front; the first one, or NULL, is taken out of the
 * list; one that is in it is; each item, which may leave the list meanwhile, as may its memory. */
#define LIST_FIND(list, i, condition)                                                              \
    ({                                                                                             \
        __typeof__((list) + 0) i = list;                                                           \
        while (i && !(condition))                                                                  \
            i = i->next;                                                                           \
        i;                                                                                         \
    })
#define LIST_PLACE(list, i, condition)                                                             \
    ({                                                                                             \
        __typeof__(list) *where = &(list), i;                                                      \
        while ((i = *where) && !(condition))                                                       \
            where = &i->next;                                                                      \
        where;                                                                                     \
    })
#define LIST_ADD(list, item) ((item)->next = (list), (list) = (item))
#define LIST_TAKE(list)                                                                            \
    ({                                                                                             \
        __typeof__((list) + 0) first = list;                                                       \
        if (first)                                                                                 \
            list = first->next;                                                                    \
        first;                                                                                     \
    })
#define LIST_REMOVE(list, item) (*LIST_PLACE(list, i, i == (item)) = (item)->next)
#define LIST_EACH(list, i)                                                                         \
    for (__typeof__((list) + 0) i = list, then; i && (then = i->next, 1); i = then)

/* For tables by address or number: the upper bits of the product are well mixed. */
static inline uint64_t hash64(uint64_t n) { return n * 0x9E3779B97F4A7C15u; }

/* What CUDA's launch queue holds, about; the next launch waits for room. */
enum { QUEUE_LIMIT = 1024, MAX_WORKERS = 256, MOST_HELPERS = 1024 };

enum schedule { IN_ORDER, STACKS, REVERSED, SHUFFLED }; /* STACKS: in order, on one stack each */

struct device {
    pthread_mutex_t lock;
    pthread_cond_t progressed; /* something completed; wait on it with the lock held */
    atomic_ulong progress;     /* the same as a count, for hosts that spin */
    atomic_int lost;           /* cudaError_t that sticks until the process ends; 0: none */
    atomic_uint host_flags;    /* cudaDeviceSchedule...: how the host waits */
    enum schedule schedule;    /* CPU_DEVICE_SCHEDULE: order of threads and blocks */
    unsigned seed;
    int late;            /* CPU_DEVICE_SCHEDULE=late: nothing starts until the host waits */
    int one_at_a_time;   /* CPU_DEVICE_NO_CONCURRENT_MANAGED: no host where kernels are */
    atomic_int attaches; /* managed memory has been attached to the host or to a stream */
    int launch_blocking; /* CUDA_LAUNCH_BLOCKING=1 */
    double patience;     /* CPU_DEVICE_PATIENCE: see watchdog.c; seconds */
    atomic_size_t print_bytes, heap_bytes; /* cudaDeviceSetLimit: of printf, of malloc */
    atomic_int print_used, heap_used;      /* a kernel has called it: too late for that */
    int workers;                           /* processors that this process may use */
    size_t page;                           /* bytes of the machine's pages */
    int hosts_waiting;
};
extern struct device cpu_device;

/* The program's call that this thread is in, where it copies, sets, gives or takes memory; pc:
 * where it returns to. */
struct api_call {
    const char *name;
    const void *pc;
};
extern PRIVATE __thread struct api_call cpu_device_call;

void cpu_device_lock(void);
void cpu_device_unlock(void);
void cpu_device_progress(void); /* with the lock held */

/* The device is lost: e sticks. The first error wins. */
void cpu_device_lose(cudaError_t e);
double cpu_device_seconds(clockid_t clock);

/* Of the threads of kernels: where their local variables are. */
int cpu_device_in_stacks(const void *p);

/* ---- memory.c ---- */
enum memory_kind { MEMORY_HOST, MEMORY_PINNED, MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_SYMBOL };

struct memory {
    enum memory_kind kind;
    char *base; /* NULL for pageable host memory, which has no bounds that we know */
    size_t bytes;
    int is_registered; /* pinned memory that the program has allocated itself */
};
void cpu_device_memory_start(void);
struct memory cpu_device_memory_find(const void *p);
/* Device or managed memory; zero bytes are a null pointer. */
cudaError_t cpu_device_memory_new(void **out, size_t bytes, enum memory_kind kind);
cudaError_t cpu_device_memory_release(void *p); /* no waiting for those who use it */
cudaError_t cpu_device_memory_new_pinned(void **out, size_t bytes, unsigned flags);
cudaError_t cpu_device_memory_register(void *p, size_t bytes);
int cpu_device_memory_pinned_flags(const void *p, unsigned *flags); /* 0: it is not pinned */
cudaError_t cpu_device_memory_unpin(void *p, int is_registered);
void cpu_device_memory_reset(void); /* all is released, pinned memory too */
size_t cpu_device_memory_total(void);
size_t cpu_device_memory_free(void);
/* A place for what the API knows of managed memory that begins at base; with the lock held. */
void **cpu_device_memory_note(const void *base);
/* An address that faults, for a kernel's n-th argument that leads to host memory; or NULL. */
const char *cpu_device_memory_faulting(unsigned n, const void *p);
/* Lets this thread touch device memory (streams and workers), or forbids it (host code). */
void cpu_device_memory_allow(int allow);
/* The host is about to store a result there, which is no place for it in memory of the device. */
void cpu_device_result_at(const void *p);
/* What is known of a faulting address, for messages. Safe in a signal handler. */
void cpu_device_memory_describe(const void *address, char *text, size_t size);
/* A kernel has run a little past an allocation's end: lets it, and reports it the first time. */
int cpu_device_memory_open_past(const void *address, char *text, size_t size);
int cpu_device_memory_ours(const void *address); /* in the range reserved for device memory */
void cpu_device_memory_range(uintptr_t *base, size_t *bytes); /* that range */
/* Variables that are declared __device__, __constant__, one of these and const, or __managed__. */
#define SECTION(name)                                                                              \
    extern char __start_##name[] __attribute__((weak)), __stop_##name[] __attribute__((weak))
SECTION(cpu_device_data);
SECTION(cpu_constant_data);
SECTION(cpu_device_const);
SECTION(cpu_managed_data);

/* ---- variables.c ---- */
struct memory cpu_device_variables_find(const void *p); /* MEMORY_HOST: there is none */
int cpu_device_memory_is_symbol(const void *p);         /* a variable of the device */
void cpu_device_variables_keep(void);  /* what they hold now is what they hold at first */
void cpu_device_variables_reset(void); /* they hold it again */

/* ---- pages.c: a model that is off unless asked for (pages.h) ---- */
/* key: what keeps host code off device memory, or -1; the range of that memory. */
void cpu_device_pages_begin(int key, const char *memory, size_t bytes);
void cpu_device_pages_on(void);                         /* for cpu_device_pages_start */
void cpu_device_pages_new(const void *p, size_t bytes); /* managed memory was allocated */
void cpu_device_pages_forget(const void *base);         /* and freed */
void cpu_device_pages_thread(int device);    /* the calling thread works for the device, or not */
void cpu_device_pages_launch(void);          /* a kernel starts */
void cpu_device_pages_operation(int begins); /* a stream starts, or has done, an operation */
void cpu_device_pages_prefetch(const void *p, size_t bytes, int to_device);
void cpu_device_pages_advise(const void *p, size_t bytes, enum cudaMemoryAdvise advice, int device);
/* In a signal handler: 1 if the model closed that page and has opened it, to be tried again.
 * write: 1, 0, or -1 if the machine does not say. */
int cpu_device_pages_fault(const void *address, int write);
/* From an observer, instead of faults. And what was counted for each managed allocation. */
void cpu_device_pages_touch(const void *p, size_t bytes, int write, int device);
struct cpu_device_pages_of {
    const void *observed;             /* what the observer said of it */
    size_t pages, by_host, by_device; /* of these, touched by either side */
    struct cpu_device_pages moved;
};
void cpu_device_pages_each(void (*visit)(const struct cpu_device_pages_of *p, void *data),
                           void *data);

/* ---- block.c ---- */
void cpu_device_fault_start(void);        /* fault.c: signal handlers */
void cpu_device_launch_run(void *launch); /* on a stream's thread, with all that it launches */
void cpu_device_launch_end(void *launch);
void cpu_device_worker_end(void); /* that thread ends */
/* Of a kernel, or the host; pc: of the call. */
int cpu_device_vprintf(const char *format, va_list arguments, const void *pc);
void cpu_device_printf_flush(void);             /* what kernels have printed */
size_t cpu_device_printf_left(const void **pc); /* bytes of that; the last call */
/* The running thread launches it: when the launch that it belongs to has ended
 * (extra/runtime/children.c). */
extern cudaError_t (*cpu_device_child_put)(struct cpu_device_launch *launch);

/* For the tracer, on a worker. The first two end the kernel with an error. */
_Noreturn void cpu_device_abandon(int error);
_Noreturn void cpu_device_die(int error, const char *what, const void *pc); /* and say why */
#define STACK_OVERFLOW "stack overflow (a GPU's thread has 512 KiB at most)"
void cpu_device_leave_fast_path(void);
/* Lets others of the block run, if there are any: until `fresh` threads have been started, a new
 * one before those that stand ready. */
void cpu_device_step_aside(unsigned fresh);
/* The running thread has done a lot. Ends its kernel if that is a loop without an end. */
void kernel_watchdog(void);
