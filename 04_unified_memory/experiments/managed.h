// SPDX-License-Identifier: MIT
// What the programs of this chapter share: managed memory, the platform they run on, and prefetch
// and advice in one spelling for CUDA 11, 12 and 13.
#ifndef MANAGED_H
#define MANAGED_H

#include "../../common/program.h"

// The article's arrays, 4 MiB each. This chapter is about pages that move, and 8 MiB of them are
// enough to see it: no program here ever asks for more than 1 GiB.
enum { ARTICLE_N = 1 << 20, MOST_BYTES = 1 << 30 };

// A whole number below 2^10: a hundred of them added to another are still exact in a float.
VERIFY_FUNCTION float small_value(size_t i, unsigned salt) {
    return (float)((unsigned)fill_value(i, salt) % 1024);
}

// How many elements for two arrays. Unlike in other chapters the default is the article's on every
// device: it is not the caches that this one is about.
static inline size_t managed_size(const struct run *run) {
    const size_t bytes_each = 2 * sizeof(float);
    size_t size = run->quick ? 10007 : ARTICLE_N, room, total;
    const char *why = run->size ? "--size" : run->quick ? "--quick" : "the article's";
    if (run->size)
        size = run->size;
    if (size > SIZE_MAX / 16 / bytes_each)
        usage_error(run->program, "--size %zu: no memory is that large", size);
    if (size > MOST_BYTES / bytes_each) {
        CUDA_CHECK(cudaMemGetInfo(&room, &total));
        out_of_memory("too much managed memory: %zu bytes asked, %zu free, %d allowed here; try a "
                      "smaller --size\n",
                      size * bytes_each, room, MOST_BYTES);
    }
    run_say(run, "Size: %zu elements, %.1f MiB of managed memory (%s)", size,
            (double)(size * bytes_each) / (1 << 20), why);
    return size;
}

static inline float *managed_malloc(size_t n) {
    void *p;
    CUDA_CHECK(cudaMallocManaged(&p, (n ? n : 1) * sizeof(float), cudaMemAttachGlobal));
    return (float *)p;
}

// ---- Platform ----------------------------------------------------------------------------------
struct platform {
    int managed;     // there is managed memory at all
    int concurrent;  // host and device may use it at the same time: pages move on demand
    int pageable;    // the device may use memory from malloc, too
    int host_tables; // ...through the host's own page tables: nothing has to move
    int integrated;  // the device has no memory of its own
};

static inline int attribute_of(int device, enum cudaDeviceAttr attribute) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
}

static inline struct platform platform_of(const struct run *run) {
    int device = (int)run->device_number;
    struct platform platform = {
        attribute_of(device, cudaDevAttrManagedMemory),
        attribute_of(device, cudaDevAttrConcurrentManagedAccess),
        attribute_of(device, cudaDevAttrPageableMemoryAccess),
        attribute_of(device, cudaDevAttrPageableMemoryAccessUsesHostPageTables),
        attribute_of(device, cudaDevAttrIntegrated),
    };
    return platform;
}

// Says which platform this is, and what there is to see on it.
static inline struct platform platform_say(const struct run *run) {
    struct platform p = platform_of(run);
    const char *what =
        !p.managed ? "no managed memory: nothing of this chapter works here."
        : run->on_cpu
            ? (p.concurrent ? "one memory, in which nothing moves; page_traffic counts by a model "
                              "what would."
                            : "told to be a device whose pages cannot move on demand: no prefetch, "
                              "no advice,\nand the host keeps off while a kernel runs.")
        : p.host_tables ? "the device uses the host's page tables (Grace and the like): coherent,\n"
                          "expect few page faults or none, and a first run that differs little."
        : p.integrated
            ? (p.concurrent
                   ? "an integrated device: one memory, so no link is in the way."
                   : "an integrated device (Jetson and the like): one memory, so no link is "
                     "in the way,\nbut no page faults: no prefetch, no advice, and the "
                     "host keeps off while a kernel runs.")
        : p.concurrent ? "pages move on demand (Linux, Pascal and later): expect a slow first run."
        : run->device.major < 6
            ? "a GPU before Pascal: all pages move at each launch, before the kernel."
            : "no concurrent access (Windows, WSL2): as before Pascal, all pages move at each\n"
              "launch; no prefetch, no advice, and the host keeps off while a kernel runs.";
    run_say(run,
            "Platform: concurrentManagedAccess %d, pageableMemoryAccess %d, host page tables %d, "
            "integrated %d:\n%s",
            p.concurrent, p.pageable, p.host_tables, p.integrated, what);
    if (!p.managed)
        exit(77);
    return p;
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
