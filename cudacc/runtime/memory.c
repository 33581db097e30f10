/*
 * memory.c: device, managed and pinned memory: what is allocated, and which of it an address is in.
 *
 * All device memory comes from one reserved range of addresses, so that "is it device memory" is
 * one comparison. Each allocation has pages of its own, with pages that fault on both sides, and
 * ends where its last page ends: running more than 255 bytes past it faults. It is reported once
 * and continues, up to 2 MiB past the end: a GPU's pages are as large, and it notices nothing
 * there. Freed addresses are not used again until the range is used up, so a stale pointer faults
 * too. Where the processor has protection keys (x86-64 "pku"), host code that touches device
 * memory faults as well: only the device's own threads hold the key.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/runtime.h"
#include "runtime/observer.h"
#include <sched.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { GRANULE = 256, REMEMBERED = 64, GUARDED = 8192, HUGE_BYTES = 4 << 20, SLACK = 2 << 20 };
enum { LEAST_RANGE = 64 << 20 };

struct allocation {
    enum memory_kind kind;
    char *base, *pages;           /* what the program got; the first page behind it */
    size_t bytes, mapped, opened; /* opened: behind its pages, for kernels that run past it */
    unsigned flags;               /* pinned memory: as asked for */
    int is_registered;            /* pinned memory: the program's own */
    void *note;                   /* the API's own; freed with it */
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

static int within(const void *p, const char *from, const char *to) {
    return from && (const char *)p >= from && (const char *)p < to;
}

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

