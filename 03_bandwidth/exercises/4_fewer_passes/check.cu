// SPDX-License-Identifier: MIT
// Checks exercise 3.4: the same values with fewer bytes moved.
//
//   runs: in-order facts
//   unsolved: goal: 28 bytes moved
#include "../../../tools/learn/api_calls.h"

// The learner's.
void sum_of_squares(float *out, const float *x, const float *y, float *scratch, size_t n);

enum { BELOW = 2048 }; // squares of these add up to less than 2^24

static void check_cases(void) {
    for (int k = 0; k < SIZES; k++) {
        size_t n = sizes[k];
        struct buffer out = output("out", n), scratch = output("scratch", n);
        struct buffer x = input("x", n, BELOW), y = input("y", n, BELOW);
        for (int call = 1; call <= 2; call++) {
            calling("n = %zu, call %d", n, call);
            repoison(&out);
            repoison(&scratch);
            refill(&x, BELOW);
            refill(&y, BELOW);
            LEARNER(sum_of_squares(out.d, x.d, y.d, scratch.d, n));
            returned();
            for (size_t i = 0; i < n && judging(); i++)
                out.h[i] = x.h[i] * x.h[i] + y.h[i] * y.h[i];
            check_buffer(&out);
            check_buffer(&x);
            check_buffer(&y);
        }
        passed();
        release(&out);
        release(&scratch);
        release(&x);
        release(&y);
    }
}

static void check_facts(void) {
    const size_t n = (1 << 18) + 1024 * (size_t)chance(64);
    struct buffer out = output("out", n), scratch = output("scratch", n);
    struct buffer x = input("x", n, BELOW), y = input("y", n, BELOW);
    calling("n = %zu", n);
    WATCH(sum_of_squares(out.d, x.d, y.d, scratch.d, n));
    returned();
    for (size_t i = 0; i < n && judging(); i++)
        out.h[i] = x.h[i] * x.h[i] + y.h[i] * y.h[i];
    check_buffer(&out);
    passed();
    limit_copies(0);
    limit("bytes read per element", per("useful ld", n), 8, INFINITY);
    limit("bytes written per element", per("useful st", n), 4, INFINITY);
    goal("bytes moved per element", per("moved all", n), 28, 12);
}
