// SPDX-License-Identifier: MIT
// Is the result right? Inputs whose results are exact, outputs that start as NaN, buffers between
// guards, and a comparison of every element that no NaN can pass.
#ifndef VERIFY_H
#define VERIFY_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common.h"

#ifdef __CUDACC__
#define VERIFY_FUNCTION static inline __host__ __device__
#else
#define VERIFY_FUNCTION static inline
#endif

enum { GUARD_BYTES = 4096, GUARD_BYTE = 0xC5, POISON_BYTE = 0xFF };
enum { HOST_COMPARES = 1 << 24 }; // up to so many elements; of more, the device

// A whole number in [0, 2^20) that depends on every bit of the index i; `salt` tells arrays apart.
// A sum of up to 16 of them is below 2^24, so float arithmetic on them is exact on every device.
VERIFY_FUNCTION float fill_value(size_t i, unsigned salt) {
    return (float)(((i + ((uint64_t)salt << 40)) * 0x9E3779B97F4A7C15u) >> 44);
}

static inline void fill_floats(float *h, size_t n, unsigned salt) {
    for (size_t i = 0; i < n; i++)
        h[i] = fill_value(i, salt);
}

// Makes every float or double of a device buffer NaN: an element that nobody writes will show.
static inline void poison(void *d, size_t bytes) { CUDA_CHECK(cudaMemset(d, POISON_BYTE, bytes)); }

// Ends a program that gets no memory: one line on stderr as by printf, exit code 3. What a program
// with --size has not shown yet, it does not (program.h).
#define out_of_memory(...) (fprintf(stderr, __VA_ARGS__), _exit(3))

// A gigabyte is touched for the first time much faster in pages of 2 MiB than of 4 KiB.
static inline void *host_malloc(size_t bytes) {
    void *h = malloc(bytes ? bytes : 1);
    if (!h)
        out_of_memory("out of host memory: %zu bytes asked; try a smaller --size\n", bytes);
#ifdef MADV_HUGEPAGE
    if (bytes >= (size_t)1 << 25) // from its first whole page on; a refusal does no harm
        (void)madvise((void *)(((uintptr_t)h + 4095) & ~(uintptr_t)4095), bytes - 4096,
                      MADV_HUGEPAGE);
#endif
    return h;
}

// Poisoned device memory between two guards, aligned as by cudaMalloc. If there is no room: one
// line that names the bytes asked and free, exit code 3.
static inline void *guarded_malloc(size_t bytes) {
    char *base = NULL;
    size_t free_bytes = 0, total_bytes;
    cudaError_t error = cudaMalloc((void **)&base, bytes + 2 * GUARD_BYTES);
    if (error == cudaErrorMemoryAllocation) {
        cudaMemGetInfo(&free_bytes, &total_bytes);
        out_of_memory("out of device memory: %zu bytes asked, %zu free; try a smaller --size\n",
                      bytes, free_bytes);
    }
    CUDA_CHECK(error);
    CUDA_CHECK(cudaMemset(base, GUARD_BYTE, GUARD_BYTES));
    CUDA_CHECK(cudaMemset(base + GUARD_BYTES + bytes, GUARD_BYTE, GUARD_BYTES));
    poison(base + GUARD_BYTES, bytes);
    return base + GUARD_BYTES;
}

static inline void guarded_free(void *d) { CUDA_CHECK(cudaFree((char *)d - GUARD_BYTES)); }

