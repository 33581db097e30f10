// SPDX-License-Identifier: MIT
// Faulty kernels that every checker must reject, and the right one, which it must accept.
// A checker that passes everything is worth nothing: this is the test of the tests.
#include "../lib/device.h"
#include "../../common/experiment/variants.h"

// out = a * x + y, wrong in one way each. All write inside the guards that verify.h puts around it.

#define PARAMETERS float *out, const float *x, const float *y, float a, size_t n
#define SUM (a * x[i] + y[i])

// A kernel of a thread for each element: where `condition` holds, it stores `value` at `place`.
#define SAXPY(name, condition, place, value)                                                       \
    __global__ void name(PARAMETERS) {                                                             \
        size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;                                  \
        (void)a, (void)x, (void)y;                                                                 \
        if (condition)                                                                             \
            out[place] = value;                                                                    \
    }
#define EACH_SAXPY(DO)                                                                             \
    DO(skips_the_tail, i < n / 4 * 4, i, SUM)                                                      \
    DO(stops_one_early, i + 1 < n, i, SUM)                                                         \
    DO(reads_the_neighbour, i < n, i, (a * x[i + 1 < n ? i + 1 : i] + y[i]))                       \
    DO(writes_the_neighbour, i < n, i + 1 < n ? i + 1 : 0, SUM)                                    \
    DO(writes_nothing, i < n && SUM < 0, i, 0)                                                     \
    DO(writes_nan, i < n, i, nanf("") * SUM)                                                       \
    DO(writes_one_nan, i < n, i, i == n / 2 ? nanf("") : SUM)                                      \
    DO(ignores_a, i < n, i, x[i] + y[i])                                                           \
    DO(ignores_y, i < n, i, (a * x[i]))                                                            \
    DO(forgets_a_block, i < n && blockIdx.x != gridDim.x / 2, i, SUM)                              \
    DO(forgets_a_lane, i < n && i != 31, i, SUM)                                                   \
    DO(is_off_by_one_bit, i < n, i, i == n - 1 ? nextafterf(SUM, 0) : SUM)
SAXPY(right, i < n, i, SUM)
EACH_SAXPY(SAXPY)

// These two give every element its value, and only the guards can tell.

#define SAXPY_AND(name, place)                                                                     \
    __global__ void name(PARAMETERS) {                                                             \
        size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;                                  \
        if (i < n)                                                                                 \
            out[i] = SUM;                                                                          \
        if (i == 0)                                                                                \
            out[place] = 0;                                                                        \
    }
SAXPY_AND(writes_past_the_end, n)
SAXPY_AND(writes_before_the_start, -1)

enum { VALUES = 1, GUARDS = 2 };

#define ENTRY(name, condition, place, value) {#name, name, VALUES},
static const struct kernel {
    const char *name;
    void (*function)(PARAMETERS);
    int wrong;
} kernels[] = {
    {"right", right, 0},
    EACH_SAXPY(ENTRY) //
    {"writes past the end", writes_past_the_end, GUARDS},
    {"writes before the start", writes_before_the_start, GUARDS},
};

