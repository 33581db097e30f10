/*
 * trace_names.h: the names in the tracer's report: of allocations, variables, parameters, and the
 * source line of an address in the program.  The first part is what translated programs call
 * (translate/notes.h); the second is for the runtime alone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_NAMES_H
#define CPU_DEVICE_TRACE_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The expression that an allocating call was given, when that call has just returned `result`,
 * which comes back. handed_on: the function gives the pointer to its caller under another name.
 * element: bytes of what it points to; negative: of a struct, perhaps with padding; 0: unknown. */
cudaError_t cpu_device_name(cudaError_t result, const char *name, int handed_on, const char *file,
                            int line, long element);
/* Kind: "shared", "dynamic" (no address), "device", "constant", "managed". Row, element: of an
 * array of two dimensions, the bytes of t[0] and t[0][0]. Function: where it is declared. */
void cpu_device_trace_variable(const char *kind, const char *name, const void *base, size_t bytes,
                               size_t row, size_t element, const char *function, const char *file,
                               int line);
/* A translated file, and the folder of the CPU device's own headers. */
void cpu_device_trace_text(const char *file, const char *headers);
/* A kernel's parameters, with commas between. */
void cpu_device_trace_kernel(const char *name, const char *parameters);

#ifdef __cplusplus
}
namespace cpu_device {
/* Calls tell() before main(), once for each type `Tell` that a program comes to hold. */
struct note_entry {
    note_entry(void (*tell)()) { tell(); }
};
template <class Tell> struct note { static const note_entry entry; };
template <class Tell> const note_entry note<Tell>::entry(Tell::tell);

/* For cpu_device_name(): decltype(element(&pointer))::bytes; a type may be incomplete. */
template <long Bytes> struct element_bytes {
    enum : long { bytes = Bytes };
};
template <class T>
element_bytes<__is_class(T) || __is_union(T) ? -(long)sizeof(T) : (long)sizeof(T)> element(T **);
element_bytes<0> element(void **);
element_bytes<0> element(...);
} // namespace cpu_device
#else

#include "runtime.h"

struct cpu_device_launch;
struct trace_arguments;

struct trace_allocation {
    enum memory_kind kind;
    const char *base;
    size_t bytes;
    int freed;
    const char *name, *file; /* of the allocating call, or of the variable; NULL: not known */
    int line;
    long element;            /* see cpu_device_name() */
    size_t pitch, width;     /* of cudaMallocPitch: bytes of a row, and of these, used; else 0 */
    int asked_for;           /* a variable: cudaGetSymbolAddress has told its address */
    unsigned number;         /* from 1; tells those of one call apart */
    struct trace_site *site; /* the call */
    struct shadow *shadow;   /* trace_shadow.c: which bytes have been written */
    struct trace_allocation *next;
};

/* A __shared__ variable, as each worker has it. */
struct trace_variable {
    const char *name, *function, *file;
    int line;
    size_t bytes;        /* 0: dynamic, the launch says how many */
    size_t row, element; /* of T t[N][M]: the bytes of t[0] and of t[0][0]; else 0 */
    ptrdiff_t offset;
    struct trace_variable *next;
};

#ifdef CPU_DEVICE_TRACE
/* ---- Hooks of memory.c; some with the lock held ---- */
/* A call of the program begins that copies, sets or frees memory; pc: where it returns to. */
struct trace_call {
    const char *name;
    const void *pc;
};
void trace_call(const char *name, const void *pc);
struct trace_call trace_called(void); /* by this thread */
/* It fails: the `bytes` at p, its "source", "destination" or "memory", are in no one allocation. */
void trace_call_outside(const char *what, const void *p, size_t bytes);
void trace_call_wrong(const char *why); /* for another reason */
/* A copy, other than kind says, to or from memory of the host. */
void trace_call_direction(enum cudaMemcpyKind kind, int to_host, int from_host);
/* If p leads to a variable whose address only the device knows. */
void trace_call_variable(const char *what, const void *p);
/* A launch was given the address of a variable that only the device knows. */
void trace_argument_variable(unsigned argument, const struct trace_allocation *a);
/* A copy stands in its stream's queue; where it is done, or will never be. NULL: not a host's
 * memory, which the host must leave alone meanwhile. */
struct trace_copy {
    const char *to, *from;
    size_t bytes, rows, to_pitch, from_pitch;
};
void trace_copy_queued(const void *key, struct trace_copy copy);
void trace_copy_done(const void *key);
extern atomic_uint trace_copies; /* in queues */
/* A copy has read device memory. */
void trace_memory_read(struct trace_call call, const void *to, const void *from, size_t bytes);
/* Is p in a variable other than with bytes of it? */
int trace_variable_fits(const void *p, size_t bytes);
void trace_pitched(const void *base, size_t pitch, size_t width);
void trace_asked_for(const void *symbol);
void trace_allocated(const void *base, size_t bytes, enum memory_kind kind);
void trace_freed(const void *base);
void trace_allocating(void); /* a call begins that may allocate */
/* A launch fails; most_threads: by its __launch_bounds__. The program asks for the last error. */
void trace_launch_refused(const struct cpu_device_launch *launch, unsigned most_threads);
void trace_error_asked(void);
void trace_argument(struct cpu_device_launch *launch, unsigned argument, const void *p);

