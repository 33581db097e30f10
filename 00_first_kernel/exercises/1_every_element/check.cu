// SPDX-License-Identifier: MIT
// Checks exercise 0.1: every length, every element once, nothing outside of the arrays.
//
//   runs: in-order facts
//   cases: 20, 1
//   unsolved: memory: saxpy
#include "../../../tools/learn/api_calls.h"

void saxpy_arrays(float *y, const float *x, float a, size_t n); // the learner's

static void expect_saxpy(size_t n) {
    struct buffer y = input("y", n, 1 << 20), x = input("x", n, 1 << 10);
    float a = (float)(2 + chance(100));
    calling("n = %zu, a = %g", n, a);
    WATCH(saxpy_arrays(y.d, x.d, a, n));
    returned();
    for (size_t i = 0; i < n && judging(); i++)
        y.h[i] = a * x.h[i] + y.h[i];
    check_buffer(&y);
    check_buffer(&x);
    passed();
    release(&x);
    release(&y);
}

static void check_cases(void) {
    for (int k = 0; k < SIZES; k++)
        expect_saxpy(sizes[k]);
}

static void check_facts(void) {
    const size_t n = 100000 + (size_t)chance(100000);
    expect_saxpy(n);
    limit_copies(0);
    limit("threads of 32 at work at a time", "bytes/request ld / 4", 16, 32);
    limit("bytes read per element", per("useful ld", n), 8, 8);
    limit("bytes written per element", per("useful st", n), 4, 4);
}
