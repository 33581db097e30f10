/*
 * memory.c: device, managed and pinned memory; copies.
 *
 * All device memory comes from one reserved range of addresses, so that "is it device memory" is
 * one comparison.  Each allocation has pages of its own, with pages that fault on both sides,
 * and ends where its last page ends: running more than 255 bytes past it faults.  Freed
 * addresses are not used again until the range is used up, so a stale pointer faults too.
 * Where the processor has protection keys (x86-64 "pku"), host code that touches device memory
 * faults as well: only the device's own threads hold the key.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime.h"
#include "trace_names.h"
#include <sched.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    GRANULE = 256,
    STAGED_BYTES = 64 << 10,
    REMEMBERED = 64,
    GUARDED = 8192,
    HUGE_BYTES = 4 << 20
};

struct allocation {
    enum memory_kind kind;
    char *base, *pages; /* what the program got; the first page behind it */
    size_t bytes, mapped;
    unsigned flags; /* pinned memory: as asked for */
    struct allocation *previous, *next;
};

/* Those in use: a tree ordered by address, to find one by a pointer into it, and a list. */
static void *tree;
static struct allocation *allocations;
static size_t live;
/* Those freed last, for messages. */
static struct allocation freed[REMEMBERED];
static unsigned freed_count;

static char *range, *range_end, *range_next;
static char *fault_window; /* where replaced host pointers lead; never accessible */
static size_t fault_bytes;
static size_t total_bytes, used_bytes;
static int key = -1;

/* ---- Which memory ------------------------------------------------------------------------ */

/* Variables in these sections are declared __device__, __constant__, __managed__. */
extern char __start_cpu_device_data[] __attribute__((weak));
extern char __stop_cpu_device_data[] __attribute__((weak));
extern char __start_cpu_constant_data[] __attribute__((weak));
extern char __stop_cpu_constant_data[] __attribute__((weak));
extern char __start_cpu_device_const[] __attribute__((weak)); /* declared const */
extern char __stop_cpu_device_const[] __attribute__((weak));
extern char __start_cpu_managed_data[] __attribute__((weak));
extern char __stop_cpu_managed_data[] __attribute__((weak));

static int on_device(enum memory_kind k) { return k == MEMORY_DEVICE || k == MEMORY_SYMBOL; }

static int within(const void *p, const char *from, const char *to) {
    return from && (const char *)p >= from && (const char *)p < to;
}

static struct memory symbol_find(const void *p) {
    struct memory m = {MEMORY_HOST, NULL, 0};
    char *from = NULL, *to = NULL;
    if (within(p, __start_cpu_device_data, __stop_cpu_device_data))
        from = __start_cpu_device_data, to = __stop_cpu_device_data;
    else if (within(p, __start_cpu_constant_data, __stop_cpu_constant_data))
        from = __start_cpu_constant_data, to = __stop_cpu_constant_data;
    else if (within(p, __start_cpu_device_const, __stop_cpu_device_const))
        from = __start_cpu_device_const, to = __stop_cpu_device_const;
    else if (within(p, __start_cpu_managed_data, __stop_cpu_managed_data))
        from = __start_cpu_managed_data, to = __stop_cpu_managed_data;
    if (!from)
        return m;
    m.kind = from == __start_cpu_managed_data ? MEMORY_MANAGED : MEMORY_SYMBOL;
    m.base = from;
    m.bytes = (size_t)(to - from);
    return m;
}

/* Each function of the API that copies, sets or frees memory begins with this. */
#define CALLED() trace_call(__func__, __builtin_return_address(0))

/* Two that overlap count as equal: that is how an address finds the allocation around it. */
static int by_address(const void *a, const void *b) {
    const struct allocation *x = a, *y = b;
    return x->pages + x->mapped <= y->pages ? -1 : y->pages + y->mapped <= x->pages;
}

/* The allocation in use whose pages lie within `reach` bytes of p. */
static struct allocation *near_by(const void *p, size_t reach) {
    struct allocation key;
    key.pages = (char *)p - reach;
    key.mapped = 2 * reach + 1;
    struct allocation **found = tfind(&key, &tree, by_address);
    return found ? *found : NULL;
}

static struct allocation *allocation_of(const void *p) {
    struct allocation *a = near_by(p, 0);
    return a && within(p, a->base, a->base + a->bytes) ? a : NULL;
}

