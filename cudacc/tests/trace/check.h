// SPDX-License-Identifier: MIT
// What the programs of this folder share. Each launches small kernels, every one an access pattern
// whose requests and sectors arithmetic gives, or a GPU's counters; and checks every element they
// wrote, so that the counts are those of a kernel that works.
//
// A comment in a program says what arithmetic expects of the k-th launch of a kernel (from 0):
//
//     // EXPECT kernel k=0..32: ld_requests ld_sectors st_requests st_sectors
//     // EXPECT_SHARED kernel, other: ld_wavefronts st_wavefronts
//
// Four (two) expressions, blanks only between them; k counts the launches of that kernel, without
// "k=" there is one. int(), min(,), max(,) and sum(j=1..9:expression of j) are known. Atomics are
// neither loads nor stores. cudacc/tests/trace/counts.t compares.
//
//     nvcc -O3 -lineinfo flow.cu -o flow && ./flow
#ifndef TRACE_CHECK_H
#define TRACE_CHECK_H

#include <stdlib.h>
#include <string.h>
#include <vector>
#include "../../../common/common.h"

// Launches, if they are not said to be others: 4 warps.
enum { N = 128, BLOCKS = 2, THREADS = 64 };

static int check_failures;

// The number of a thread, in a grid that has but x.
__device__ static inline unsigned thread_number(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// A kernel whose thread number i does what is said.
#define EACH(name, parameters, ...)                                                                \
    __global__ void name parameters {                                                              \
        unsigned i = thread_number();                                                              \
        __VA_ARGS__;                                                                               \
    }

// What inputs hold at index i: small whole numbers, never 0, that any type can hold.
__host__ __device__ static inline int element(size_t i) { return (int)(i * 7 % 61) + 1; }

// An array in device memory, of what is there on the host.
template <typename T> static T *copy_of(const T *h, size_t n) {
    T *d;
    CUDA_CHECK(cudaMalloc((void **)&d, n * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

template <typename T> static T *input(size_t n, int (*number)(size_t) = element) {
    std::vector<T> h(n);
    for (size_t i = 0; i < n; i++)
        h[i] = (T)(float)number(i);
    return copy_of(h.data(), n);
}

// What output() has allocated: there a launch leaves its results.
struct result {
    void *memory;
    size_t bytes;
};
static std::vector<struct result> outputs;

// All bits set: what nobody writes will show.
template <typename T> static T *output(size_t n) {
    T *d;
    CUDA_CHECK(cudaMalloc((void **)&d, n * sizeof(T)));
    CUDA_CHECK(cudaMemset(d, 0xFF, n * sizeof(T)));
    outputs.push_back({d, n * sizeof(T)});
    return d;
}

// Compares each of n elements with `expected`, an expression of i, and clears them again. What must
// be untouched is expected to be clear_[i].
#define CHECK(what, d, n, expected)                                                                \
    do {                                                                                           \
        size_t bytes_ = (size_t)(n) * sizeof *(d), wrong_ = 0;                                     \
        auto *h_ = (decltype(d))malloc(bytes_), *clear_ = (decltype(d))malloc(bytes_);             \
        CUDA_CHECK(cudaGetLastError());                                                            \
        CUDA_CHECK(cudaMemcpy(h_, d, bytes_, cudaMemcpyDefault));                                  \
        memset((void *)clear_, 0xFF, bytes_);                                                      \
        for (size_t i = 0; i < (size_t)(n); i++) {                                                 \
            auto expected_ = clear_[i];                                                            \
            expected_ = expected;                                                                  \
            if (memcmp(&h_[i], &expected_, sizeof *h_) && wrong_++ == 0)                           \
                fprintf(stderr, "%s:%d: %s: element %zu is wrong\n", __FILE__, __LINE__, what, i); \
        }                                                                                          \
        CUDA_CHECK(cudaMemset(d, 0xFF, bytes_));                                                   \
        check_failures += wrong_ > 0;                                                              \
        free(h_);                                                                                  \
        free(clear_);                                                                              \
    } while (0)

// Bytes 1..61 for any type, also one with fields.
template <typename T> static T *filled(size_t n) {
    return (T *)input<unsigned char>(n * sizeof(T));
}

// Where a formula for each element would be as long as the kernel: all bytes of all results go into
// one number (FNV-1a), which check_digest compares at the end. Sets all bits again.
static unsigned check_sum = 2166136261u;

static inline void digest(void *d, size_t bytes) {
    unsigned char *h = (unsigned char *)malloc(bytes);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h, d, bytes, cudaMemcpyDefault));
    for (size_t i = 0; i < bytes; i++)
        check_sum = (check_sum ^ h[i]) * 16777619u;
    free(h);
    CUDA_CHECK(cudaMemset(d, 0xFF, bytes));
}

// All outputs: what a kernel wrote, and what it left as it was.
static inline void digest_outputs(void) {
    for (struct result &output : outputs)
        digest(output.memory, output.bytes);
}

#define RUN(kernel, ...) RUN_AS(kernel, BLOCKS, THREADS, 0, __VA_ARGS__)
#define RUN_AS(kernel, blocks, threads, shared_bytes, ...)                                         \
    do {                                                                                           \
        kernel<<<blocks, threads, shared_bytes>>>(__VA_ARGS__);                                    \
        digest_outputs();                                                                          \
    } while (0)

static inline void check_digest(unsigned expected) {
    if (check_sum == expected)
        return;
    fprintf(stderr, "the results' digest is 0x%08x, not 0x%08x\n", check_sum, expected);
    check_failures++;
}

static inline void begin(void) {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        fprintf(stderr, "no usable CUDA device\n");
        exit(77);
    }
}

static inline int end(void) {
    CUDA_CHECK(cudaDeviceReset()); // frees all
    puts(check_failures ? "FAIL" : "PASS");
    return check_failures > 0;
}

#endif
