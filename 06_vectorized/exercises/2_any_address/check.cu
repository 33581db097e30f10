// SPDX-License-Identifier: MIT
// Checks exercise 6.2: every length from every address, nothing outside, and still float4.
//
//   runs: in-order facts
//   cases: 60, 17
//   unsolved: memory|error
#include "../../../tools/learn/api_calls.h"

void scale_array(float *x, size_t n, float factor); // the learner's

// What lies before and after the n floats belongs to the same allocation, and must not change.
static void expect_scaled(size_t n, size_t first) {
    struct buffer x = input("x", first + n + 5, 1 << 20);
    float factor = (float)(2 + chance(6));
    calling("n = %zu, address %% 16 = %zu", n, first * sizeof(float));
    WATCH(scale_array(x.d + first, n, factor));
    returned();
    for (size_t i = first; i < first + n && judging(); i++)
        x.h[i] *= factor;
    check_buffer(&x);
    passed();
    release(&x);
}

static void check_cases(void) {
    for (size_t n = 0; n < 10; n++)
        for (size_t first = 0; first < 4; first++)
            expect_scaled(n, first);
    for (int k = 0; k < SIZES; k++)
        expect_scaled(sizes[k], (size_t)k % 4);
}

static void check_facts(void) {
    const size_t n = (1 << 18) + 1024 * (size_t)chance(64);
    expect_scaled(n, 3);
    limit_copies(0);
    limit("bytes read per element", per("useful ld", n), 4, 4);
    limit("bytes written per element", per("useful st", n), 4, 4);
    limit("bytes per load", "bytes/request ld", 500, INFINITY);
    limit("bytes per store", "bytes/request st", 500, INFINITY);
}