/* With the lock held, as all that follows. */
static void keep(struct allocation *a) {
    if (!tsearch(a, &tree, by_address))
        abort();
    a->previous = NULL;
    a->next = allocations;
    if (allocations)
        allocations->previous = a;
    allocations = a;
    live++;
}

static void forget(struct allocation *a) {
    tdelete(a, &tree, by_address);
    if (a->previous)
        a->previous->next = a->next;
    else
        allocations = a->next;
    if (a->next)
        a->next->previous = a->previous;
    live--;
    free(a);
}

struct memory cpu_device_memory_find(const void *p) {
    struct memory m = symbol_find(p);
    if (m.kind != MEMORY_HOST)
        return m;
    cpu_device_lock();
    struct allocation *a = allocation_of(p);
    if (a)
        m.kind = a->kind, m.base = a->base, m.bytes = a->bytes;
    cpu_device_unlock();
    return m;
}

int cpu_device_memory_ours(const void *address) { return within(address, range, range_end); }

void cpu_device_memory_range(uintptr_t *base, size_t *bytes) {
    *base = (uintptr_t)range;
    *bytes = (size_t)(range_end - range);
}

static void describe(const char *p, char *text, size_t size) {
    const struct allocation *near = near_by(p, 0);
    int is_freed = 0;
    for (unsigned i = 0; !near && i < REMEMBERED && i < freed_count; i++) {
        const struct allocation *a = &freed[(freed_count - 1 - i) % REMEMBERED];
        if (within(p, a->pages, a->pages + a->mapped))
            near = a, is_freed = 1;
    }
    if (!near)
        near = near_by(p, cpu_device.page);
    if (!near) {
        snprintf(text, size, "device memory that was never allocated");
        return;
    }
    const char *end = near->base + near->bytes;
    const char *state = is_freed ? "a freed" : "an";
    if (p < near->base)
        snprintf(text, size, "%zu bytes before %s allocation of %zu bytes",
                 (size_t)(near->base - p), state, near->bytes);
    else if (p >= end)
        snprintf(text, size, "%zu bytes past the end of %s allocation of %zu bytes",
                 (size_t)(p - end), state, near->bytes);
    else
        snprintf(text, size, "byte %zu of %s allocation of %zu bytes", (size_t)(p - near->base),
                 state, near->bytes);
}

void cpu_device_memory_describe(const void *address, char *text, size_t size) {
    if (size)
        text[0] = 0;
    if (!within(address, range, range_end)) {
        if ((size_t)address < cpu_device.page)
            snprintf(text, size, "a null pointer");
        return;
    }
    /* Other threads may allocate; the one that faulted may be in here itself, so no long wait. */
    for (int tries = 0; pthread_mutex_trylock(&cpu_device.lock); tries++) {
        if (tries == 10000) {
            snprintf(text, size, "device memory");
            return;
        }
        sched_yield();
    }
    describe(address, text, size);
    cpu_device_unlock();
}

const void *cpu_device_pointer(struct cpu_device_launch *l, unsigned argument, const void *p) {
    cpu_device_start();
    trace_argument(l, argument, p);
    if ((size_t)p < cpu_device.page || !fault_window)
        return p;
    if (within(p, range, range_end) || cpu_device_memory_find(p).kind != MEMORY_HOST)
        return p;
    unsigned n = l->host_pointer_count;
    if (n == sizeof l->host_pointers / sizeof l->host_pointers[0])
        return p;
    const char *replacement =
        fault_window + fault_bytes / 16 * (n + 4) + ((size_t)p & (GRANULE - 1));
    l->host_pointers[n].given = p;
    l->host_pointers[n].replacement = replacement;
    l->host_pointers[n].argument = argument;
    l->host_pointer_count++;
    return replacement;
}

void cpu_device_memory_allow(int allow) {
    cpu_device_pages_thread(allow);
#if defined(__linux__) && defined(PKEY_DISABLE_ACCESS)
    if (key >= 0)
        pkey_set(key, allow ? 0 : PKEY_DISABLE_ACCESS);
#else
    (void)allow;
#endif
}

/* ---- How much ---------------------------------------------------------------------------- */

