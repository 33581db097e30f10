// SPDX-License-Identifier: MIT
// Checks exercise 3.1: figures of known devices, and of none.
//
//   build: plain
//   runs: in-order
//   cases: 21, 0
//   unsolved: values: saxpy_bytes
#include "../../../tools/learn/check.h"

size_t saxpy_bytes(size_t n); // the learner's
size_t saxpy_flops(size_t n);
double gb_per_s(size_t bytes, double ms);
double peak_gb_per_s(int clock_khz, int width_bits);

// Every right answer is positive. A product that did not fit into 32 bits may have become negative,
// or lacks a multiple of 2^32: before or after a division by 8, or without it. unit: of the
// answer, as a whole number.
static int has_overflowed(double expected, double actual, double unit) {
    const double missing[] = {expected - actual, 8 * expected - actual, 8 * (expected - actual)};
    for (int k = 0; k < 3; k++)
        if (missing[k] * unit > 8 && fabs(remainder(missing[k] * unit, 4294967296.0)) <= 7)
            return 1;
    return actual < 0;
}

static void expect(double expected, double actual, double unit) {
    if (!(fabs(actual - expected) <= 1e-9 * expected))
        fail("values", "it returned %.10g, right is %.10g%s", actual, expected,
             has_overflowed(expected, actual, unit)
                 ? ": the integer overflowed, an int holds up to 2147483647"
                 : "");
    passed();
}

#define EXPECT(expected, unit, call)                                                               \
    do {                                                                                           \
        double actual;                                                                             \
        OBSERVE(actual, (double)call);                                                             \
        expect(expected, actual, unit);                                                            \
    } while (0)

static void check_cases(void) {
    static const size_t n[] = {1, 1000, (size_t)20 << 20, (size_t)3 << 32};
    for (int k = 0; k < 5; k++) {
        size_t size = k < 4 ? n[k] : 1 + chance(1u << 30);
        calling("saxpy_bytes(%zu)", size);
        EXPECT(12.0 * (double)size, 1, saxpy_bytes(size));
    }
    for (int k = 0; k < 5; k++) {
        size_t size = k < 4 ? n[k] : 1 + chance(1u << 30);
        calling("saxpy_flops(%zu)", size);
        EXPECT(2.0 * (double)size, 1, saxpy_flops(size));
    }
    calling("gb_per_s(1000000000, 1000)"); // a thousand million bytes in a second
    EXPECT(1, 1e9, gb_per_s(1000000000, 1000));
    for (int k = 0; k < 4; k++) {
        size_t bytes = ((size_t)chance(1u << 30) + 1) << (k * 4);
        double ms = (1 + chance(100000)) * 1e-3;
        calling("gb_per_s(%zu, %g)", bytes, ms);
        EXPECT((double)bytes / ms * 1e-6, ms * 1e6, gb_per_s(bytes, ms));
    }
    calling("peak_gb_per_s(1546000, 384), a Tesla M2050");
    EXPECT(148.416, 1e9, peak_gb_per_s(1546000, 384));
    calling("peak_gb_per_s(3201000, 6016), an H200");
    EXPECT(2 * 3201e6 * 752 / 1e9, 1e9, peak_gb_per_s(3201000, 6016));
    for (int k = 0; k < 4; k++) {
        int khz = 500000 + (int)chance(3000000), bits = 8 * (1 + (int)chance(1000));
        calling("peak_gb_per_s(%d, %d)", khz, bits);
        EXPECT(2.0 * khz * bits / 8e6, 1e9, peak_gb_per_s(khz, bits));
    }
}

static void check_facts(void) {}
