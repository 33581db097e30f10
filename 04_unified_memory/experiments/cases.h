// SPDX-License-Identifier: MIT
// The article's program and its variants: what happens to two arrays before a kernel adds them.
// unified_memory times the cases (on the CPU device it counts their pages), page_traffic counts the
// pages that move in them, reuse runs them more than once.
#ifndef CASES_H
#define CASES_H

#include "add.h"

enum { RUNS = 100, BLOCK = 256 }; // as in the article: y ends as y + 100 * x

// ---- Kernel ------------------------------------------------------------------------------------
// Touches the pages first, so that they never exist on the host. Expect it to take the page faults.
static __global__ void init(float *out, unsigned salt, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)blockDim.x * gridDim.x;
    for (size_t i = first; i < n; i += step)
        out[i] = small_value(i, salt);
}

static inline void launch_init(const struct arrays *x, unsigned block, size_t salt) {
    init<<<blocks(x->n, block), block>>>(x->d_out, (unsigned)salt, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static inline void init_reference(float *out, const float *, const float *, size_t n, size_t salt) {
    for (size_t i = 0; i < n; i++)
        out[i] = small_value(i, (unsigned)salt);
}

enum { X_SALT = 1, Y_SALT = 3, VARIANTS = 2 };
static const struct variant variants[VARIANTS] = {
    {"add", launch_add, add_reference, BLOCK, 0, 12, 1, 1, "as fast as its pages are near"},
    {"init", launch_init, init_reference, BLOCK, X_SALT, 4, 0, 0, "slow where pages do not exist"},
};

// ---- Cases -------------------------------------------------------------------------------------
// Each starts from fresh arrays, and needs an attribute of the device, or 0.
enum { HOST_INIT, DEVICE_INIT, MANY, PREFETCH, TO_DEVICE, TO_HOST, REREAD, MOSTLY, MANAGED_CASES };
enum { COPY = MANAGED_CASES, ZERO_COPY, MALLOC, PINNED_COPY, CASES }; // none managed

static const struct {
    const char *name;
    enum memory memory;
    int adds, needs;
} cases[CASES] = {
    {"set on the host", MANAGED, 1, 0},
    {"set on the device", MANAGED, 1, 0},
    {"100 runs", MANAGED, RUNS, 0},
    {"prefetched", MANAGED, 1, cudaDevAttrConcurrentManagedAccess},
    {"preferred location: device", MANAGED, 1, cudaDevAttrConcurrentManagedAccess},
    {"preferred location: host", MANAGED, 1, cudaDevAttrConcurrentManagedAccess},
    {"host reads x in between", MANAGED, 2, 0},
    {"host reads read-mostly x", MANAGED, 2, cudaDevAttrConcurrentManagedAccess},
    {"explicit copies", DEVICE, 1, 0},
    {"mapped host memory", MAPPED, 1, cudaDevAttrCanMapHostMemory},
    {"memory from malloc", PAGEABLE, 2, cudaDevAttrPageableMemoryAccess},
    {"copies from pinned memory", DEVICE_PINNED, 1, 0},
};

static inline int is_copied(int number) { return number == COPY || number == PINNED_COPY; }

// Can this device not do what a case needs?
static inline int is_skipped(int number) {
    return cases[number].needs && !attribute((enum cudaDeviceAttr)cases[number].needs);
}

// The events: before what the device does ahead of the adds, before each add, after the last, and
// after the copy back.
struct bench {
    size_t n;
    float *h_x, *h_y, *h_expected;
    cudaEvent_t event[RUNS + 3];
    double calls_ms;           // how long the host was in the calls ahead of the adds
    void (*passed)(int event); // NULL, or what is called where an event is recorded
};

static inline struct bench bench_create(size_t n) {
    struct bench b;
    b.n = n, b.passed = NULL;
    b.h_x = (float *)host_malloc(3 * n * sizeof(float));
    b.h_y = b.h_x + n, b.h_expected = b.h_y + n;
    for (size_t i = 0; i < n; i++) {
        b.h_x[i] = small_value(i, X_SALT);
        b.h_y[i] = small_value(i, Y_SALT);
    }
    for (int i = 0; i < RUNS + 3; i++)
        CUDA_CHECK(cudaEventCreate(&b.event[i]));
    return b;
}

static inline void bench_free(struct bench *b) {
    free(b->h_x);
    for (int i = 0; i < RUNS + 3; i++)
        CUDA_CHECK(cudaEventDestroy(b->event[i]));
}

// The host's part: x and y as the article has them, one loop for both; and advice. Where a page
// should be is best said before its first touch; that it will only be read, after the last write.
static inline void prepare_case(const struct bench *b, int number, float *x, float *y) {
    size_t bytes = b->n * sizeof(float);
    int device = (int)run.device_number;
    int preferred = number == TO_DEVICE ? device : cudaCpuDeviceId;
    if (number == TO_DEVICE || number == TO_HOST) {
        CUDA_CHECK(advise(x, bytes, cudaMemAdviseSetPreferredLocation, preferred));
        CUDA_CHECK(advise(y, bytes, cudaMemAdviseSetPreferredLocation, preferred));
        CUDA_CHECK(advise(x, bytes, cudaMemAdviseSetAccessedBy, device));
        CUDA_CHECK(advise(y, bytes, cudaMemAdviseSetAccessedBy, device));
    }
    for (size_t i = 0; i < b->n && number != DEVICE_INIT; i++) {
        x[i] = b->h_x[i];
        y[i] = b->h_y[i];
    }
    if (number == MOSTLY)
        CUDA_CHECK(advise(x, bytes, cudaMemAdviseSetReadMostly, device));
}

// What the device does ahead of the add.
static inline void before_add(int number, struct array x, struct array y, size_t n) {
    size_t bytes = n * sizeof(float);
    if (number == DEVICE_INIT) {
        init<<<blocks(n, BLOCK), BLOCK>>>(x.device, X_SALT, n);
        init<<<blocks(n, BLOCK), BLOCK>>>(y.device, Y_SALT, n);
        CUDA_CHECK(cudaGetLastError());
    } else if (number == PREFETCH) {
        CUDA_CHECK(prefetch(x.device, bytes, (int)run.device_number));
        CUDA_CHECK(prefetch(y.device, bytes, (int)run.device_number));
    } else if (is_copied(number)) {
        CUDA_CHECK(cudaMemcpy(x.device, x.host, bytes, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(y.device, y.host, bytes, cudaMemcpyHostToDevice));
    }
}

// How many elements of y are not what so many adds make of it.
static inline size_t count_wrong(const struct bench *b, int number, const float *y, size_t adds) {
    for (size_t i = 0; i < b->n; i++)
        b->h_expected[i] = b->h_y[i] + (float)adds * b->h_x[i];
    return count_mismatches(b->h_expected, y, b->n, sizeof(float), cases[number].name);
}

static inline void record(const struct bench *b, int event) {
    CUDA_CHECK(cudaEventRecord(b->event[event], 0));
    if (b->passed)
        b->passed(event);
}

// Runs a case; returns how many elements are wrong. Where it can, the device gets all its work
// before the host waits: then no delay of the host's lies between two events.
static inline size_t run_case(struct bench *b, int number) {
    size_t n = b->n, wrong = 0;
    enum memory memory = cases[number].memory;
    int adds = cases[number].adds, event = 0;
    struct array x = array_create(memory, n), y = array_create(memory, n);
    prepare_case(b, number, x.host, y.host);
    record(b, event++);
    b->calls_ms = -wall_ms();
    before_add(number, x, y, n);
    b->calls_ms += wall_ms();
    for (int i = 0; i < adds; i++) {
        if (i == 1 && (number == REREAD || number == MOSTLY)) {
            CUDA_CHECK(cudaDeviceSynchronize()); // only then may the host read managed memory
            wrong += count_mismatches(b->h_x, x.host, n, sizeof(float), "x");
        }
        record(b, event++);
        add<<<blocks(n, BLOCK), BLOCK>>>(y.device, x.device, n);
        CUDA_CHECK(cudaGetLastError());
    }
    record(b, event++);
    if (is_copied(number))
        CUDA_CHECK(cudaMemcpy(y.host, y.device, n * sizeof(float), cudaMemcpyDeviceToHost));
    record(b, event);
    CUDA_CHECK(cudaDeviceSynchronize());
    wrong += count_wrong(b, number, y.host, (size_t)adds);
    array_free(memory, x);
    array_free(memory, y);
    return wrong;
}

#endif