static size_t limit_in(const char *path) {
    unsigned long long v = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%llu", &v) != 1)
        v = 0; /* "max" */
    fclose(f);
    return (size_t)v;
}

static void lower(size_t *least, size_t v) {
    if (v && v < *least)
        *least = v;
}

/* The memory this process may use: the machine's, its control group's, its own limit. */
static size_t memory_of_process(void) {
    char line[1024], path[1200];
    size_t least = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    lower(&least, limit_in("/sys/fs/cgroup/memory.max"));
    lower(&least, limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *group = strchr(line, ':');
        group = group ? strchr(group + 1, ':') : NULL;
        if (!group)
            continue;
        for (char *slash; *++group && (slash = strrchr(group, '/')); *slash = 0) {
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
            lower(&least, limit_in(path));
        }
    }
    if (f)
        fclose(f);
    struct rlimit r;
    if (!getrlimit(RLIMIT_AS, &r) && r.rlim_cur != RLIM_INFINITY)
        lower(&least, r.rlim_cur);
    return least;
}

size_t cpu_device_memory_total(void) {
    cpu_device_start();
    return total_bytes;
}

void cpu_device_memory_start(void) {
    total_bytes = memory_of_process() / 2 / (1 << 20) * (1 << 20);
    /* As much address space as we are given: 1 TiB, halved down to 4 GiB. */
    for (size_t bytes = (size_t)1 << 40; bytes >= (size_t)1 << 32; bytes /= 2) {
        void *p = mmap(NULL, bytes + bytes / 4, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            continue;
        range = range_next = p;
        range_end = range + bytes;
        fault_window = range_end;
        fault_bytes = bytes / 4;
        break;
    }
    if (!range) {
        fprintf(stderr, "CPU device: no 4 GiB of address space to reserve (ulimit -v?)\n");
        exit(3);
    }
#if defined(__linux__) && defined(PKEY_DISABLE_ACCESS)
    if (!getenv("CPU_DEVICE_NO_KEYS"))
        key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
#endif
    cpu_device_pages_begin(key);
}

/* ---- Device and managed memory ----------------------------------------------------------- */

/* A place for `mapped` bytes with a page to spare on either side; with the lock held. */
static char *place(size_t mapped) {
    /* Each guard page takes a mapping, of which Linux allows a process 65530. */
    size_t guard = live < GUARDED ? cpu_device.page : 0;
    if ((size_t)(range_end - range_next) >= mapped + guard + cpu_device.page) {
        char *p = range_next + guard;
        range_next = p + mapped;
        return p;
    }
    /* The range is used up: look for a gap between live allocations. */
    char *p = range + cpu_device.page;
    for (int moved = 1; moved;) {
        moved = 0;
        for (struct allocation *a = allocations; a; a = a->next)
            if (a->kind != MEMORY_PINNED && p < a->pages + a->mapped + cpu_device.page &&
                a->pages < p + mapped + cpu_device.page)
                p = a->pages + a->mapped + cpu_device.page, moved = 1;
    }
    return (size_t)(range_end - p) >= mapped + cpu_device.page && p < range_end ? p : NULL;
}

static cudaError_t allocate(void **out, size_t bytes, enum memory_kind kind) {
    cpu_device_start();
    trace_allocating();
    if (!out)
        return cudaErrorInvalidValue;
    if (!bytes) {
        *out = NULL;
        return cudaSuccess;
    }
    if (symbol_find(out).kind == MEMORY_SYMBOL)
        trace_call_variable("result", out);
    if (bytes > total_bytes)
        return cudaErrorMemoryAllocation;
    size_t rounded = (bytes + GRANULE - 1) / GRANULE * GRANULE;
    size_t mapped = (rounded + cpu_device.page - 1) / cpu_device.page * cpu_device.page;
    struct allocation *a = calloc(1, sizeof *a);
    if (!a)
        return cudaErrorMemoryAllocation;
    cudaError_t e = cudaErrorMemoryAllocation;
    cpu_device_lock();
    char *p = mapped <= total_bytes - used_bytes ? place(mapped) : NULL;
    if (p && !mprotect(p, mapped, PROT_READ | PROT_WRITE)) {
        e = cudaSuccess;
#if defined(__linux__) && defined(PKEY_DISABLE_ACCESS)
        if (key >= 0 && kind == MEMORY_DEVICE &&
            pkey_mprotect(p, mapped, PROT_READ | PROT_WRITE, key))
            e = cudaErrorMemoryAllocation;
#endif
        if (mapped >= HUGE_BYTES)
            madvise(p, mapped, MADV_HUGEPAGE); /* fewer misses of the TLB, where Linux allows it */
        a->kind = kind;
        a->pages = p;
        a->mapped = mapped;
        a->base = p + mapped - rounded;
        a->bytes = bytes;
        keep(a);
        trace_allocated(a->base, bytes, kind);
        used_bytes += mapped;
        *out = a->base;
    }
    cpu_device_unlock();
    if (e)
        free(a);
    return e;
}

cudaError_t cudaMalloc(void **p, size_t bytes) {
    CALLED();
    return cpu_device_return(allocate(p, bytes, MEMORY_DEVICE));
}
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
    CALLED();
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cpu_device_return(cudaErrorInvalidValue);
    cudaError_t e = allocate(p, bytes, MEMORY_MANAGED);
    if (!e)
        cpu_device_pages_new(*p, bytes);
    return cpu_device_return(e);
}

