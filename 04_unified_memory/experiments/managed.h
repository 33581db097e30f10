// SPDX-License-Identifier: MIT
// What the programs of this chapter share: managed memory, the platform they run on, and prefetch
// and advice in one spelling for CUDA 11, 12 and 13.
#ifndef MANAGED_H
#define MANAGED_H

#include "../../common/experiment/variants.h"

// The article's arrays, 4 MiB each. This chapter is about pages that move, and 8 MiB of them are
// enough to see it: no program here ever asks for more than 1 GiB.
enum { ARTICLE_N = 1 << 20, MOST_BYTES = 1 << 30 };

// A whole number below 2^10: a hundred of them added to another are still exact in a float.
static inline __host__ __device__ float small_value(size_t i, unsigned salt) {
    return (float)((unsigned)fill_value(i, salt) % 1024);
}

// How many elements for `arrays` arrays. Unlike in other chapters the default is the same on every
// device: this one is not about caches.
static inline size_t managed_size(size_t standard, size_t arrays) {
    size_t size = run.size ? run.size : run.quick ? 10007 : standard, room, total;
    size_t bytes = arrays * size * sizeof(float);
    const char *why = standard == ARTICLE_N ? "the article's" : "default";
    if (bytes > MOST_BYTES) {
        CUDA_CHECK(cudaMemGetInfo(&room, &total));
        out_of_memory("too much managed memory: %zu bytes asked, %zu free, %d allowed here; try a "
                      "smaller --size\n",
                      bytes, room, MOST_BYTES);
    }
    say("Size: %zu element%s, %.1f MiB of managed memory (%s)", size, size == 1 ? "" : "s",
        (double)bytes / (1 << 20),
        run.size    ? "--size"
        : run.quick ? "--quick"
                    : why);
    return size;
}

// A row of an array of n floats.
static inline struct row row_of_floats(const char *variant, size_t n, const char *parameter) {
    struct row row = row_of(variant);
    row.dtype = "float";
    row.n = n;
    row.parameter = parameter;
    return row;
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

// Says which platform this is, and what there is to see on it; returns whether host and device may
// use managed memory at the same time. Without managed memory it ends the program.
static inline int platform_say(void) {
    int managed = attribute(cudaDevAttrManagedMemory);
    int concurrent = attribute(cudaDevAttrConcurrentManagedAccess);
    int host_tables = attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
    const char *expect = "pages move on demand (Linux, Pascal and later): expect a slow first run.";
    if (!managed)
        expect = "no managed memory: nothing of this chapter works here.";
    else if (!concurrent && run.on_cpu)
        expect = "told to be a device whose pages cannot move on demand: no prefetch, no advice,\n"
                 "and the host keeps off while a kernel runs.";
    else if (run.on_cpu)
        expect = "one memory, in which nothing moves: a model says which pages would.";
    else if (!concurrent && run.device.integrated)
        expect = "host and device share one memory (Jetson and related), but there are no page "
                 "faults:\nno prefetch, no advice, and the host keeps off while a kernel runs.";
    else if (!concurrent)
        expect = "all pages move at each launch (before Pascal, Windows, WSL2): no prefetch, no "
                 "advice,\nand the host keeps off while a kernel runs.";
    else if (host_tables)
        expect = "the device uses the host's page tables (Grace and related): kernels read memory "
                 "from\nmalloc without page faults; managed memory, says NVIDIA, moves by them.";
    else if (run.device.integrated)
        expect = "host and device share one memory: no link is in the way.";
    say("Platform: concurrentManagedAccess %d, pageableMemoryAccess %d, host page tables %d, "
        "integrated %d:\n%s",
        concurrent, attribute(cudaDevAttrPageableMemoryAccess), host_tables, run.device.integrated,
        expect);
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
