// SPDX-License-Identifier: MIT
// What programs have in common: kernels that make an array `out` of two arrays `a`
// and `b`, n floats each, and the check of all they wrote.
#ifndef ARRAYS_H
#define ARRAYS_H

#include "program.h"
#include "verify.h"

// A line of a program's table. launch gets device pointers, checks that the launch was accepted and
// does not wait; reference does the same work on the host.
struct variant {
    const char *name;
    void (*launch)(float *out, const float *a, const float *b, size_t n);
    void (*reference)(float *out, const float *a, const float *b, size_t n);
    size_t bytes, flops; // for each element
    int in_place;        // out is read before it is written
    const char *expect;
};

enum { KEPT = 4 };

struct arrays {
    size_t n;
    float *d_out, *d_a, *d_b;
    float *h_expected, *h_a, *h_b;
    // For variant_try: what out starts as, what references make of it, and which.
    float *d_start, *d_kept[KEPT];
    void (*kept[KEPT])(float *out, const float *a, const float *b, size_t n);
};

static inline struct arrays arrays_create(size_t n) {
    size_t bytes = n * sizeof(float);
    struct arrays arrays;
    memset(&arrays, 0, sizeof arrays);
    arrays.n = n;
    arrays.d_out = (float *)guarded_malloc(bytes);
    arrays.d_a = (float *)guarded_malloc(bytes);
    arrays.d_b = (float *)guarded_malloc(bytes);
    arrays.h_expected = (float *)host_malloc(bytes);
    arrays.h_a = (float *)host_malloc(bytes);
    arrays.h_b = (float *)host_malloc(bytes);
    fill_floats(arrays.h_a, n, 1);
    fill_floats(arrays.h_b, n, 2);
    CUDA_CHECK(cudaMemcpy(arrays.d_a, arrays.h_a, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(arrays.d_b, arrays.h_b, bytes, cudaMemcpyHostToDevice));
    return arrays;
}

static inline void arrays_free(struct arrays *arrays) {
    guarded_free(arrays->d_out);
    guarded_free(arrays->d_a);
    guarded_free(arrays->d_b);
    for (int i = 0; i < KEPT && arrays->kept[i]; i++)
        guarded_free(arrays->d_kept[i]);
    if (arrays->d_start)
        guarded_free(arrays->d_start);
    free(arrays->h_expected);
    free(arrays->h_a);
    free(arrays->h_b);
}

static inline void variant_launch(const struct variant *variant, const struct arrays *arrays) {
    variant->launch(arrays->d_out, arrays->d_a, arrays->d_b, arrays->n);
}

// Puts out into a known state: NaN, or for an in-place kernel values that the reference gets too.
static inline void variant_reset(const struct variant *variant, struct arrays *arrays) {
    size_t n = arrays->n, bytes = n * sizeof(float);
    fill_floats(arrays->h_expected, n, 3);
    if (variant->in_place)
        CUDA_CHECK(cudaMemcpy(arrays->d_out, arrays->h_expected, bytes, cudaMemcpyHostToDevice));
    else
        poison(arrays->d_out, bytes);
    variant->reference(arrays->h_expected, arrays->h_a, arrays->h_b, n);
}

static inline size_t variant_damage(const struct variant *variant, const struct arrays *arrays) {
    size_t bytes = arrays->n * sizeof(float);
    return count_guard_damage(arrays->d_out, bytes, variant->name) +
           count_guard_damage(arrays->d_a, bytes, variant->name) +
           count_guard_damage(arrays->d_b, bytes, variant->name);
}

// After a reset and one launch: 1 if every element is the reference's and no guard was touched.
static inline int variant_is_right(const struct variant *variant, const struct arrays *arrays) {
    size_t wrong =
        check_device(arrays->d_out, arrays->h_expected, arrays->n, sizeof(float), variant->name);
    return wrong + variant_damage(variant, arrays) == 0;
}

static inline float *copy_on_device(const float *d, size_t bytes) {
    float *d_copy = (float *)guarded_malloc(bytes);
    CUDA_CHECK(cudaMemcpy(d_copy, d, bytes, cudaMemcpyDeviceToDevice));
    return d_copy;
}

// Resets, launches once, checks. On many elements each reference runs once: what it made, and a
// launch was found to make, stays on the device, and later tries are compared with that. So a
// reference must depend on nothing but the arrays.
static inline int variant_try(const struct variant *variant, struct arrays *arrays) {
    size_t n = arrays->n, bytes = n * sizeof(float), wrong;
    int i = n > HOST_COMPARES ? 0 : KEPT, right;
    while (i < KEPT && arrays->kept[i] && arrays->kept[i] != variant->reference)
        i++;
    if (i == KEPT || !arrays->kept[i] || (variant->in_place && !arrays->d_start)) {
        variant_reset(variant, arrays);
        if (i < KEPT && variant->in_place && !arrays->d_start)
            arrays->d_start = copy_on_device(arrays->d_out, bytes);
        variant_launch(variant, arrays);
        right = variant_is_right(variant, arrays);
        if (i < KEPT && right && !arrays->kept[i]) {
            arrays->kept[i] = variant->reference;
            arrays->d_kept[i] = copy_on_device(arrays->d_out, bytes);
        }
        return right;
    }
    if (variant->in_place)
        CUDA_CHECK(cudaMemcpy(arrays->d_out, arrays->d_start, bytes, cudaMemcpyDeviceToDevice));
    else
        poison(arrays->d_out, bytes);
    variant_launch(variant, arrays);
    wrong = check_on_device(arrays->d_out, arrays->d_kept[i], n, sizeof(float), variant->name);
    return wrong + variant_damage(variant, arrays) == 0;
}

#endif