/* With the lock held. */
static void give_back(struct allocation *a) {
    /* Fresh pages without access: gives the memory back and forgets its contents. */
    mmap(a->pages, a->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
         -1, 0);
    used_bytes -= a->mapped;
    cpu_device_managed_forget(a->base);
    cpu_device_pages_forget(a->base);
    trace_freed(a->base);
    freed[freed_count++ % REMEMBERED] = *a;
    forget(a);
}

cudaError_t cpu_device_memory_release(void *p) {
    cpu_device_lock();
    struct allocation *a = allocation_of(p);
    int right = a && a->base == p && a->kind != MEMORY_PINNED;
    if (right)
        give_back(a);
    cpu_device_unlock();
    return right ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaFree(void *p) {
    cpu_device_start();
    CALLED();
    if (!p)
        return cpu_device_return(cudaSuccess);
    cudaError_t e = cpu_device_wait(); /* as CUDA: what still uses the memory ends first */
    if (!e && (e = cpu_device_memory_release(p)))
        trace_free_failed(p);
    return cpu_device_return(e);
}

void cpu_device_memory_reset(void) {
    cpu_device_lock();
    for (struct allocation *a = allocations, *next; a; a = next) {
        next = a->next;
        if (a->kind != MEMORY_PINNED)
            give_back(a);
    }
    cpu_device_unlock();
}

cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream) {
    CALLED();
    cudaError_t e = cpu_device_stream_check(stream);
    return cpu_device_return(e ? e : allocate(p, bytes, MEMORY_DEVICE));
}
struct free_data {
    void *p;
};
static void run_free(void *data) { cpu_device_memory_release(((struct free_data *)data)->p); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
    cpu_device_start();
    CALLED();
    if (cpu_device_memory_find(p).base != p || !p) {
        trace_free_failed(p);
        return cpu_device_return(cudaErrorInvalidValue);
    }
    struct free_data *d = malloc(sizeof *d);
    if (!d)
        return cpu_device_return(cudaErrorMemoryAllocation);
    d->p = p;
    return cpu_device_return(cpu_device_stream_enqueue(stream, run_free, d, 0));
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
    CALLED();
    if (!p || !pitch)
        return cpu_device_return(cudaErrorInvalidValue);
    *pitch = (width + 511) / 512 * 512;
    if (height && *pitch > SIZE_MAX / height)
        return cpu_device_return(cudaErrorMemoryAllocation);
    cudaError_t e = allocate(p, *pitch * height, MEMORY_DEVICE);
    if (!e)
        trace_pitched(*p, *pitch, width);
    return cpu_device_return(e);
}
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent) {
    if (!p)
        return cpu_device_return(cudaErrorInvalidValue);
    p->xsize = extent.width;
    p->ysize = extent.height;
    return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
    cpu_device_start();
    if (!free_bytes || !total)
        return cpu_device_return(cudaErrorInvalidValue);
    cpu_device_lock();
    *total = total_bytes;
    *free_bytes = total_bytes - used_bytes;
    cpu_device_unlock();
    return cpu_device_return(cudaSuccess);
}

/* ---- Pinned memory: host memory that kernels may use ------------------------------------- */

