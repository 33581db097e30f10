// SPDX-License-Identifier: MIT
// The article\x27s program and its variants: what happens to two managed arrays before a kernel
// adds them. unified_memory times the cases, page_traffic counts the pages that move in them.
#ifndef CASES_H
#define CASES_H

#include "../../common/arrays.h"
#include "managed.h"

enum { RUNS = 100 }; // as in the article: y ends as y + 100 * x

// ---- Reference ---------------------------------------------------------------------------------
static inline void add_reference(float *y, const float *x, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + y[i];
}

static inline void init_reference(float *out, const float *, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = small_value(i, 1);
}

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

static inline void launch_add(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        add<<<blocks(n, 256), 256>>>(y, x, n);
    CUDA_CHECK(cudaGetLastError());
}

static inline void init_on_device(float *out, unsigned salt, size_t n) {
    if (n > 0)
        init<<<blocks(n, 256), 256>>>(out, salt, n);
    CUDA_CHECK(cudaGetLastError());
}

static inline void launch_init(float *out, const float *, const float *, size_t n) {
    init_on_device(out, 1, n);
}

static const struct variant variants[] = {
    {"add", launch_add, add_reference, 12, 1, 1, "as fast as its pages are near"},
    {"init", launch_init, init_reference, 4, 0, 0, "slow where the pages do not exist yet"},
};

// ---- Cases -------------------------------------------------------------------------------------
// Each starts from fresh arrays. BEFORE is what the device does ahead of the first add.
enum { BEFORE, ADD, AFTER, AVERAGE, FASTEST, SLOWEST, STEPS };
static const size_t step_arrays[STEPS] = {2, 3, 1, 3, 3, 3}; // that it reads and writes
enum { HOST_INIT, DEVICE_INIT, MANY, PREFETCH, TO_DEVICE, TO_HOST, REREAD, MOSTLY, COPY, CASES };

static const struct {
    const char *name;
    const char *rows[STEPS]; // what to show
    int adds, needs_concurrent;
} cases[CASES] = {
    {"initialised on the host", {NULL, "add"}, 1, 0},
    {"initialised on the device", {"init x and y", "add"}, 1, 0},
    {"100 runs", {NULL, "first", NULL, "average", "fastest", "slowest"}, RUNS, 0},
    {"prefetched", {"prefetch x and y", "add"}, 1, 1},
    {"preferred location: device", {NULL, "add"}, 1, 1},
    {"preferred location: host", {NULL, "add"}, 1, 1},
    {"host reads x in between", {NULL, "second add"}, 2, 0},
    {"host reads read-mostly x", {NULL, "second add"}, 2, 1},
    {"explicit copies", {"copy x and y in", "add", "copy y out"}, 1, 0},
};

struct bench {
    int device;
    size_t n;
    float *h_x, *h_y, *h_result, *h_expected;
    cudaEvent_t event[RUNS + 3];
    double *ms[STEPS]; // samples
};

static inline struct bench bench_create(const struct run *run, size_t n) {
    struct bench b;
    size_t bytes = n * sizeof(float);
    b.device = (int)run->device_number;
    b.n = n;
    b.h_x = (float *)host_malloc(bytes);
    b.h_y = (float *)host_malloc(bytes);
    b.h_result = (float *)host_malloc(bytes);
    b.h_expected = (float *)host_malloc(bytes);
    for (size_t i = 0; i < n; i++) {
        b.h_x[i] = small_value(i, 1);
        b.h_y[i] = small_value(i, 3);
    }
    for (int i = 0; i < RUNS + 3; i++)
        CUDA_CHECK(cudaEventCreate(&b.event[i]));
    for (int step = 0; step < STEPS; step++)
        b.ms[step] = (double *)host_malloc(run->samples * sizeof(double));
    return b;
}

static inline void bench_free(struct bench *b) {
    free(b->h_x);
    free(b->h_y);
    free(b->h_result);
    free(b->h_expected);
    for (int i = 0; i < RUNS + 3; i++)
        CUDA_CHECK(cudaEventDestroy(b->event[i]));
    for (int step = 0; step < STEPS; step++)
        free(b->ms[step]);
}

static inline double elapsed(const struct bench *b, int from) {
    float ms;
    CUDA_CHECK(cudaEventElapsedTime(&ms, b->event[from], b->event[from + 1]));
    return ms;
}

static inline void record(const struct bench *b, int event) {
    CUDA_CHECK(cudaEventRecord(b->event[event], 0));
}

// The host's part: x and y as the article has them, one loop for both; and advice. Where a page
// should be is best said before its first touch; that it will only be read, after the last write.
static inline void prepare(const struct bench *b, int number, float *x, float *y) {
    size_t bytes = b->n * sizeof(float);
    int device = b->device, preferred = number == TO_DEVICE ? device : cudaCpuDeviceId;
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
        init_on_device(x, 1, b->n);
        init_on_device(y, 3, b->n);
    } else if (number == PREFETCH) {
        CUDA_CHECK(prefetch(x, bytes, b->device));
        CUDA_CHECK(prefetch(y, bytes, b->device));
    } else if (number == COPY) {
        CUDA_CHECK(cudaMemcpy(x, b->h_x, bytes, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(y, b->h_y, bytes, cudaMemcpyHostToDevice));
    }
}

// One sample of a case; returns how many elements are wrong. Where it can, the device gets all its
// work before the host waits: then no delay of the host's lies between two events.
static inline size_t run_case(const struct bench *b, int number, size_t sample) {
    size_t n = b->n, bytes = n * sizeof(float), wrong = 0;
    int adds = cases[number].adds;
    float *x, *y;
    if (number == COPY) {
        CUDA_CHECK(cudaMalloc((void **)&x, bytes));
        CUDA_CHECK(cudaMalloc((void **)&y, bytes));
    } else {
        x = managed_malloc(n), y = managed_malloc(n);
        prepare(b, number, x, y);
    }
    record(b, 0);
    before_add(b, number, x, y);
    for (int i = 0; i < adds; i++) {
        if (adds == 2 && i == 1) { // the host may read managed memory only when the device is done
            CUDA_CHECK(cudaDeviceSynchronize());
            wrong += count_mismatches(b->h_x, x, n, sizeof(float), 0, "x");
        }
        record(b, i + 1);
        launch_add(y, x, NULL, n);
    }
    record(b, adds + 1);
    if (number == COPY)
        CUDA_CHECK(cudaMemcpy(b->h_result, y, bytes, cudaMemcpyDeviceToHost));
    record(b, adds + 2);
    CUDA_CHECK(cudaDeviceSynchronize());

    double ms[STEPS] = {
        elapsed(b, 0), elapsed(b, adds == 2 ? 2 : 1), elapsed(b, adds + 1), 0, INFINITY, 0};
    for (int i = 1; i <= adds; i++) {
        ms[AVERAGE] += elapsed(b, i) / adds;
        ms[FASTEST] = fmin(ms[FASTEST], elapsed(b, i));
        ms[SLOWEST] = fmax(ms[SLOWEST], elapsed(b, i));
    }
    for (int step = 0; step < STEPS; step++)
        b->ms[step][sample] = ms[step];
    for (size_t i = 0; i < n; i++)
        b->h_expected[i] = b->h_y[i] + (float)adds * b->h_x[i];
    wrong += count_mismatches(b->h_expected, number == COPY ? b->h_result : y, n, sizeof(float), 0,
                              cases[number].name);
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    return wrong;
}

#endif
