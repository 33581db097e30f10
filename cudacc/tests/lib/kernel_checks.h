// SPDX-License-Identifier: MIT
// Checks in kernels: they record the lines whose check failed; the host prints one result per
// kernel.
#ifndef TESTS_KERNEL_CHECKS_H
#define TESTS_KERNEL_CHECKS_H

#include "../../../tests/lib/device.h"
#include <string.h>

enum { MAX_REPORTS = 8 };

struct report {
    int checks, failures, lines[MAX_REPORTS], threads[MAX_REPORTS];
};

__device__ static struct report d_report;

__device__ static __noinline__ void check(bool condition, int line) {
    atomicAdd(&d_report.checks, 1);
    if (condition)
        return;
    int i = atomicAdd(&d_report.failures, 1);
    if (i < MAX_REPORTS) {
        d_report.lines[i] = line;
        d_report.threads[i] = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    }
}

#define CHECK(...) check((__VA_ARGS__), __LINE__)

// A value that the compiler does not know: the function under test then runs, instead of being
// computed at compile time.
template <class T> __device__ static T hide(T value) {
    volatile T hidden = value;
    return hidden;
}

// ---- the host's side ----

static void begin(void) {
    struct report none = {};
    must(cudaMemcpyToSymbol(d_report, &none, sizeof none));
}

static void end_in(const char *file, const char *name) {
    struct report r;
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    must(cudaMemcpyFromSymbol(&r, d_report, sizeof r));
    ok(r.checks > 0 && r.failures == 0, "%s: %d checks", name, r.checks);
    for (int i = 0; i < r.failures && i < MAX_REPORTS; i++)
        diag("%s:%d: not true in thread %d", file, r.lines[i], r.threads[i]);
}

#define end(name) end_in(__FILE__, name)

// A launch, and what it shows.
#define CHECKED(name, ...)                                                                         \
    do {                                                                                           \
        begin();                                                                                   \
        __VA_ARGS__;                                                                               \
        end(name);                                                                                 \
    } while (0)
// A kernel, and the test that launches it.
#define KERNEL(name, ...)                                                                          \
    __global__ void name(void);                                                                    \
    TEST(test_##name) { CHECKED(#name, name<<<__VA_ARGS__>>>()); }                                 \
    __global__ void name(void)

// All is there where the host compiler reads the code, and on the CPU device.
#if defined(__CUDA_ARCH__) && !defined(__CUDACC_CPU__)
#define ARCH __CUDA_ARCH__
#else
#define ARCH INT_MAX
#endif

#endif