static cudaError_t pin(void *p, size_t bytes, unsigned flags) {
    trace_allocating();
    struct allocation *a = calloc(1, sizeof *a);
    if (!a)
        return cudaErrorMemoryAllocation;
    a->kind = MEMORY_PINNED;
    a->base = a->pages = p;
    a->bytes = a->mapped = bytes;
    a->flags = flags;
    cpu_device_lock();
    int taken = tfind(a, &tree, by_address) != NULL;
    if (!taken) {
        keep(a);
        trace_allocated(p, bytes, MEMORY_PINNED);
    }
    cpu_device_unlock();
    if (taken) {
        free(a);
        return cudaErrorHostMemoryAlreadyRegistered;
    }
    return cudaSuccess;
}
static cudaError_t unpin(void *p) {
    cpu_device_lock();
    struct allocation *a = allocation_of(p);
    int right = a && a->base == p && a->kind == MEMORY_PINNED;
    if (right) {
        trace_freed(p);
        forget(a);
    }
    cpu_device_unlock();
    return right ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
    cpu_device_start();
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (!p || flags & ~known)
        return cpu_device_return(cudaErrorInvalidValue);
    *p = NULL;
    if (!bytes)
        return cpu_device_return(cudaSuccess);
    if (bytes > total_bytes || posix_memalign(p, cpu_device.page, bytes))
        return cpu_device_return(cudaErrorMemoryAllocation);
    return cpu_device_return(pin(*p, bytes, flags));
}
cudaError_t cudaMallocHost(void **p, size_t bytes) {
    return cudaHostAlloc(p, bytes, cudaHostAllocDefault);
}
cudaError_t cudaFreeHost(void *p) {
    cpu_device_start();
    CALLED();
    if (!p)
        return cpu_device_return(cudaSuccess);
    cudaError_t e = cpu_device_wait();
    if (!e && (e = unpin(p)))
        trace_free_failed(p);
    if (!e)
        free(p);
    return cpu_device_return(e);
}
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
    cpu_device_start();
    (void)flags;
    if (!p || !bytes)
        return cpu_device_return(cudaErrorInvalidValue);
    if (cpu_device_memory_find(p).kind == MEMORY_PINNED)
        return cpu_device_return(cudaErrorHostMemoryAlreadyRegistered);
    if (cpu_device_memory_find(p).kind != MEMORY_HOST)
        return cpu_device_return(cudaErrorInvalidValue);
    return cpu_device_return(pin(p, bytes, cudaHostAllocDefault));
}
cudaError_t cudaHostUnregister(void *p) {
    cpu_device_start();
    CALLED();
    if (!p)
        return cpu_device_return(cudaErrorInvalidValue);
    cudaError_t e = cpu_device_wait();
    if (!e && (e = unpin(p)))
        trace_free_failed(p);
    return cpu_device_return(e == cudaErrorInvalidValue ? cudaErrorHostMemoryNotRegistered : e);
}
cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *p, unsigned flags) {
    cpu_device_start();
    if (!device_pointer || flags || cpu_device_memory_find(p).kind != MEMORY_PINNED)
        return cpu_device_return(cudaErrorInvalidValue);
    *device_pointer = p;
    return cpu_device_return(cudaSuccess);
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *p) {
    cpu_device_start();
    cpu_device_lock();
    const struct allocation *a = allocation_of(p);
    int right = flags && a && a->kind == MEMORY_PINNED;
    if (right)
        *flags = a->flags | cudaHostAllocMapped; /* always, as on a GPU */
    cpu_device_unlock();
    return cpu_device_return(right ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p) {
    cpu_device_start();
    if (!a)
        return cpu_device_return(cudaErrorInvalidValue);
    struct memory m = cpu_device_memory_find(p);
    memset(a, 0, sizeof *a);
    a->device = 0;
    a->hostPointer = on_device(m.kind) ? NULL : (void *)p;
    a->devicePointer = m.kind == MEMORY_HOST ? NULL : (void *)p;
    switch (m.kind) {
    case MEMORY_HOST:
        a->type = cudaMemoryTypeUnregistered;
        a->device = -2;
        break;
    case MEMORY_PINNED:
        a->type = cudaMemoryTypeHost;
        break;
    case MEMORY_MANAGED:
        a->type = cudaMemoryTypeManaged;
        break;
    default:
        a->type = cudaMemoryTypeDevice;
    }
    return cpu_device_return(cudaSuccess);
}

/* ---- Copies ------------------------------------------------------------------------------ */

/* One copy: `rows` rows of `slices` slices; a plain copy is one row. */
struct copy_data {
    char *to;
    const char *from;
    size_t bytes, rows, slices, to_pitch, from_pitch, to_slice, from_slice;
    struct trace_call call;
    /* the source follows here when it has been staged */
};
static void run_copy(void *data) {
    struct copy_data *c = data;
    for (size_t z = 0; z < c->slices; z++)
        for (size_t y = 0; y < c->rows; y++) {
            char *to = c->to + z * c->to_slice + y * c->to_pitch;
            const char *from = c->from + z * c->from_slice + y * c->from_pitch;
            memmove(to, from, c->bytes);
            trace_memory_read(c->call, to, from, c->bytes);
            trace_memory_written(to, from, c->bytes);
        }
    trace_copy_done(c);
}

/* From the first byte to the last; SIZE_MAX where that is too much to count. */
static size_t extent_of(size_t bytes, size_t rows, size_t pitch, size_t slices, size_t slice) {
    size_t to_row, to_slice, extent;
    if (!bytes || !rows || !slices)
        return 0;
    if (__builtin_mul_overflow(rows - 1, pitch, &to_row) ||
        __builtin_mul_overflow(slices - 1, slice, &to_slice) ||
        __builtin_add_overflow(to_row, to_slice, &extent) ||
        __builtin_add_overflow(extent, bytes, &extent))
        return SIZE_MAX;
    return extent;
}

/* Is [p, p + bytes), which a call reads or writes, inside one allocation? what: for the tracer. */
static int fits(struct memory m, const void *p, size_t bytes, const char *what) {
    int yes = m.kind == MEMORY_HOST
                  ? !within(p, range, range_end) /* else freed, or never allocated */
                  : bytes <= m.bytes - (size_t)((const char *)p - m.base);
    if (yes && m.kind != MEMORY_HOST && !within(p, range, range_end))
        yes = trace_variable_fits(p, bytes);
    if (!yes)
        trace_call_outside(what, p, bytes);
    return yes;
}
/* A copy "to the device" must not end in pageable host memory, nor one "from the device" start
 * there. Device memory passes everywhere, as on a GPU. */
static int kind_allows(enum cudaMemcpyKind kind, enum memory_kind to, enum memory_kind from) {
    int to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    int from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return !(to_device && to == MEMORY_HOST) && !(from_device && from == MEMORY_HOST);
}

static cudaError_t copy(struct copy_data shape, enum cudaMemcpyKind kind, cudaStream_t stream,
                        int async) {
    cpu_device_start();
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    size_t to_bytes =
        extent_of(shape.bytes, shape.rows, shape.to_pitch, shape.slices, shape.to_slice);
    size_t from_bytes =
        extent_of(shape.bytes, shape.rows, shape.from_pitch, shape.slices, shape.from_slice);
    if (!to_bytes)
        return cudaSuccess;
    if (!shape.to || !shape.from) {
        trace_call_wrong(shape.to ? "its source is a null pointer"
                                  : "its destination is a null pointer");
        return cudaErrorInvalidValue;
    }
    struct memory to = cpu_device_memory_find(shape.to), from = cpu_device_memory_find(shape.from);
    int to_fits = fits(to, shape.to, to_bytes, "destination");
    if (!fits(from, shape.from, from_bytes, "source") || !to_fits)
        return cudaErrorInvalidValue;
    if (!kind_allows(kind, to.kind, from.kind)) {
        trace_call_direction(kind, to.kind == MEMORY_HOST, from.kind == MEMORY_HOST);
        return cudaErrorInvalidValue;
    }
    if (to.kind == MEMORY_SYMBOL)
        trace_call_variable("destination", shape.to);
    if (from.kind == MEMORY_SYMBOL)
        trace_call_variable("source", shape.from);

    /* What CUDA promises about waiting: pageable memory is staged, so the host may reuse a small
     * source at once and otherwise waits; between device memory nobody waits for a plain copy. */
    int pageable = to.kind == MEMORY_HOST || from.kind == MEMORY_HOST;
    int staged = from.kind == MEMORY_HOST && to.kind != MEMORY_HOST && shape.rows == 1 &&
                 shape.slices == 1 && shape.bytes <= STAGED_BYTES;
    int wait = async ? pageable : !(on_device(to.kind) && on_device(from.kind));
    if (staged)
        wait = 0;
    struct copy_data *c = malloc(sizeof *c + (staged ? shape.bytes : 0));
    if (!c)
        return cudaErrorMemoryAllocation;
    *c = shape;
    c->call = trace_called();
    if (staged)
        c->from = memcpy(c + 1, shape.from, shape.bytes);
    if (!wait && shape.slices == 1)
        trace_copy_queued(c, (struct trace_copy){on_device(to.kind) ? NULL : shape.to,
                                                 on_device(from.kind) || staged ? NULL : shape.from,
                                                 shape.bytes, shape.rows, shape.to_pitch,
                                                 shape.from_pitch});
    cudaError_t e = cpu_device_stream_enqueue(stream, run_copy, c, wait);
    if (e)
        trace_copy_done(c);
    return e;
}

static struct copy_data line(void *to, const void *from, size_t bytes) {
    struct copy_data c = {.to = to, .from = from, .bytes = bytes, .rows = 1, .slices = 1};
    return c;
}
static struct copy_data rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height) {
    struct copy_data c = {.to = to,
                          .from = from,
                          .bytes = width,
                          .rows = height,
                          .slices = 1,
                          .to_pitch = to_pitch,
                          .from_pitch = from_pitch};
    return c;
}