/* The one in use that ends less than SLACK bytes before p. */
static struct allocation *in_front_of(const char *p) {
    struct allocation *a = near_by(p - SLACK / 2, SLACK / 2);
    return a && p >= a->base + a->bytes ? a : NULL;
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

static int protect(char *p, size_t bytes, enum memory_kind kind) {
    int wrong = mprotect(p, bytes, PROT_READ | PROT_WRITE);
    if (!wrong && key >= 0 && kind == MEMORY_DEVICE)
        wrong = pkey_mprotect(p, bytes, PROT_READ | PROT_WRITE, key);
    return wrong;
}

struct memory cpu_device_memory_find(const void *p) {
    struct memory m = cpu_device_variables_find(p);
    if (m.kind != MEMORY_HOST)
        return m;
    WITH_LOCK(cpu_device.lock);
    struct allocation *a = allocation_of(p);
    if (a)
        m = (struct memory){a->kind, a->base, a->bytes, a->is_registered};
    return m;
}

int cpu_device_memory_pinned_flags(const void *p, unsigned *flags) {
    WITH_LOCK(cpu_device.lock);
    const struct allocation *a = allocation_of(p);
    int pinned = a && a->kind == MEMORY_PINNED;
    if (pinned)
        *flags = a->flags;
    return pinned;
}

void **cpu_device_memory_note(const void *base) {
    static void *of_variables;
    struct allocation *a = allocation_of(base);
    return a ? &a->note : &of_variables;
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
        near = in_front_of(p);
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

/* Other threads may allocate; the one that faulted may be in here itself, so no long wait. */
static int lock_after_fault(void) {
    for (int tries = 0; pthread_mutex_trylock(&cpu_device.lock); tries++) {
        if (tries == 10000)
            return 0;
        sched_yield();
    }
    return 1;
}

void cpu_device_memory_describe(const void *address, char *text, size_t size) {
    if (size)
        text[0] = 0;
    if (!within(address, range, range_end)) {
        if ((size_t)address < cpu_device.page)
            snprintf(text, size, "a null pointer");
        return;
    }
    if (!lock_after_fault()) {
        snprintf(text, size, "device memory");
        return;
    }
    describe(address, text, size);
    cpu_device_unlock();
}

int cpu_device_memory_open_past(const void *address, char *text, size_t size) {
    text[0] = 0;
    if (!within(address, range, range_end) || !lock_after_fault())
        return 0;
    struct allocation *a = in_front_of(address);
    char *end = a ? a->pages + a->mapped : NULL;
    if (a && !a->opened && !near_by(end + SLACK / 2, SLACK / 2 - 1) &&
        !protect(end, SLACK, a->kind)) {
        describe(address, text, size);
        a->opened = SLACK;
    }
    int is_open = a && within(address, end, end + a->opened);
    cpu_device_unlock();
    return is_open;
}

const char *cpu_device_memory_faulting(unsigned n, const void *p) {
    return fault_window ? fault_window + fault_bytes / 16 * (n + 4) + ((size_t)p & (GRANULE - 1))
                        : NULL;
}

void cpu_device_memory_allow(int allow) {
    cpu_device_pages_thread(allow);
    if (key >= 0)
        pkey_set(key, allow ? 0 : PKEY_DISABLE_ACCESS);
}

/* ---- How much ---------------------------------------------------------------------------- */

size_t cpu_device_memory_total(void) { return total_bytes; }

size_t cpu_device_memory_free(void) {
    WITH_LOCK(cpu_device.lock);
    return total_bytes - used_bytes;
}

static void lower(size_t *least, const char *path) {
    unsigned long long limit = 0;
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%llu", &limit) == 1 && limit && limit < *least) /* it may be "max" */
        *least = (size_t)limit;
    if (f)
        fclose(f);
}

/* Memory of the machine, or of the control group, in bytes. */
static size_t memory_of_process(void) {
    char line[1024], path[1200];
    size_t least = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    lower(&least, "/sys/fs/cgroup/memory.max");
    lower(&least, "/sys/fs/cgroup/memory/memory.limit_in_bytes");
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *group = strchr(line, ':');
        group = group ? strchr(group + 1, ':') : NULL;
        if (!group)
            continue;
        for (char *slash; *++group && (slash = strrchr(group, '/')); *slash = 0) {
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
            lower(&least, path);
        }
    }
    if (f)
        fclose(f);
    return least;
}

void cpu_device_memory_start(void) {
    struct rlimit r;
    size_t bytes = (size_t)1 << 40;
    /* As much address space as we are given: 1 TiB, halved down to 64 MiB. Where it is limited, the
     * program, its threads and the tracer need the other half. */
    while (!getrlimit(RLIMIT_AS, &r) && bytes > r.rlim_cur / 2)
        bytes /= 2;
    for (; bytes >= LEAST_RANGE; bytes /= 2) {
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
        fprintf(stderr, "CPU device: no %d MiB of address space to reserve (ulimit -v?)\n",
                LEAST_RANGE >> 20);
        exit(3);
    }
    total_bytes = memory_of_process() / 2;
    if (total_bytes > (size_t)(range_end - range) / 2) /* there are gaps, too */
        total_bytes = (size_t)(range_end - range) / 2;
    total_bytes = total_bytes / (1 << 20) * (1 << 20);
    if (!getenv("CPU_DEVICE_NO_KEYS"))
        key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
    cpu_device_pages_begin(key, range, (size_t)(range_end - range));
    cpu_device_variables_keep();
}

/* ---- Device and managed memory ----------------------------------------------------------- */

/* A place for `mapped` bytes with pages to spare on either side; with the lock held. */
static char *place(size_t mapped) {
    /* Each guard takes a mapping, of which Linux allows a process 65530. */
    size_t guard = live < GUARDED ? SLACK + cpu_device.page : 0;
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
            if (a->kind != MEMORY_PINNED &&
                p < a->pages + a->mapped + a->opened + cpu_device.page &&
                a->pages < p + mapped + cpu_device.page)
                p = a->pages + a->mapped + a->opened + cpu_device.page, moved = 1;
    }
    return (size_t)(range_end - p) >= mapped + cpu_device.page && p < range_end ? p : NULL;
}

