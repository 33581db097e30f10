// SPDX-License-Identifier: MIT
// Checks exercise 6.4: every length, and few requests for as many bytes.
//
//   runs: in-order facts
//   unsolved: goal: 96 requests per 1024 elements
#include "../../../tools/learn/api_calls.h"

void saxpy_arrays(float *y, const float *x, float a, size_t n); // the learner's

static void check_cases(void) {
    for (int k = 0; k < SIZES; k++) {
        size_t n = sizes[k];
        struct buffer x = input("x", n, 1 << 20), y = input("y", n, 1 << 20);
        for (int call = 1; call <= 2; call++) {
            float a = (float)(2 + chance(6));
            calling("n = %zu, a = %g, call %d", n, a, call);
            refill(&x, 1 << 20);
            refill(&y, 1 << 20);
            LEARNER(saxpy_arrays(y.d, x.d, a, n));
            returned();
            for (size_t i = 0; i < n && judging(); i++)
                y.h[i] = a * x.h[i] + y.h[i];
            check_buffer(&y);
            check_buffer(&x);
        }
        passed();
        release(&x);
        release(&y);
    }
}

static void check_facts(void) {
    const size_t n = (1 << 18) + 1024 * (size_t)chance(64) + 3;
    struct buffer x = input("x", n, 1 << 20), y = input("y", n, 1 << 20);
    calling("n = %zu", n);
    WATCH(saxpy_arrays(y.d, x.d, 2, n));
    returned();
    for (size_t i = 0; i < n && judging(); i++)
        y.h[i] = 2 * x.h[i] + y.h[i];
    check_buffer(&y);
    passed();
    limit_copies(0);
    limit("bytes read per element", per("useful ld", n), 8, 8);
    limit("bytes written per element", per("useful st", n), 4, 4);
    limit("% of the moved bytes used", "share all", 99, 100);
    goal("requests per 1024 elements", per("requests all", n / 1024), 96, 24);
}
