// SPDX-License-Identifier: MIT
// What the programs of this chapter share: managed memory, the platform they run on, and prefetch
// and advice in one spelling for CUDA 11, 12 and 13.
#ifndef MANAGED_H
#define MANAGED_H

#include "../../common/variants.h"

// The article's arrays, 4 MiB each. This chapter is about pages that move, and 8 MiB of them are
// enough to see it: no program here ever asks for more than 1 GiB.
enum { ARTICLE_N = 1 << 20, MOST_BYTES = 1 << 30 };

// A whole number below 2^10: a hundred of them added to another are still exact in a float.
VERIFY_FUNCTION float small_value(size_t i, unsigned salt) {
    return (float)((unsigned)fill_value(i, salt) % 1024);
}

// How many elements for two arrays. Unlike in other chapters the default is the article's on every
// device: this one is not about caches.
static inline size_t managed_size(void) {
    size_t size = run.size ? run.size : run.quick ? 10007 : ARTICLE_N, room, total;
    size_t bytes = 2 * size * sizeof(float);
    if (bytes > MOST_BYTES) {
        CUDA_CHECK(cudaMemGetInfo(&room, &total));
        out_of_memory("too much managed memory: %zu bytes asked, %zu free, %d allowed here; try a "
                      "smaller --size\n",
                      bytes, room, MOST_BYTES);
    }
    say("Size: %zu elements, %.1f MiB of managed memory (%s)", size, (double)bytes / (1 << 20),
        run.size    ? "--size"
        : run.quick ? "--quick"
                    : "the article's");
    return size;
}

static inline float *managed_malloc(size_t n) {
    void *p;
    CUDA_CHECK(cudaMallocManaged(&p, (n ? n : 1) * sizeof(float), cudaMemAttachGlobal));
    return (float *)p;
}

// y and x: out and a of a variant, in managed memory.
static inline struct arrays managed_arrays(size_t n) {
    struct arrays x;
    memset(&x, 0, sizeof x);
    x.n = n;
    x.d_a = managed_malloc(n);
    x.d_out = managed_malloc(n);
    return x;
}

static inline void managed_arrays_free(struct arrays *x) {
    CUDA_CHECK(cudaFree(x->d_a));
    CUDA_CHECK(cudaFree(x->d_out));
}

// ---- Platform ----------------------------------------------------------------------------------
static inline int attribute(enum cudaDeviceAttr name) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, name, (int)run.device_number));
    return value;
}

// What to expect where host and device may use managed memory at the same time, so that pages move
// on demand. With host_tables the device goes through the host's page tables: nothing has to move.
static inline const char *concurrent_platform(int host_tables) {
    if (run.on_cpu)
        return "one memory, in which nothing moves; page_traffic counts by a model what would.";
    if (host_tables)
        return "the device uses the host's page tables (Grace and related): coherent,\n"
               "expect few page faults or none, and a first run that differs little.";
    if (run.device.integrated)
        return "an integrated device: one memory, so no link is in the way.";
    return "pages move on demand (Linux, Pascal and later): expect a slow first run.";
}

// And where they may not.
static inline const char *older_platform(void) {
    if (run.on_cpu)
        return "told to be a device whose pages cannot move on demand: no prefetch, no advice,\n"
               "and the host keeps off while a kernel runs.";
    if (run.device.integrated)
        return "an integrated device (Jetson and related): one memory, so no link is in the way,\n"
               "but no page faults: no prefetch, no advice, and the host keeps off while a kernel "
               "runs.";
    if (run.device.major < 6)
        return "a GPU before Pascal: all pages move at each launch, before the kernel.";
    return "no concurrent access (Windows, WSL2): as before Pascal, all pages move at each\n"
           "launch; no prefetch, no advice, and the host keeps off while a kernel runs.";
}

// Says which platform this is, and what there is to see on it; returns whether host and device may
// use managed memory at the same time. Without managed memory it ends the program.
static inline int platform_say(void) {
    int managed = attribute(cudaDevAttrManagedMemory);
    int concurrent = attribute(cudaDevAttrConcurrentManagedAccess);
    int host_tables = attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
    say("Platform: concurrentManagedAccess %d, pageableMemoryAccess %d, host page tables %d, "
        "integrated %d:\n%s",
        concurrent, attribute(cudaDevAttrPageableMemoryAccess), host_tables, run.device.integrated,
        !managed     ? "no managed memory: nothing of this chapter works here."
        : concurrent ? concurrent_platform(host_tables)
                     : older_platform());
    if (!managed)
        exit(77);
    return concurrent;
}

// ---- Prefetch and advice -----------------------------------------------------------------------
// CUDA 13 wants a struct where CUDA 8 to 12 have a number; -1, cudaCpuDeviceId, is the host.
#if CUDART_VERSION >= 13000
static inline struct cudaMemLocation place(int device) {
    struct cudaMemLocation location;
    memset(&location, 0, sizeof location);
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}

static inline cudaError_t prefetch(const void *p, size_t bytes, int device) {
    return cudaMemPrefetchAsync(p, bytes, place(device), 0, 0);
}
#else
static inline int place(int device) { return device; }

static inline cudaError_t prefetch(const void *p, size_t bytes, int device) {
    return cudaMemPrefetchAsync(p, bytes, device, 0);
}
#endif

static inline cudaError_t advise(const void *p, size_t bytes, enum cudaMemoryAdvise advice,
                                 int device) {
    return cudaMemAdvise(p, bytes, advice, place(device));
}

#endif
