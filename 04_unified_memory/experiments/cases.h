// SPDX-License-Identifier: MIT
// The article's program and its variants: what happens to two managed arrays before a kernel adds
// them. unified_memory times the cases, page_traffic counts the pages that move in them.
#ifndef CASES_H
#define CASES_H

#include "managed.h"

enum { RUNS = 100, BLOCK = 256 }; // as in the article: y ends as y + 100 * x

// ---- Kernels -----------------------------------------------------------------------------------
// The article's: expect milliseconds when its pages have to come from the host, microseconds else.
static __global__ void add(float *y, const float *x, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)blockDim.x * gridDim.x;
    for (size_t i = first; i < n; i += step)
        y[i] = x[i] + y[i];
}

// Touches the pages first, so that they never exist on the host. Expect it to take the page faults.
static __global__ void init(float *out, unsigned salt, size_t n) {
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)blockDim.x * gridDim.x;
    for (size_t i = first; i < n; i += step)
        out[i] = small_value(i, salt);
}

static inline void launch_add(const struct arrays *x, unsigned block, size_t) {
    add<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

static inline void launch_init(const struct arrays *x, unsigned block, size_t salt) {
    init<<<blocks(x->n, block), block>>>(x->d_out, (unsigned)salt, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- References --------------------------------------------------------------------------------
static inline void add_reference(float *y, const float *x, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + y[i];
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
// Each starts from fresh arrays. Prefetch and advice need concurrent access.
enum { HOST_INIT, DEVICE_INIT, MANY, PREFETCH, TO_DEVICE, TO_HOST, REREAD, MOSTLY, COPY, CASES };

static const struct {
    const char *name;
    int adds, needs_concurrent;
} cases[CASES] = {
    {"initialised on the host", 1, 0},
    {"initialised on the device", 1, 0},
    {"100 runs", RUNS, 0},
    {"prefetched", 1, 1},
    {"preferred location: device", 1, 1},
    {"preferred location: host", 1, 1},
    {"host reads x in between", 2, 0},
    {"host reads read-mostly x", 2, 1},
    {"explicit copies", 1, 0},
};

// The events: before what the device does ahead of the adds, before each add, after the last, and
// after the copy back.
struct bench {
    size_t n;
    float *h_x, *h_y, *h_result, *h_expected;
    cudaEvent_t event[RUNS + 3];
};

static inline struct bench bench_create(size_t n) {
    struct bench b;
    b.n = n;
    b.h_x = (float *)host_malloc(4 * n * sizeof(float));
    b.h_y = b.h_x + n, b.h_result = b.h_y + n, b.h_expected = b.h_result + n;
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
static inline void prepare(const struct bench *b, int number, float *x, float *y) {
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
static inline void before_add(const struct bench *b, int number, float *x, float *y) {
    size_t bytes = b->n * sizeof(float);
    if (number == DEVICE_INIT) {
        init<<<blocks(b->n, BLOCK), BLOCK>>>(x, X_SALT, b->n);
        init<<<blocks(b->n, BLOCK), BLOCK>>>(y, Y_SALT, b->n);
        CUDA_CHECK(cudaGetLastError());
    } else if (number == PREFETCH) {
        CUDA_CHECK(prefetch(x, bytes, (int)run.device_number));
        CUDA_CHECK(prefetch(y, bytes, (int)run.device_number));
    } else if (number == COPY) {
        CUDA_CHECK(cudaMemcpy(x, b->h_x, bytes, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(y, b->h_y, bytes, cudaMemcpyHostToDevice));
    }
}

// Runs a case; returns how many elements are wrong. Where it can, the device gets all its work
// before the host waits: then no delay of the host's lies between two events.
static inline size_t run_case(const struct bench *b, int number) {
    size_t n = b->n, bytes = n * sizeof(float), wrong = 0;
    int adds = cases[number].adds, event = 0;
    float *x, *y;
    if (number == COPY) {
        CUDA_CHECK(cudaMalloc((void **)&x, bytes));
        CUDA_CHECK(cudaMalloc((void **)&y, bytes));
    } else {
        x = managed_malloc(n), y = managed_malloc(n);
        prepare(b, number, x, y);
    }
    CUDA_CHECK(cudaEventRecord(b->event[event++], 0));
    before_add(b, number, x, y);
    for (int i = 0; i < adds; i++) {
        if (adds == 2 && i == 1) { // the host may read managed memory only when the device is done
            CUDA_CHECK(cudaDeviceSynchronize());
            wrong += count_mismatches(b->h_x, x, n, sizeof(float), "x");
        }
        CUDA_CHECK(cudaEventRecord(b->event[event++], 0));
        add<<<blocks(n, BLOCK), BLOCK>>>(y, x, n);
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaEventRecord(b->event[event++], 0));
    if (number == COPY)
        CUDA_CHECK(cudaMemcpy(b->h_result, y, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaEventRecord(b->event[event], 0));
    CUDA_CHECK(cudaDeviceSynchronize());

    for (size_t i = 0; i < n; i++)
        b->h_expected[i] = b->h_y[i] + (float)adds * b->h_x[i];
    wrong += count_mismatches(b->h_expected, number == COPY ? b->h_result : y, n, sizeof(float),
                              cases[number].name);
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    return wrong;
}

#endif
