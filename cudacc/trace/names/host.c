/*
 * host.c: memory that host code of the program has from malloc(), new and related functions, for
 * the calls that copy from and to it.
 * Not all calls that give and free memory can be seen: libraries have theirs.
 * So a block counts only while the C library says the same of its size, and freed memory goes back
 * to the C library late: as long as it is here, no one else has it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/names/host.h"
#include "runtime/runtime.h"
#include "trace/names/alloc.h"
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCKS = 4096, KEPT = 64, KEPT_BYTES = 256 << 20, RETURNED_BYTES = 1 << 20 };

static struct trace_host_block block[BLOCKS]; /* by address; more are not followed */
static unsigned count;
static void *kept[KEPT]; /* freed ones: a ring */
static unsigned kept_first, kept_count;
static size_t kept_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The index of the first one whose base lies above p. */
static unsigned above(const char *p) { return (unsigned)TRACE_FIRST(count, i, block[i].base > p); }

static void drop(unsigned i) { memmove(block + i, block + i + 1, (--count - i) * sizeof *block); }

/* Those in the way have been freed by somebody else. */
static void forget(const char *base, size_t bytes) {
    unsigned i = above(base + bytes - 1);
    while (i && block[i - 1].base + block[i - 1].bytes > base)
        drop(--i);
}

void *trace_host_given(void *p, size_t bytes, const void *pc) {
    if (!p || !bytes)
        return p;
    WITH_LOCK(lock);
    forget(p, bytes);
    if (count < BLOCKS) {
        unsigned i = above(p);
        memmove(block + i + 1, block + i, (count++ - i) * sizeof *block);
        block[i] = (struct trace_host_block){p, bytes, malloc_usable_size(p), pc, 0};
    }
    return p;
}

static struct trace_host_block *holding(const char *p) {
    unsigned i = above(p);
    return i && (size_t)(p - block[i - 1].base) < block[i - 1].bytes ? &block[i - 1] : NULL;
}

static void release_oldest(void) {
    void *p = kept[kept_first];
    struct trace_host_block *b = holding(p);
    if (b && b->base == p) {
        kept_bytes -= b->bytes;
        drop((unsigned)(b - block));
    }
    kept_first = (kept_first + 1) % KEPT;
    kept_count--;
    free(p);
}

/* The device, which knows it too, need not have been started. */
static uintptr_t page(void) { return (uintptr_t)sysconf(_SC_PAGESIZE); }

/* Its pages go back to the system at once, but for the first and the last one. */
static void give_pages_back(const struct trace_host_block *b) {
    uintptr_t from = ((uintptr_t)b->base / page() + 1) * page();
    uintptr_t to = ((uintptr_t)b->base + b->bytes) / page() * page();
    madvise((void *)from, to - from, MADV_DONTNEED);
}

int trace_host_freed(void *p) {
    WITH_LOCK(lock);
    struct trace_host_block *b = p ? holding(p) : NULL;
    if (!b || b->base != p || b->freed)
        return 0;
    if (b->bytes > KEPT_BYTES) {
        drop((unsigned)(b - block));
        return 0;
    }
    while (kept_count && (kept_count == KEPT || kept_bytes + b->bytes > KEPT_BYTES)) {
        release_oldest();
        b = holding(p); /* it may have moved */
    }
    b->freed = 1;
    kept_bytes += b->bytes;
    kept[(kept_first + kept_count++) % KEPT] = p;
    if (b->bytes > RETURNED_BYTES)
        give_pages_back(b);
    return 1;
}

static int is_mapped(const char *p) {
    unsigned char in_core;
    return !mincore((void *)((uintptr_t)p / page() * page()), 1, &in_core);
}

int trace_host_find(const void *p, struct trace_host_block *found) {
    WITH_LOCK(lock);
    const struct trace_host_block *b = holding(p);
    int known = b && is_mapped(b->base - 1) && malloc_usable_size((void *)b->base) == b->usable;
    if (known)
        *found = *b;
    return known;
}

/* ---- Variables --------------------------------------------------------------------------- */

static __thread struct {
    const void *p;
    size_t bytes;
} variable[2];

EXPORTED void cpu_device_host_variables(const void *to, size_t to_bytes, const void *from,
                                        size_t from_bytes) {
    variable[0].p = to, variable[0].bytes = to_bytes;
    variable[1].p = from, variable[1].bytes = from_bytes;
}

size_t trace_host_variable(const void *p) {
    for (int i = 0; i < 2; i++)
        if (variable[i].p == p)
            return variable[i].bytes;
    return SIZE_MAX;
}

size_t trace_host_source(const void *to) {
    struct trace_host_block b;
    const char *from = variable[1].p;
    if (variable[0].p != to)
        return SIZE_MAX;
    return trace_host_find(from, &b) ? b.bytes - (size_t)(from - b.base) : variable[1].bytes;
}
