// SPDX-License-Identifier: MIT
// What the samples share. A sample is a kernel as programs have it, whose counts a GPU's counters
// give. Its input is made from numbers that look random; a sum with weights checks its results.
// Many sizes are no multiple of the block.
#ifndef TRACE_SAMPLES_H
#define TRACE_SAMPLES_H

#include "../check.h"

#include <cmath>

#define FULL_MASK 0xffffffffu

template <typename T> static inline T *zeros(int n) { return copy_of(std::vector<T>(n).data(), n); }

// Element i is value(i).
template <typename T, typename F> static T *make(int n, F value) {
    std::vector<T> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (T)value(i);
    return copy_of(values.data(), n);
}

__host__ __device__ static inline unsigned hash_key(unsigned k) {
    k ^= k >> 16;
    k *= 0x85ebca6bu;
    k ^= k >> 13;
    k *= 0xc2b2ae35u;
    return k ^ k >> 16;
}

// Small numbers, some of them negative, each a multiple of 1/4: sums of products are exact.
static inline float number(int i) { return ((int)(hash_key(i + 1) % 65) - 32) / 4.0f; }
static inline int whole(int i) { return (int)(hash_key(i) % 200) - 100; }
static inline unsigned char byte(int i) { return (unsigned char)(hash_key(i) >> 5); }

// The grid that covers width x height.
static inline dim3 cover(int width, int height, dim3 block) {
    return dim3((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
}

// The sum of n values, each times a weight for where it lies.
template <typename T> static void expect(const char *what, const T *d, int n, double wanted) {
    std::vector<T> got(n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(got.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    double sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
        double term = (double)got[i] * (i * 37 % 101 + 1);
        sum += term;
        size += fabs(term);
    }
    if (!(fabs(sum - wanted) <= 1e-5 * size)) {
        fprintf(stderr, "%s: %.12g, not %.12g\n", what, sum, wanted);
        check_failures++;
    }
}

#endif