static int pitch_is_short(size_t width, size_t to_pitch, size_t from_pitch) {
    int yes = width > to_pitch || width > from_pitch;
    if (yes)
        trace_call_wrong("its width is larger than a pitch, which is the bytes of a whole row");
    return yes;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    CALLED();
    return cpu_device_return(copy(line(to, from, bytes), kind, cpu_device_stream(0), 0));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    CALLED();
    return cpu_device_return(copy(line(to, from, bytes), kind, stream, 1));
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    CALLED();
    if (pitch_is_short(width, to_pitch, from_pitch))
        return cpu_device_return(cudaErrorInvalidPitchValue);
    return cpu_device_return(copy(rows(to, to_pitch, from, from_pitch, width, height), kind, 0, 0));
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    CALLED();
    if (pitch_is_short(width, to_pitch, from_pitch))
        return cpu_device_return(cudaErrorInvalidPitchValue);
    return cpu_device_return(
        copy(rows(to, to_pitch, from, from_pitch, width, height), kind, stream, 1));
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, int async) {
    if (!p || p->srcArray || p->dstArray)
        return cudaErrorInvalidValue;
    struct copy_data c;
    c.bytes = p->extent.width;
    c.rows = p->extent.height;
    c.slices = p->extent.depth;
    c.to_pitch = p->dstPtr.pitch;
    c.from_pitch = p->srcPtr.pitch;
    c.to_slice = p->dstPtr.pitch * p->dstPtr.ysize;
    c.from_slice = p->srcPtr.pitch * p->srcPtr.ysize;
    c.to =
        (char *)p->dstPtr.ptr + p->dstPos.x + p->dstPos.y * c.to_pitch + p->dstPos.z * c.to_slice;
    c.from = (const char *)p->srcPtr.ptr + p->srcPos.x + p->srcPos.y * c.from_pitch +
             p->srcPos.z * c.from_slice;
    if (pitch_is_short(c.bytes, c.to_pitch, c.from_pitch))
        return cudaErrorInvalidPitchValue;
    if (p->dstPos.x > c.to_pitch - c.bytes || p->srcPos.x > c.from_pitch - c.bytes) {
        trace_call_wrong("its rows, from their position on, run past the end of a pitch");
        return cudaErrorInvalidValue;
    }
    return copy(c, p->kind, stream, async);
}
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    CALLED();
    return cpu_device_return(copy_3d(p, 0, 0));
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    CALLED();
    return cpu_device_return(copy_3d(p, stream, 1));
}