cudaError_t cpu_device_memory_new(void **out, size_t bytes, enum memory_kind kind) {
    if (!bytes) {
        *out = NULL;
        return cudaSuccess;
    }
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
    if (p && !protect(p, mapped, kind)) {
        e = cudaSuccess;
        if (mapped >= HUGE_BYTES)
            madvise(p, mapped, MADV_HUGEPAGE); /* fewer misses of the TLB, where Linux allows it */
        a->kind = kind;
        a->pages = p;
        a->mapped = mapped;
        a->base = p + mapped - rounded;
        a->bytes = bytes;
        keep(a);
        OBSERVE(allocated, a->base, bytes, kind);
        used_bytes += mapped;
        *out = a->base;
    }
    cpu_device_unlock();
    if (e)
        free(a);
    return e;
}

/* With the lock held. */
static void give_back(struct allocation *a) {
    /* Fresh pages without access: gives the memory back and forgets its contents. */
    mmap(a->pages, a->mapped + a->opened, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    used_bytes -= a->mapped;
    free(a->note);
    cpu_device_pages_forget(a->base);
    OBSERVE(freed, a->base);
    freed[freed_count++ % REMEMBERED] = *a;
    forget(a);
}

cudaError_t cpu_device_memory_release(void *p) {
    WITH_LOCK(cpu_device.lock);
    struct allocation *a = allocation_of(p);
    int right = a && a->base == p && a->kind != MEMORY_PINNED;
    if (right)
        give_back(a);
    return right ? cudaSuccess : cudaErrorInvalidValue;
}

/* The same of pinned memory. */
static void unpin(struct allocation *a) {
    OBSERVE(freed, a->base);
    if (!a->is_registered)
        munmap(a->pages, a->mapped);
    forget(a);
}

void cpu_device_memory_reset(void) {
    WITH_LOCK(cpu_device.lock);
    LIST_EACH (allocations, a)
        (a->kind == MEMORY_PINNED ? unpin : give_back)(a);
    cpu_device_variables_reset();
}

/* ---- Pinned memory: host memory that kernels may use ------------------------------------- */

static cudaError_t pin(char *pages, size_t mapped, struct allocation pinned) {
    OBSERVE(allocating);
    struct allocation *a = malloc(sizeof *a);
    if (!a)
        return cudaErrorMemoryAllocation;
    *a = pinned;
    a->kind = MEMORY_PINNED;
    a->pages = pages;
    a->mapped = mapped;
    WITH_LOCK(cpu_device.lock);
    if (tfind(a, &tree, by_address)) {
        free(a);
        return cudaErrorHostMemoryAlreadyRegistered;
    }
    keep(a);
    OBSERVE(allocated, a->base, a->bytes, MEMORY_PINNED);
    return cudaSuccess;
}
cudaError_t cpu_device_memory_register(void *p, size_t bytes) {
    return pin(p, bytes, (struct allocation){.base = p, .bytes = bytes, .is_registered = 1});
}

/* Behind a page of zeros, in which free() finds no block of malloc()'s: like a GPU's driver's, this
 * memory is not for free(), which ends the program. */
cudaError_t cpu_device_memory_new_pinned(void **out, size_t bytes, unsigned flags) {
    size_t mapped = cpu_device.page + bytes;
    char *p = MAP_FAILED;
    if (bytes <= total_bytes)
        p = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    *out = p + cpu_device.page;
    cudaError_t e =
        pin(p, mapped, (struct allocation){.base = *out, .bytes = bytes, .flags = flags});
    if (e)
        munmap(p, mapped);
    return e;
}

cudaError_t cpu_device_memory_unpin(void *p, int is_registered) {
    WITH_LOCK(cpu_device.lock);
    struct allocation *a = allocation_of(p);
    if (!a || a->base != p || a->kind != MEMORY_PINNED || a->is_registered != is_registered)
        return cudaErrorInvalidValue;
    unpin(a);
    return cudaSuccess;
}
