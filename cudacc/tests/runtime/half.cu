// SPDX-License-Identifier: MIT
// half and half2, all of them: float16_checks.h. TEST_ALL=1: with more others.
#include <cuda_fp16.h>
#define NUMBER __half
#define PAIR __half2
#define NAMED(x, y) x##half##y
#define NAMED2(x, y) x##half2##y
enum { FRACTION = 10 };
#define FUSED(with_it, without) (with_it)
#include "../lib/float16_checks.h"

KERNEL(to_numbers, 1, 1) {
    __half h = hide(2.5f), big = hide(65504.0f), minus = hide(-2.5f);
    __half infinite = __ushort_as_half(0x7c00), nan = __ushort_as_half(0x7fff);
    CHECK(__half2int_rn(h) == 2 && __half2int_rz(minus) == -2 && __half2int_ru(h) == 3);
    CHECK(__half2int_rd(minus) == -3 && __half2uint_rn(minus) == 0 && __half2int_rn(nan) == 0);
    CHECK(__half2short_rz(big) == 32767 && __half2ushort_rz(big) == 65504);
    CHECK(__half2int_rz(infinite) == 2147483647 && __half2ll_rn(big) == 65504);
    CHECK((float)h == 2.5f && (int)h == 2 && (bool)h && !(bool)__half(0.0f));
    CHECK(is(__int2half_rn(hide(2049)), 2048) && is(__int2half_ru(2049), 2050));
    CHECK(is(__int2half_rz(hide(-2051)), -2050) && is(__int2half_rd(-2049), -2050));
    CHECK(__half_as_ushort(__int2half_rn(hide(65520))) == 0x7c00);
    CHECK(__half_as_ushort(__int2half_rz(hide(1000000))) == 0x7bff);
    CHECK(is(__ull2half_rn(hide(2051ull)), 2052) && is(__short2half_rn(hide((short)-7)), -7));
    CHECK(is(__half(hide(7)), 7) && is(__half(hide(0.1)), 0.0999755859375));
    CHECK(__half_as_short(minus) < 0 && is(__short_as_half(0x3c00), 1));
}

int main(void) { return run_tests(); }