// Every `step`th kernel.
static void examine(size_t n, size_t step) {
    size_t bytes = n * sizeof(float);
    float a = 3, *h_x = (float *)host_malloc(bytes), *h_y = (float *)host_malloc(bytes);
    float *d_x = (float *)guarded_malloc(bytes), *d_y = (float *)guarded_malloc(bytes);
    float *d_out = (float *)guarded_malloc(bytes), *d_expected = (float *)guarded_malloc(bytes);
    fill_floats(h_x, n, 1);
    fill_floats(h_y, n, 2);
    must(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
    must(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));
    for (size_t i = 0; i < n; i++)
        h_y[i] += a * h_x[i];
    float *h_expected = h_y, *h_out = h_x;
    must(cudaMemcpy(d_expected, h_expected, bytes, cudaMemcpyHostToDevice));

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k += step) {
        const struct kernel *kernel = &kernels[k];
        size_t size = sizeof(float), values = kernel->wrong & VALUES,
               guards = kernel->wrong & GUARDS;
        poison(d_out, bytes);
        kernel->function<<<(unsigned)((n + 255) / 256), 256>>>(d_out, d_x, d_y, a, n);
        must(cudaGetLastError());
        must(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
        size_t on_host = count_mismatches(h_expected, h_out, n, size, NULL);
        size_t on_device = count_mismatches_by_kernel(d_expected, d_out, n, size);
        ok(!on_host == !values, "%s (n = %zu): the host comparison finds %zu", kernel->name, n,
           on_host);
        ok(on_device == on_host, "%s: so does the counting kernel", kernel->name);
        ok(count_mismatches_on_device(d_expected, d_out, n, size, NULL) == on_host,
           "%s: and whichever of them n calls for", kernel->name);
        size_t damage = count_guard_damage(d_out, bytes, NULL);
        ok(!damage == !guards, "%s: guard bytes overwritten: %zu", kernel->name, damage);
        if (damage) { // make it good for the next kernel
            guarded_free(d_out);
            d_out = (float *)guarded_malloc(bytes);
        }
    }
    guarded_free(d_x);
    guarded_free(d_y);
    guarded_free(d_out);
    guarded_free(d_expected);
    free(h_x);
    free(h_y);
}

// variant_try keeps what a reference has made: no faulty kernel may pass, in whatever order they
// are tried.
static void triple_reference(float *out, const float *x, const float *y, size_t n, size_t) {
    for (size_t i = 0; i < n; i++)
        out[i] = 3 * x[i] + y[i];
}

static void in_place_reference(float *out, const float *x, const float *, size_t n, size_t) {
    triple_reference(out, x, out, n, 0);
}

#define LAUNCH(kernel, y)                                                                          \
    [](const struct arrays *arrays, unsigned block, size_t) {                                      \
        kernel<<<blocks(arrays->n, block), block>>>(arrays->d_out, arrays->d_a, arrays->y, 3,      \
                                                    arrays->n);                                    \
        must(cudaGetLastError());                                                                  \
    }
#define TO_B(name, kernel)                                                                         \
    { name, LAUNCH(kernel, d_b), triple_reference, 256, 0, 12, 2, 0, "" }
#define IN_PLACE(name, kernel)                                                                     \
    { name, LAUNCH(kernel, d_out), in_place_reference, 256, 0, 12, 2, 1, "" }

static void examine_tries(size_t n) {
    static const struct {
        struct variant variant;
        int right;
    } tries[] = {
        {TO_B("off by one bit", is_off_by_one_bit), 0},
        {TO_B("right", right), 1},
        {TO_B("off by one bit", is_off_by_one_bit), 0},
        {TO_B("writes one NaN", writes_one_nan), 0},
        {TO_B("writes nothing", writes_nothing), 0},
        {TO_B("right", right), 1},
        {IN_PLACE("in place, nothing", writes_nothing), 0},
        {IN_PLACE("in place", right), 1},
        {IN_PLACE("in place", right), 1},
        {IN_PLACE("in place, nothing", writes_nothing), 0},
        {TO_B("past the end", writes_past_the_end), 0},
    };
    struct arrays arrays = arrays_create(n);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        ok(variant_try(&tries[i].variant, &arrays) == tries[i].right, "try %zu (n = %zu): %s", i, n,
           tries[i].variant.name);
    arrays_free(&arrays);
}

int main(void) {
    need_device();
    examine(1003, 1);
    examine(1000003, 3); // more than the counting kernel has threads
    examine_tries(1003);

    // Indices beyond 2^32 differ from those below, so a kernel that truncates them is found.
    ok(fill_value(5, 1) != fill_value(((size_t)1 << 32) + 5, 1), "inputs do not repeat at 2^32");
    return done_testing();
}
