// SPDX-License-Identifier: MIT
// Checks exercise 5.4. Threads of a block run in two orders: what no barrier puts in order
// gives wrong values in one of them, and the tracer sees the race in any.
//
//   runs: in-order reversed facts
//   cases: 11, 1
//   unsolved: memory|values
#include "../../../tools/learn/api_calls.h"

void turn_pieces_round(float *out, const float *in, size_t n); // the learner's

enum { PIECE = 256, UNIT = 1024 };

static void expect_turned(size_t n) {
    struct buffer in = input("in", n, 1 << 20), out = output("out", n);
    for (int call = 1; call <= 2; call++) {
        calling("n = %zu, call %d", n, call);
        refill(&in, 1 << 20);
        repoison(&out);
        WATCH(turn_pieces_round(out.d, in.d, n));
        returned();
        for (size_t i = 0; i < n && judging(); i++)
            out.h[i] = in.h[i / PIECE * PIECE + PIECE - 1 - i % PIECE];
        check_buffer(&out);
        check_buffer(&in);
    }
    passed();
    release(&in);
    release(&out);
}

static void check_cases(void) {
    for (size_t units = 0; units < 4; units++)
        expect_turned(units * UNIT);
    expect_turned(100 * UNIT);
}

static void check_facts(void) {
    const size_t units = 48 + chance(32);
    expect_turned(units * UNIT);
    limit_copies(0);
    limit("sectors per load", "sectors/request ld", 0, 4);
    limit("sectors per store", "sectors/request st", 0, 4);
    limit("requests to shared memory per 1024 elements in two calls", per("shared all", 2 * units),
          64, 64);
}
