// SPDX-License-Identifier: MIT
// A program's table of variants: kernels that make an array `out` of two arrays `a` and `b`, n
// floats each; how each is launched, what it must compute, what it moves: see struct variant.
#ifndef VARIANTS_H
#define VARIANTS_H

#include "rows.h"

// Computes on the host what a variant must, from nothing but its arguments.
typedef void reference(float *out, const float *a, const float *b, size_t n, size_t parameter);

enum { ARRAYS = 5 }; // of floats, for run_size()

// In device memory, between guards: out, its inputs, what out starts as, what it must become.
struct arrays {
    size_t n;
    float *d_out, *d_a, *d_b, *d_start, *d_expected;
    reference *expected_by; // what computed d_expected, NULL: nothing yet; and for what parameter
    size_t expected_for;
    int same_for_all; // references ignore the parameter: one result serves all variants
    float *h;         // in host memory: room for out, then a and b
};

// launch queues the work on x->n > 0 elements, checks that the launch was accepted, and does not
// wait. It and the reference get the variant's parameter: a stride, an offset, elements per thread,
// whatever the table varies.
struct variant {
    const char *name;
    void (*launch)(const struct arrays *x, unsigned block, size_t parameter);
    reference *expected;
    unsigned block;
    size_t parameter;
    double bytes, flops; // for each element; 12.0 / 8 where 12 bytes of 8 floats are wanted
    int in_place;        // out is read before it is written
    const char *expect;
};

#ifdef __CUDACC__
static inline struct arrays arrays_create(size_t n) {
    const size_t bytes = n * sizeof(float);
    const unsigned salts[] = {3, 1, 2}; // of start, a and b
    struct arrays x = {};
    x.n = n;
    float **all[ARRAYS] = {&x.d_start, &x.d_a, &x.d_b, &x.d_out, &x.d_expected};
    for (int i = 0; i < ARRAYS; i++) // first: too large a --size is too much for the device
        *all[i] = (float *)guarded_malloc(bytes);
    x.h = (float *)host_malloc(3 * bytes);
    for (int i = 0; i < 3; i++)
        if (n > HOST_COMPARES) {
            fill_kernel<<<1024, 256>>>(*all[i], n, salts[i]);
            CUDA_CHECK(cudaGetLastError());
        } else {
            fill_floats(x.h, n, salts[i]);
            CUDA_CHECK(cudaMemcpy(*all[i], x.h, bytes, cudaMemcpyHostToDevice));
        }
    return x;
}

static inline void arrays_free(struct arrays *x) {
    float *all[ARRAYS] = {x->d_out, x->d_a, x->d_b, x->d_start, x->d_expected};
    for (int i = 0; i < ARRAYS; i++)
        guarded_free(all[i]);
    free(x->h);
}

// What kernels of several programs compute.
static inline void sum_reference(float *out, const float *a, const float *b, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

static inline void saxpy_reference(float *y, const float *x, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + y[i];
}

static inline void copy_reference(float *out, const float *a, const float *, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i];
}

static inline void nothing_reference(float *, const float *, const float *, size_t, size_t) {}

static inline void variant_launch(const struct variant *v, const struct arrays *x) {
    if (x->n > 0)
        v->launch(x, v->block, v->parameter);
}

// Out as it is before a launch: NaN, or for an in-place kernel what it starts from.
static inline void variant_reset(const struct variant *v, const struct arrays *x) {
    size_t bytes = x->n * sizeof(float);
    if (v->in_place)
        CUDA_CHECK(cudaMemcpy(x->d_out, x->d_start, bytes, cudaMemcpyDeviceToDevice));
    else
        poison(x->d_out, bytes);
}

// What out must become, in d_expected: computed on the host, from what the host filled in itself.
static inline void variant_expect(const struct variant *v, struct arrays *x) {
    size_t bytes = x->n * sizeof(float);
    if (x->expected_by == v->expected && (x->same_for_all || x->expected_for == v->parameter))
        return;
    if (!x->expected_by) {
        fill_floats(x->h + x->n, x->n, 1); // as a
        fill_floats(x->h + 2 * x->n, x->n, 2);
    }
    if (v->in_place)
        fill_floats(x->h, x->n, 3); // as start
    else
        memset(x->h, POISON_BYTE, bytes);
    v->expected(x->h, x->h + x->n, x->h + 2 * x->n, x->n, v->parameter);
    CUDA_CHECK(cudaMemcpy(x->d_expected, x->h, bytes, cudaMemcpyHostToDevice));
    x->expected_by = v->expected, x->expected_for = v->parameter;
}

// 1 if every element of out is that of d_expected and no guard was touched.
static inline int variant_is_right(const struct variant *v, const struct arrays *x) {
    size_t bytes = x->n * sizeof(float);
    return !(count_mismatches_on_device(x->d_expected, x->d_out, x->n, sizeof(float), v->name) +
             count_guard_damage(x->d_out, bytes, v->name) +
             count_guard_damage(x->d_a, bytes, v->name) +
             count_guard_damage(x->d_b, bytes, v->name));
}

// Resets, launches once, compares every element: before the timing, as its warm-up, and after it.
// The waits are for variants in streams that do not wait for the default stream.
static inline int variant_try(const struct variant *v, struct arrays *x) {
    variant_expect(v, x);
    variant_reset(v, x);
    CUDA_CHECK(cudaDeviceSynchronize());
    variant_launch(v, x);
    CUDA_CHECK(cudaDeviceSynchronize());
    return variant_is_right(v, x);
}

// A row with all that the table of variants knows.
static inline struct row variant_row(const struct variant *v, const struct arrays *x, int right) {
    struct row row = row_of(v->name);
    row.dtype = "float";
    row.n = x->n;
    row.block = v->block;
    row.bytes = (size_t)((double)x->n * v->bytes);
    row.flops = (size_t)((double)x->n * v->flops);
    row.check = right ? "ok" : "FAIL";
    return row;
}

// With a list of sizes, --size 0,1,31, the whole program: each variant once at each size, checked,
// its inputs too, not timed. Else nothing.
static inline void check_sizes(const struct variant *variants, size_t count) {
    if (run.size_count < 2)
        return;
    run.columns = "variant n block check";
    for (size_t s = 0; s < run.size_count; s++) {
        struct arrays x = arrays_create(run.sizes[s]);
        for (size_t i = 0; i < count; i++) {
            int right = variant_try(&variants[i], &x);
            for (int b = 0; b <= 1; b++) {
                const float *expected = x.h + (1 + b) * x.n, *d = b ? x.d_b : x.d_a;
                CUDA_CHECK(cudaMemcpy(x.h, d, x.n * sizeof *d, cudaMemcpyDeviceToHost));
                right &= !count_mismatches(expected, x.h, x.n, sizeof *d,
                                           b ? "b, an input" : "a, an input");
            }
            struct row row = variant_row(&variants[i], &x, right);
            print_row(&row);
        }
        arrays_free(&x);
    }
    exit(run_end());
}
#endif // __CUDACC__
#endif
