/*
 * runtime.h: what the parts of the CPU device share.  Not for programs.
 *
 *   memory.c   device, managed and pinned memory; host and device told apart; copies
 *   managed.c  prefetch and advice
 *   pages.c    which managed pages would move
 *   stream.c   streams, events, copies: one thread per stream works off its queue
 *   block.c    kernels: blocks over the cores, the threads of a block as fibers
 *   properties.c, errors.c   what the device says of itself
 *
 * One lock, cpu_device.lock, guards streams, events and the list of allocations.
 * Whoever changes something others may wait for calls cpu_device_progress().
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_RUNTIME_H
#define CPU_DEVICE_RUNTIME_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "cuda_runtime_api.h"
#include "kernel_abi.h"
#include "pages.h"

/* What CUDA's launch queue holds, about; the next launch waits for room. */
enum { QUEUE_LIMIT = 1024, MAX_WORKERS = 256 };

enum schedule { IN_ORDER, REVERSED, SHUFFLED };

struct device {
    pthread_mutex_t lock;
    pthread_cond_t progressed; /* something completed; wait on it with the lock held */
    atomic_ulong progress;     /* the same as a count, for hosts that spin */
    atomic_int lost;           /* cudaError_t that sticks until the process ends; 0: none */
    atomic_uint host_flags;    /* cudaDeviceSchedule...: how the host waits */
    enum schedule schedule;    /* CPU_DEVICE_SCHEDULE: order of threads and blocks */
    unsigned seed;
    int late;            /* CPU_DEVICE_SCHEDULE=late: nothing starts until the host waits */
    int launch_blocking; /* CUDA_LAUNCH_BLOCKING=1 */
    int workers;         /* processors that this process may use */
    size_t page;         /* bytes of the machine's pages */
    int hosts_waiting;
};
extern struct device cpu_device;

/* Starts the device once; every API function that needs it comes through here. */
void cpu_device_start(void);
void cpu_device_lock(void);
void cpu_device_unlock(void);
void cpu_device_progress(void); /* with the lock held */

/* Records e (or the error that sticks) as this thread's last error and returns it. */
cudaError_t cpu_device_return(cudaError_t e);
/* The device is lost: e sticks. The first error wins. */
void cpu_device_lose(cudaError_t e);

/* Blocks the calling host thread, with the lock held, until done(arg). */
void cpu_device_host_wait(int (*done)(void *arg), void *arg);

/* ---- memory.c ---- */
enum memory_kind { MEMORY_HOST, MEMORY_PINNED, MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_SYMBOL };

struct memory {
    enum memory_kind kind;
    char *base; /* NULL for pageable host memory, which has no bounds that we know */
    size_t bytes;
};
void cpu_device_memory_start(void);
struct memory cpu_device_memory_find(const void *p);
cudaError_t cpu_device_memory_release(void *p); /* device or managed; no waiting */
void cpu_device_memory_reset(void);
size_t cpu_device_memory_total(void);
/* Lets this thread touch device memory (streams and workers), or forbids it (host code). */
void cpu_device_memory_allow(int allow);
/* What is known of a faulting address, for messages. Safe in a signal handler. */
void cpu_device_memory_describe(const void *address, char *text, size_t size);
int cpu_device_memory_ours(const void *address); /* in the range reserved for device memory */
void cpu_device_memory_range(uintptr_t *base, size_t *bytes); /* that range */

/* ---- managed.c ---- */
void cpu_device_managed_forget(const void *base); /* drops the advice for freed memory; lock held */

/* ---- pages.c: a model that is off unless asked for (pages.h) ---- */
void cpu_device_pages_begin(int key); /* key: what keeps host code off device memory, or -1 */
void cpu_device_pages_new(const void *p, size_t bytes); /* managed memory was allocated */
void cpu_device_pages_forget(const void *base);         /* and freed */
void cpu_device_pages_thread(int device);    /* the calling thread works for the device, or not */
void cpu_device_pages_launch(void);          /* a kernel starts */
void cpu_device_pages_operation(int begins); /* a stream starts, or has done, an operation */
void cpu_device_pages_prefetch(const void *p, size_t bytes, int to_device);
void cpu_device_pages_advise(const void *p, size_t bytes, enum cudaMemoryAdvise advice, int device);
/* In a signal handler: 1 if the model closed that page and has opened it, to be tried again.
 * write: 1, 0, or -1 if the machine does not tell. */
int cpu_device_pages_fault(const void *address, int write);
/* Traced builds: instead of faults. And what was counted for each managed allocation. */
void cpu_device_pages_touch(const void *p, size_t bytes, int write, int device);
struct cpu_device_pages_of {
    const struct trace_allocation *allocation;
    size_t pages, by_host, by_device; /* of these, touched by either side */
    struct cpu_device_pages moved;
};
void cpu_device_pages_each(void (*visit)(const struct cpu_device_pages_of *p, void *data),
                           void *data);

/* ---- stream.c ---- */
/* Queues work. run(data) happens in stream order on the stream's thread; data is then freed. */
cudaError_t cpu_device_stream_enqueue(cudaStream_t stream, void (*run)(void *data), void *data,
                                      int wait);
cudaError_t cpu_device_wait(void); /* until all streams are idle */
cudaError_t cpu_device_stream_check(cudaStream_t stream);
double cpu_device_now_ns(void);

/* ---- block.c ---- */
void cpu_device_block_start(void);
void cpu_device_kernel_run(struct cpu_device_launch *launch); /* on a stream's thread */
void cpu_device_worker_end(void);                             /* that thread ends */
void cpu_device_printf_flush(void);                           /* what kernels have printed */
/* For the tracer, on a worker. The first two end the kernel with an error. */
_Noreturn void cpu_device_abandon(int error);
_Noreturn void cpu_device_die(int error, const char *what, const void *pc); /* and say why */
#define STACK_OVERFLOW "stack overflow (a GPU's thread has 512 KiB at most)"
void cpu_device_leave_plain_loop(void);
/* Lets others of the block run, if there are any: until `fresh` threads have been started, a new
 * one before those that stand ready. */
void cpu_device_step_aside(unsigned fresh);

#endif
