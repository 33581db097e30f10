// SPDX-License-Identifier: MIT
// Checks exercise 6.1: every length, nothing outside the arrays, and still float4.
//
//   runs: in-order facts
//   cases: 20, 1
//   unsolved: memory: add
#include "../../../tools/learn/api_calls.h"

void add_arrays(float *out, const float *a, const float *b, size_t n); // the learner's

static void check_cases(void) {
    for (int k = 0; k < SIZES; k++) {
        size_t n = sizes[k];
        struct buffer out = output("out", n), a = input("a", n, 1 << 20),
                      b = input("b", n, 1 << 20);
        for (int call = 1; call <= 2; call++) {
            calling("n = %zu, call %d", n, call);
            repoison(&out);
            refill(&a, 1 << 20);
            refill(&b, 1 << 20);
            LEARNER(add_arrays(out.d, a.d, b.d, n));
            returned();
            for (size_t i = 0; i < n && judging(); i++)
                out.h[i] = a.h[i] + b.h[i];
            check_buffer(&out);
            check_buffer(&a);
            check_buffer(&b);
        }
        passed();
        release(&out);
        release(&a);
        release(&b);
    }
}

static void check_facts(void) {
    const size_t n = (1 << 18) + 1024 * (size_t)chance(64) + 3;
    struct buffer out = output("out", n), a = input("a", n, 1 << 20), b = input("b", n, 1 << 20);
    calling("n = %zu", n);
    WATCH(add_arrays(out.d, a.d, b.d, n));
    returned();
    for (size_t i = 0; i < n && judging(); i++)
        out.h[i] = a.h[i] + b.h[i];
    check_buffer(&out);
    passed();
    limit_copies(0);
    limit("bytes read per element", per("useful ld", n), 8, 8);
    limit("bytes written per element", per("useful st", n), 4, 4);
    limit("bytes per load", "bytes/request ld", 500, INFINITY);
    limit("bytes per store", "bytes/request st", 500, INFINITY);
}