/* ---- Symbols ----------------------------------------------------------------------------- */

static cudaError_t copy_symbol(const void *symbol, int to_symbol, void *other, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream,
                               int async) {
    char *p = (char *)symbol + offset;
    if (symbol_find(symbol).kind == MEMORY_HOST) {
        trace_call_wrong("its symbol is no variable of the device");
        return cudaErrorInvalidSymbol;
    }
    if (kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice) ||
        kind == cudaMemcpyHostToHost) {
        trace_call_wrong(to_symbol ? "its direction is not that of a copy to the device"
                                   : "its direction is not that of a copy from the device");
        return cudaErrorInvalidMemcpyDirection;
    }
    return copy(to_symbol ? line(p, other, bytes) : line(other, p, bytes), kind, stream, async);
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) {
    CALLED();
    return cpu_device_return(copy_symbol(symbol, 1, (void *)from, bytes, offset, kind, 0, 0));
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    CALLED();
    return cpu_device_return(copy_symbol(symbol, 1, (void *)from, bytes, offset, kind, stream, 1));
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind) {
    CALLED();
    return cpu_device_return(copy_symbol(symbol, 0, to, bytes, offset, kind, 0, 0));
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    CALLED();
    return cpu_device_return(copy_symbol(symbol, 0, to, bytes, offset, kind, stream, 1));
}
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol) {
    cpu_device_start();
    if (!p)
        return cpu_device_return(cudaErrorInvalidValue);
    if (symbol_find(symbol).kind == MEMORY_HOST)
        return cpu_device_return(cudaErrorInvalidSymbol);
    trace_asked_for(symbol);
    *p = (void *)symbol;
    return cpu_device_return(cudaSuccess);
}

