// SPDX-License-Identifier: MIT
// The small common header: error check, clocks, what every program begins and ends with. Copy it.
#ifndef COMMON_H
#define COMMON_H
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Evaluates `call` once. On an error: a line on stderr, then exit code 3, or 77 without a GPU.
#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s failed: %s (%d): %s\n", __FILE__, __LINE__, #call,          \
                    cudaGetErrorName(error_), (int)error_, cudaGetErrorString(error_));            \
            exit(error_ == cudaErrorNoDevice || error_ == cudaErrorInsufficientDriver ? 77 : 3);   \
        }                                                                                          \
    } while (0)

// Milliseconds on a clock that is never set back. It does not wait for the device: you must.
static inline double wall_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// Milliseconds from one event to another, both recorded in a stream; waits for the second.
static inline double elapsed_ms(cudaEvent_t start, cudaEvent_t stop) {
    float ms;
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms;
}

// A time, or what is made of one, for %s; "-" where there is no GPU to time.
static inline const char *measured(double value, int decimals) {
    static char text[8][32]; // the last eight
    static int next;
    next = (next + 1) % 8;
    snprintf(text[next], sizeof text[next], "%.*f", decimals, value);
#ifdef __CUDACC_CPU__ // compiled by cudacc: its CPU device counts, and knows no time of a GPU
    return "-";
#endif
    return text[next];
}

// The blocks of `block` threads that cover n elements.
static inline unsigned blocks(size_t n, unsigned block) {
    return (unsigned)((n + block - 1) / block);
}

// The number of elements a program is asked for: its only argument, 1 to 2^30, or `standard`.
static inline size_t elements(int argc, char **argv, size_t standard) {
#ifdef __CUDACC_CPU__ // without a GPU there is no cache to exceed: fewer are enough
    standard = standard < 1 << 18 ? standard : 1 << 18;
#endif
    unsigned long long n = argc > 1 ? strtoull(argv[1], NULL, 10) : standard;
    int digits = argc == 1 || argv[1][strspn(argv[1], "0123456789")] == '\0';
    if (argc <= 2 && digits && n >= 1 && n <= 1 << 30)
        return (size_t)n;
    fprintf(stderr, "%s takes one argument, the number of elements, 1 to 2^30\n", argv[0]);
    exit(2);
}

// n floats on the host; without room for them, one line on stderr and exit code 3.
static inline float *host_floats(size_t n) {
    float *array = (float *)malloc(n * sizeof(float));
    if (array != NULL)
        return array;
    fprintf(stderr, "out of host memory: %zu floats\n", n);
    exit(3);
}

// Prints the last line of a program. Returns its exit code: 1 for wrong results, 2 for lost output.
static inline int pass_or_fail(size_t wrong) {
    printf(wrong == 0 ? "PASS\n" : "FAIL: %zu wrong results\n", wrong);
    int lost = fflush(stdout) != 0 || ferror(stdout);
    if (lost)
        fprintf(stderr, "cannot write the output: is the disk full?\n");
    return wrong > 0 ? 1 : 2 * lost;
}
#endif