// How many guard bytes of a buffer from guarded_malloc were overwritten; 0 is right. The first is
// named on stderr after `what` (NULL: silent).
static inline size_t count_guard_damage(const void *d, size_t bytes, const char *what) {
    unsigned char guard[GUARD_BYTES];
    size_t damaged = 0;
    for (int after = 0; after <= 1; after++) {
        const char *side = after ? (const char *)d + bytes : (const char *)d - GUARD_BYTES;
        CUDA_CHECK(cudaMemcpy(guard, side, GUARD_BYTES, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < GUARD_BYTES; i++)
            if (guard[i] != GUARD_BYTE && damaged++ == 0 && what)
                fprintf(stderr, "%s: wrote %zu bytes %s\n", what, after ? i + 1 : GUARD_BYTES - i,
                        after ? "past the end" : "before the start");
    }
    return damaged;
}

// Element i of an array of float (size 4) or double (size 8).
VERIFY_FUNCTION double real_at(const void *array, size_t i, size_t size) {
    return size == sizeof(float) ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

// The lines about mismatches that a program may still print; one wrong kernel can fill a screen.
static size_t mismatch_lines = 3;

// How many of n elements of `size` bytes in host memory are not equal; NaN equals nothing. The first
// ones go to stderr after `what` (NULL: silent), counted from index `first`.
static inline size_t count_mismatches(const void *expected, const void *actual, size_t n,
                                      size_t size, size_t first, const char *what) {
    size_t mismatches = 0;
    for (size_t i = 0; i < n; i++) {
        double e = real_at(expected, i, size), a = real_at(actual, i, size);
        if (!(a == e) && ++mismatches && what && mismatch_lines && mismatch_lines--)
            fprintf(stderr, "%s: element %zu is %.9g, expected %.9g\n", what, first + i, a, e);
    }
    return mismatches;
}

#ifdef __CUDACC__
static __global__ void count_mismatches_kernel(unsigned long long *count, const void *expected,
                                               const void *actual, size_t n, size_t size) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        if (!(real_at(actual, i, size) == real_at(expected, i, size)))
            atomicAdd(count, 1ULL);
}

// The same, silent, for arrays in device memory.
static inline size_t count_mismatches_on_device(const void *d_expected, const void *d_actual,
                                                size_t n, size_t size) {
    unsigned long long count = 0, *d_count;
    CUDA_CHECK(cudaMalloc((void **)&d_count, sizeof count));
    CUDA_CHECK(cudaMemset(d_count, 0, sizeof count));
    count_mismatches_kernel<<<1024, 256>>>(d_count, d_expected, d_actual, n, size);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_count));
    return (size_t)count;
}
#endif

// The same for a device array and the host's reference, piece by piece. Of more than HOST_COMPARES
// elements only a piece with a mismatch comes back, to be shown.
static inline size_t check_device(const void *d_actual, const void *h_expected, size_t n,
                                  size_t size, const char *what) {
    const size_t piece = (size_t)1 << 22;
    size_t bytes = (n < piece ? n : piece) * size, mismatches = 0;
    void *h_actual = host_malloc(bytes), *d_expected = NULL;
    if (n > HOST_COMPARES)
        CUDA_CHECK(cudaMalloc(&d_expected, bytes));
    for (size_t first = 0; first < n; first += piece) {
        size_t count = n - first < piece ? n - first : piece;
        const char *expected = (const char *)h_expected + first * size;
        const char *actual = (const char *)d_actual + first * size;
#ifdef __CUDACC__
        if (d_expected) {
            CUDA_CHECK(cudaMemcpy(d_expected, expected, count * size, cudaMemcpyHostToDevice));
            if (!count_mismatches_on_device(d_expected, actual, count, size))
                continue;
        }
#endif
        CUDA_CHECK(cudaMemcpy(h_actual, actual, count * size, cudaMemcpyDeviceToHost));
        mismatches += count_mismatches(expected, h_actual, count, size, first, what);
    }
    CUDA_CHECK(cudaFree(d_expected));
    free(h_actual);
    return mismatches;
}

// The same for two device arrays: only if they differ they come to the host, which shows where.
static inline size_t check_on_device(const void *d_actual, const void *d_expected, size_t n,
                                     size_t size, const char *what) {
    size_t mismatches = 0, shown;
#ifdef __CUDACC__
    mismatches = count_mismatches_on_device(d_expected, d_actual, n, size);
    if (mismatches == 0)
        return 0;
#endif
    void *h_expected = host_malloc(n * size);
    CUDA_CHECK(cudaMemcpy(h_expected, d_expected, n * size, cudaMemcpyDeviceToHost));
    shown = check_device(d_actual, h_expected, n, size, what);
    free(h_expected);
    return shown > mismatches ? shown : mismatches;
}

#endif