/* ---- Memset ------------------------------------------------------------------------------ */

struct set_data {
    char *p;
    int value;
    size_t bytes, rows, slices, pitch, slice;
};
static void run_set(void *data) {
    struct set_data *s = data;
    for (size_t z = 0; z < s->slices; z++)
        for (size_t y = 0; y < s->rows; y++) {
            char *row = s->p + z * s->slice + y * s->pitch;
            memset(row, s->value, s->bytes);
            trace_memory_written(row, NULL, s->bytes);
        }
}
static cudaError_t set(struct set_data shape, cudaStream_t stream, int async) {
    cpu_device_start();
    size_t extent = extent_of(shape.bytes, shape.rows, shape.pitch, shape.slices, shape.slice);
    if (!extent)
        return cudaSuccess;
    if (shape.rows * shape.slices > 1 && pitch_is_short(shape.bytes, shape.pitch, shape.pitch))
        return cudaErrorInvalidValue;
    struct memory m = cpu_device_memory_find(shape.p);
    if (!fits(m, shape.p, extent, "memory"))
        return cudaErrorInvalidValue;
    if (m.kind == MEMORY_HOST) {
        trace_call_wrong(shape.p ? "its memory is the host's, where memset does it"
                                 : "its memory is a null pointer");
        return cudaErrorInvalidValue;
    }
    if (m.kind == MEMORY_SYMBOL)
        trace_call_variable("memory", shape.p);
    struct set_data *s = malloc(sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    *s = shape;
    int wait = !async && !on_device(m.kind); /* memory that the host reads, too */
    return cpu_device_stream_enqueue(stream, run_set, s, wait);
}
static struct set_data set_rows(void *p, size_t pitch, int value, size_t width, size_t height) {
    struct set_data s = {p, value, width, height, 1, pitch, 0};
    return s;
}
static struct set_data set_box(struct cudaPitchedPtr p, int value, struct cudaExtent e) {
    struct set_data s = {p.ptr, value, e.width, e.height, e.depth, p.pitch, p.pitch * p.ysize};
    return s;
}
cudaError_t cudaMemset(void *p, int value, size_t bytes) {
    CALLED();
    return cpu_device_return(set(set_rows(p, bytes, value, bytes, 1), 0, 0));
}
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream) {
    CALLED();
    return cpu_device_return(set(set_rows(p, bytes, value, bytes, 1), stream, 1));
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
    CALLED();
    return cpu_device_return(set(set_box(p, value, extent), 0, 0));
}
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                              cudaStream_t stream) {
    CALLED();
    return cpu_device_return(set(set_box(p, value, extent), stream, 1));
}
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
    CALLED();
    return cpu_device_return(set(set_rows(p, pitch, value, width, height), 0, 0));
}
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    CALLED();
    return cpu_device_return(set(set_rows(p, pitch, value, width, height), stream, 1));
}
