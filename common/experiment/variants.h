// SPDX-License-Identifier: MIT
// A program's table of variants: kernels that make an array `out` of two arrays `a` and `b`, n
// floats each; how each is launched, what it must compute, what it moves. To add a variant, add a
// row to the program's table; the fields are those of struct variant.
#ifndef VARIANTS_H
#define VARIANTS_H

#include "rows.h"
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

// Computes on the host what a variant must, from nothing but its arguments.
typedef void reference(float *out, const float *a, const float *b, size_t n, size_t parameter);

// What a reference computed, in device memory.
struct expectation {
    reference *by;
    size_t parameter;
    float *d;
};

enum { ARRAYS = 5, EXPECTATIONS = 64 }; // arrays of floats, for run_size(); more if there is room

// In device memory, between guards: out, its inputs, what out starts as, what it must become.
struct arrays {
    size_t n;
    float *d_out, *d_a, *d_b, *d_start, *d_expected;
    struct expectation expectations[EXPECTATIONS]; // d_expected is one of them
    size_t expected;                               // how many there were
    int same_for_all; // references ignore the parameter: one result serves all variants
    float *h;         // for references: room for out, then a and b; NULL before the first
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

static inline struct arrays arrays_create(size_t n) {
    struct arrays x;
    memset(&x, 0, sizeof x);
    x.n = n;
    float **all[ARRAYS] = {&x.d_out, &x.d_a, &x.d_b, &x.d_start, &x.expectations[0].d};
    for (int i = 0; i < ARRAYS; i++) // first: too large a --size is too much for the device
        *all[i] = (float *)guarded_malloc(n * sizeof(float));
    for (unsigned salt = 1; salt <= 3; salt++) // a, b and start
        fill_on_device(*all[salt], n, salt);
    return x;
}

static inline void arrays_free(struct arrays *x) {
    float *all[ARRAYS - 1] = {x->d_out, x->d_a, x->d_b, x->d_start};
    for (int i = 0; i < ARRAYS - 1; i++)
        guarded_free(all[i]);
    for (int i = 0; i < EXPECTATIONS && x->expectations[i].d; i++)
        guarded_free(x->expectations[i].d);
    free(x->h);
}

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

// The place for one more expectation: a new one if half of the memory is left, else the oldest.
static inline struct expectation *new_expectation(struct arrays *x) {
    size_t bytes = x->n * sizeof(float), room, total, i = x->expected++ % EXPECTATIONS;
    CUDA_CHECK(cudaMemGetInfo(&room, &total));
    if (!x->expectations[i].d && room > total / 2 && room > 4 * bytes)
        x->expectations[i].d = (float *)guarded_malloc(bytes);
    if (!x->expectations[i].d)
        i = 0, x->expected = 1;
    return &x->expectations[i];
}

// The first write to a page takes longer than what is computed in it: the fewer, the faster.
static inline void use_large_pages(void *h, size_t bytes) {
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), skip = page - (size_t)h % page;
    if (bytes > (size_t)8 << 20)
        (void)madvise((char *)h + skip, bytes - skip, MADV_HUGEPAGE); // advice: it may be refused
#else
    (void)h, (void)bytes;
#endif
}

// What out must become: d_expected. The reference is computed on the host, from what the host fills
// in itself.
static inline void variant_expect(const struct variant *v, struct arrays *x) {
    size_t bytes = x->n * sizeof(float);
    for (size_t i = 0; i < EXPECTATIONS && i < x->expected; i++) {
        struct expectation *e = &x->expectations[i];
        x->d_expected = e->d;
        if (e->by == v->expected && (x->same_for_all || e->parameter == v->parameter))
            return;
    }
    if (!x->h) {
        x->h = (float *)host_malloc(3 * bytes);
        use_large_pages(x->h, 3 * bytes);
        fill_floats(x->h + x->n, x->n, 1);
        fill_floats(x->h + 2 * x->n, x->n, 2);
    }
    struct expectation *e = new_expectation(x);
    e->by = v->expected, e->parameter = v->parameter, x->d_expected = e->d;
    if (v->in_place)
        fill_floats(x->h, x->n, 3);
    else
        poison_floats(x->h, x->n);
    v->expected(x->h, x->h + x->n, x->h + 2 * x->n, x->n, v->parameter);
    CUDA_CHECK(cudaMemcpy(e->d, x->h, bytes, cudaMemcpyHostToDevice));
}

// 1 if every element of out is that of d_expected and no guard was touched.
static inline int variant_is_right(const struct variant *v, const struct arrays *x) {
    size_t bytes = x->n * sizeof(float);
    return count_mismatches_on_device(x->d_expected, x->d_out, x->n, sizeof(float), v->name) +
               count_guard_damage(x->d_out, bytes, v->name) +
               count_guard_damage(x->d_a, bytes, v->name) +
               count_guard_damage(x->d_b, bytes, v->name) ==
           0;
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

// 1 if the array still holds what arrays_create put there.
static inline int is_unchanged(const float *d, size_t n, unsigned salt, const char *what) {
    float *h = (float *)host_malloc(2 * n * sizeof *h);
    CUDA_CHECK(cudaMemcpy(h, d, n * sizeof *h, cudaMemcpyDeviceToHost));
    fill_floats(h + n, n, salt);
    size_t wrong = count_mismatches(h + n, h, n, sizeof *h, what);
    free(h);
    return wrong == 0;
}

// With a list of sizes, --size 0,1,31: each variant once at each size, checked, not timed; then 1.
static inline int check_sizes(const struct variant *variants, size_t count) {
    if (run.size_count > 1)
        run.columns = "variant n block check";
    for (size_t s = 0; run.size_count > 1 && s < run.size_count; s++) {
        struct arrays x = arrays_create(run.sizes[s]);
        for (size_t i = 0; i < count; i++) {
            int right = variant_try(&variants[i], &x) & is_unchanged(x.d_a, x.n, 1, "a, an input") &
                        is_unchanged(x.d_b, x.n, 2, "b, an input");
            struct row row = variant_row(&variants[i], &x, right);
            print_row(&row);
        }
        arrays_free(&x);
    }
    return run.size_count > 1;
}

#endif
