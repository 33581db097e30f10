// SPDX-License-Identifier: MIT
// Is the result right? Inputs whose results are exact, outputs that start as NaN, buffers between
// guards, and a comparison of every element that no NaN can pass. The sizes below may change; the
// values of fill_value may not: exact results rest on them (docs/method.md).
#ifndef VERIFY_H
#define VERIFY_H

#include "../common.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef GUARD_BYTES // 0 where every access outside of an array is seen anyway
#define GUARD_BYTES 4096
#endif
enum { GUARD_BYTE = 0xC5, POISON_BYTE = 0xFF };
enum { HOST_COMPARES = 1 << 16 }; // and fills up to so many elements; more, the device does

// The lines about mismatches that a program may still print: one faulty kernel can fill a screen.
static size_t mismatch_lines = 3;

// A whole number in [0, 2^20) that depends on every bit of the index i; `salt` tells arrays apart.
// A sum of up to 16 of them is below 2^24, so float arithmetic on them is exact on every device.
static inline __host__ __device__ float fill_value(size_t i, unsigned salt) {
    return (float)(int)(((i + ((uint64_t)salt << 40)) * 0x9E3779B97F4A7C15u) >> 44);
}

static inline void fill_floats(float *h, size_t n, unsigned salt) {
    for (size_t i = 0; i < n; i++)
        h[i] = fill_value(i, salt);
}

// Makes every float or double of a device buffer NaN: an element that no thread writes will show.
static inline void poison(void *d, size_t bytes) { CUDA_CHECK(cudaMemset(d, POISON_BYTE, bytes)); }

// Ends a program that gets no memory: one line on stderr as by printf, exit code 3. What a program
// with --size has not printed yet, it does not print (program.h).
#define out_of_memory(...) (fprintf(stderr, __VA_ARGS__), _exit(3))

static inline void *host_malloc(size_t bytes) {
    const size_t page = (size_t)2 << 20; // the larger pages are, the faster their first writes
    char *h = (char *)malloc(bytes ? bytes : 1);
    if (!h)
        out_of_memory("out of host memory: %zu bytes asked; try a smaller --size\n", bytes);
    if (bytes > 4 * page)
        (void)madvise(h + page - (size_t)h % page, bytes - page, MADV_HUGEPAGE); // may be refused
    return h;
}

// Poisoned device memory between two guards, aligned as by cudaMalloc. If there is no room: one
// line that names the bytes asked and free, exit code 3.
static inline void *guarded_malloc(size_t bytes) {
    char *base = NULL;
    size_t free_bytes = 0, total_bytes;
    size_t with_guards = bytes + 2 * GUARD_BYTES;
    cudaError_t error = cudaMalloc((void **)&base, with_guards ? with_guards : 1);
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
            if (guard[i] != GUARD_BYTE && damaged++ == 0 && what && mismatch_lines &&
                mismatch_lines--)
                fprintf(stderr, "%s: wrote %zu bytes %s\n", what, after ? i + 1 : GUARD_BYTES - i,
                        after ? "past the end" : "before the start");
    }
    return damaged;
}

// Element i of an array of float (size 4) or double (size 8).
static inline __host__ __device__ double real_at(const void *array, size_t i, size_t size) {
    return size == sizeof(float) ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

// How many of n elements of `size` bytes in host memory are not equal; NaN equals nothing. The
// first ones go to stderr after `what` (NULL: silent).
static inline size_t count_mismatches(const void *expected, const void *actual, size_t n,
                                      size_t size, const char *what) {
    size_t mismatches = 0;
    for (size_t i = 0; i < n; i++) {
        double e = real_at(expected, i, size), a = real_at(actual, i, size);
        if (!(a == e) && ++mismatches && what && mismatch_lines && mismatch_lines--)
            fprintf(stderr, "%s: element %zu is %.9g, expected %.9g\n", what, i, a, e);
    }
    return mismatches;
}

#ifdef __CUDACC__
static __global__ void fill_kernel(float *a, size_t n, unsigned salt) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        a[i] = fill_value(i, salt);
}

static __global__ void count_mismatches_kernel(unsigned long long *count, const void *expected,
                                               const void *actual, size_t n, size_t size) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        if (!(real_at(actual, i, size) == real_at(expected, i, size)))
            atomicAdd(count, 1ULL);
}

// How many elements of two arrays in device memory are not equal, by a kernel.
static inline size_t count_mismatches_by_kernel(const void *d_expected, const void *d_actual,
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

// The same as count_mismatches for arrays in device memory. Large ones come to the host only if
// they differ, to be shown.
static inline size_t count_mismatches_on_device(const void *d_expected, const void *d_actual,
                                                size_t n, size_t size, const char *what) {
    size_t mismatches = 0;
    if (n > HOST_COMPARES) {
        mismatches = count_mismatches_by_kernel(d_expected, d_actual, n, size);
        if (mismatches == 0 || !what)
            return mismatches;
    }
    char *h = (char *)host_malloc(2 * n * size);
    CUDA_CHECK(cudaMemcpy(h, d_expected, n * size, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(h + n * size, d_actual, n * size, cudaMemcpyDeviceToHost));
    size_t shown = count_mismatches(h, h + n * size, n, size, what);
    free(h);
    return shown > mismatches ? shown : mismatches;
}
#endif // __CUDACC__
#endif