/* Of trace_shadow.c: the allocation has been freed. */
void trace_shadow_gone(struct trace_allocation *a);
/* A copy from `from`, or a memset (NULL), has written memory. */
void trace_memory_written(void *to, const void *from, size_t bytes);
void trace_free_failed(const void *p); /* the call was given a wrong pointer */

/* ---- Which allocation ---- */
/* Those alive, with the __device__ and __managed__ variables: fixed while a launch holds it. */
struct trace_map;
struct trace_map *trace_map_take(void);
void trace_map_give(struct trace_map *map);
struct trace_allocation *trace_map_find(const struct trace_map *map, const void *address);
/* The one in use that holds the address, else a freed one that did, else the nearest one that ends
 * before it, else NULL. Takes the lock. */
const struct trace_allocation *trace_allocation_near(const void *address);
/* All those in use, by address, or all that have been freed, the last one first. */
void trace_allocations_each(int freed, void (*visit)(const struct trace_allocation *a, void *data),
                            void *data);
/* __constant__ variables, which are none of the above: the one at p, or the one that p is behind,
 * within a page; NULL: neither. */
const struct trace_allocation *trace_constant(const void *p);
/* The kernel's arguments that are null pointers: "a, b"; "" when none is known. */
void trace_null_arguments(const char *kernel, const struct trace_arguments *arguments, char *names,
                          size_t size);
/* For people: `d_x`, the kernel's parameter that led to it, or `p#2`. */
const char *trace_allocation_name(const struct trace_allocation *a, const char *kernel,
                                  const struct trace_arguments *arguments);

/* ---- Shared memory, on a worker ---- */
void trace_shared_start(void); /* at a launch's begin */
const struct trace_variable *trace_shared_find(const void *address);
int trace_shared_near(const void *address); /* where shared variables and their gaps lie? */
const char *trace_shared_base(const struct trace_variable *v); /* on this worker; not dynamic */
/* Is this the compiler asking whether a variable with a constructor has been constructed? */
int trace_is_guard(const void *pc);
/* The dynamic one's name in a kernel. */
const char *trace_dynamic_name(const char *kernel);

/* ---- Source lines ---- */
struct trace_source {
    const char *file; /* without folders; "" when not known */
    const char *path;
    int line;
    int main; /* in the .cu file that was compiled: its name need not be said */
};
/* pcs are return addresses. Asks addr2line once for all that are not known yet. */
void trace_sources_look_up(const void *const *pcs, size_t count);
struct trace_source trace_source_find(const void *pc);
int trace_source_of_pc(const void *pc, const char **file, int *line); /* 0: not known */
/* A launch through a pointer does not know its kernel's name and calls it "kernel": the name. */
int trace_source_is_ours(const struct trace_source *s); /* in a header of CPU device or C++ */
const char *trace_kernel_name(const char *name, const void *function);
size_t trace_pc_in_file(const void *pc); /* as addr2line wants it */
/* "file.cu:12", or the address with what to install. */
const char *trace_place(const void *pc);

void cpu_device_trace_report(void); /* trace_report.c: at the program's end */
#else
static inline void trace_allocated(const void *base, size_t bytes, enum memory_kind kind) {
    (void)base, (void)bytes, (void)kind;
}
static inline void trace_freed(const void *base) { (void)base; }
static inline void trace_memory_written(void *to, const void *from, size_t bytes) {
    (void)to, (void)from, (void)bytes;
}
struct trace_call {
    char unused;
};
static inline void trace_call(const char *name, const void *pc) { (void)name, (void)pc; }
static inline struct trace_call trace_called(void) { return (struct trace_call){0}; }
static inline void trace_call_outside(const char *what, const void *p, size_t bytes) {
    (void)what, (void)p, (void)bytes;
}
static inline void trace_call_wrong(const char *why) { (void)why; }
static inline void trace_memory_read(struct trace_call call, const void *to, const void *from,
                                     size_t bytes) {
    (void)call, (void)to, (void)from, (void)bytes;
}
static inline int trace_variable_fits(const void *p, size_t bytes) {
    (void)p, (void)bytes;
    return 1;
}
static inline void trace_call_direction(enum cudaMemcpyKind kind, int to_host, int from_host) {
    (void)kind, (void)to_host, (void)from_host;
}
struct trace_copy {
    const char *to, *from;
    size_t bytes, rows, to_pitch, from_pitch;
};
static inline void trace_copy_queued(const void *key, struct trace_copy copy) {
    (void)key, (void)copy;
}
static inline void trace_copy_done(const void *key) { (void)key; }
static inline void trace_call_variable(const char *what, const void *p) { (void)what, (void)p; }
static inline void trace_pitched(const void *base, size_t pitch, size_t width) {
    (void)base, (void)pitch, (void)width;
}
static inline void trace_asked_for(const void *symbol) { (void)symbol; }
static inline void trace_free_failed(const void *p) { (void)p; }
static inline void trace_allocating(void) {}
static inline void trace_launch_refused(const struct cpu_device_launch *launch,
                                        unsigned most_threads) {
    (void)launch, (void)most_threads;
}
static inline void trace_error_asked(void) {}
static inline void trace_argument(struct cpu_device_launch *launch, unsigned argument,
                                  const void *p) {
    (void)launch, (void)argument, (void)p;
}
#endif

#endif /* C */
#endif
