// SPDX-License-Identifier: MIT
// Checks exercise 4.2: with the arrays fetched ahead, a kernel finds all its pages, and no byte
// moves that need not. Who counts: page_counters.h, on a GPU CUPTI.
//
//   build: plain
//   runs: in-order
//   unsolved: facts
#include "../../../tools/learn/api_calls.h"
#include "../../experiments/page_counters.h"

void prefetch_arrays(const float *x, float *y, size_t n, int device); // the learner's

static __global__ void add(float *y, const float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + y[i];
}

static int can_count; // page_counters.h can, where the worker runs

static float *managed(size_t n) {
    void *p;
    must(cudaMallocManaged(&p, n * sizeof(float), cudaMemAttachGlobal), "cudaMallocManaged");
    return (float *)p;
}

// A prefetch is there at once: whether the host then touches the page does not depend on its speed.
static void after_queued(cudaStream_t s) {
    must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
}

static void prefetch_and_add(float *y, const float *x, size_t n) {
    calls.after_queued = after_queued;
    WATCH(prefetch_arrays(x, y, n, 0));
    must(cudaGetLastError(), "an error is left");
    add<<<(unsigned)((n + 255) / 256), 256>>>(y, x, n);
    must(cudaGetLastError(), "launch");
    must(cudaDeviceSynchronize(), "a kernel went wrong");
}

// Writes x and y on the host, prefetches, adds; says what has moved by then.
static struct counters count_add(size_t n) {
    struct counters none, counters;
    memset(&none, 0, sizeof none);
    if (can_count && !judging())
        counters_start();
    float *x = managed(n), *y = managed(n);
    float *expected = (float *)host_malloc(n * sizeof *expected);
    unsigned salt = chance(1u << 20);
    for (size_t i = 0; i < n; i++) {
        x[i] = fill_value(i, salt);
        y[i] = fill_value(i, salt + 1);
        expected[i] = x[i] + y[i];
    }
    calling("n = %zu", n);
    LEARNER(prefetch_and_add(y, x, n));
    OBSERVE(counters, can_count ? counters_stop() : none);
    check_values("y", y, expected, n);
    passed();
    must(cudaFree(x), "cudaFree");
    must(cudaFree(y), "cudaFree");
    free(expected);
    return counters;
}

static void check_cases(void) {
    int concurrent;
    OBSERVE(can_count, counters_open() == NULL);
    must(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0), "attribute");
    if (!concurrent)
        fail("device", "this device cannot prefetch (concurrentManagedAccess is 0)");
    for (int k = 1; k < SIZES; k += 4)
        count_add(sizes[k]);

    size_t n = 1 << 20;
    struct counters c = count_add(n);
    if (!can_count)
        return;
    double to_device = (double)c.traffic[TO_THE_DEVICE].bytes;
    double to_host = (double)c.traffic[TO_THE_HOST].bytes;
    double faults = (double)c.traffic[DEVICE_FAULTS].faults;
    limit("bytes moved to the device per element", number(to_device / (double)n), 8, 8.1);
    limit("bytes moved to the host", number(to_host), 0, 0);
    limit("pages the kernel had to wait for", number(faults), 0, 0);
}

static void check_facts(void) {}
