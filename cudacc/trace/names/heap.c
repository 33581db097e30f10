/*
 * heap.c: what malloc() and new give in kernels: blocks of one allocation, a gap behind each.
 * A thread runs ahead of what is looked at: what it frees stays until no
 * launch runs, so that what others did before is not blamed, and no other thread gets the same
 * bytes. For its own warp, whose order is known, it is gone once the free has been looked at.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/names/heap.h"
#include <sys/mman.h>

enum { GRANULE = 16, HEAP_BYTES = 512 << 20, GRANULES = HEAP_BYTES / GRANULE, SIZES = 32 };

/* Of each granule. Blocks of 2^n granules are used again, from a list for each n. */
static struct granule {
    uint32_t first; /* the first granule of its block, from 1; 0: in none */
    uint32_t bytes; /* of a first one: of the block */
    uint32_t next;  /* likewise, in a list */
    uint64_t gone;  /* FREED: for this warp */
    const void *pc; /* that gave it */
    enum { IN_USE, FREED, SETTLED } state;
} * granules;
static uint32_t used = 1, freed, again[SIZES];
static size_t in_use; /* bytes */
static struct trace_allocation heap = {.kind = MEMORY_DEVICE, .name = "malloc()", .bytes = 0};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reserve(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* With the lock held. */
static int begin(void) {
    if (heap.bytes)
        return 1;
    heap.base = reserve(HEAP_BYTES);
    granules = reserve((GRANULES + 1) * sizeof *granules);
    if (!heap.base || !granules)
        return 0;
    __atomic_store_n(&heap.bytes, HEAP_BYTES, __ATOMIC_RELEASE);
    return 1;
}

/* Granules for the bytes and a gap: 2^size. */
static unsigned size_of(size_t bytes) {
    size_t count = (bytes + GRANULE - 1) / GRANULE + 1;
    return (unsigned)(64 - __builtin_clzll(count - 1));
}

void *trace_heap_new(size_t bytes, const void *pc) {
    unsigned size = bytes && bytes < HEAP_BYTES / 2 ? size_of(bytes) : SIZES;
    uint32_t first = 0;
    atomic_store(&cpu_device.heap_used, 1);
    WITH_LOCK(lock);
    if (size < SIZES && in_use + bytes <= atomic_load(&cpu_device.heap_bytes) && begin()) {
        if (again[size]) {
            first = again[size];
            again[size] = granules[first].next;
        } else if (GRANULES - used >= 1u << size) {
            first = used;
            used += 1u << size;
        }
    }
    if (first) {
        in_use += bytes;
        uint32_t end = first + (uint32_t)((bytes + GRANULE - 1) / GRANULE);
        granules[first].bytes = (uint32_t)bytes;
        granules[first].state = IN_USE;
        granules[first].pc = pc;
        granules[first].gone = 0;
        for (uint32_t i = first; i < first + (1u << size); i++)
            granules[i].first = i < end ? first : 0;
    }
    return first ? (char *)heap.base + (size_t)(first - 1) * GRANULE : NULL;
}

struct trace_allocation *trace_heap_of(const void *p) {
    size_t bytes = __atomic_load_n(&heap.bytes, __ATOMIC_ACQUIRE);
    return bytes && (size_t)((const char *)p - heap.base) < bytes ? &heap : NULL;
}

/* The granule at p, which is in the heap. */
static struct granule *granule_at(const void *p) {
    return &granules[(size_t)((const char *)p - heap.base) / GRANULE + 1];
}
static const char *address_of(uint32_t first) { return heap.base + (size_t)(first - 1) * GRANULE; }

int trace_heap_free(const void *p) {
    WITH_LOCK(lock);
    uint32_t first = trace_heap_of(p) ? granule_at(p)->first : 0;
    if (!first || address_of(first) != p || granules[first].state != IN_USE)
        return 0;
    in_use -= granules[first].bytes;
    granules[first].state = FREED;
    granules[first].next = freed;
    freed = first;
    return 1;
}

void trace_heap_settle(void (*forget)(struct trace_allocation *heap, const char *p, size_t n)) {
    WITH_LOCK(lock);
    for (uint32_t next; freed; freed = next) {
        struct granule *g = &granules[freed];
        unsigned size = size_of(g->bytes);
        next = g->next;
        forget(&heap, address_of(freed), g->bytes);
        g->state = SETTLED;
        g->next = again[size];
        again[size] = freed;
    }
}

void trace_heap_gone(const void *p, uint64_t warp) {
    __atomic_store_n(&granule_at(p)->gone, warp, __ATOMIC_RELAXED);
}

int trace_heap_holds(const void *p, size_t bytes, uint64_t warp) {
    uint32_t first = granule_at(p)->first;
    if (!first || (const char *)p + bytes > address_of(first) + granules[first].bytes)
        return 0;
    return granules[first].state == SETTLED ||
                   __atomic_load_n(&granules[first].gone, __ATOMIC_RELAXED) == warp
               ? -1
               : 1;
}

void trace_heap_each(void (*visit)(const void *pc, size_t bytes)) {
    for (uint32_t i = 1; i < used; i++)
        if (granules[i].first == i && granules[i].state == IN_USE)
            visit(granules[i].pc, granules[i].bytes);
}

const char *trace_past(char text[32], size_t bytes) {
    if (bytes == 0)
        return "just past";
    snprintf(text, 32, "%zu bytes past", bytes);
    return text;
}

void trace_heap_place(char *text, size_t size, const void *p) {
    const struct granule *g = granule_at(p), *lowest = granules + 1;
    while (g > lowest && !g->first)
        g--;
    if (!g->first) {
        snprintf(text, size, "memory that malloc() has not given");
        return;
    }
    const struct granule *block = &granules[g->first];
    size_t offset = (size_t)((const char *)p - address_of(g->first));
    char past[32];
    if (offset < block->bytes)
        snprintf(text, size, "byte %zu of %u from malloc()%s", offset, block->bytes,
                 block->state != IN_USE ? ", which have been freed" : "");
    else
        snprintf(text, size, "%s the end of %u bytes from malloc()",
                 trace_past(past, offset - block->bytes), block->bytes);
}
