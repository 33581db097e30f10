// SPDX-License-Identifier: MIT
// __nv_bfloat16 and __nv_bfloat162, all of them: float16_checks.h. TEST_ALL=1: with more others.
#include <cuda_runtime.h>
#if CUDART_VERSION < 12020 // of those before it each has other parts
#include <stdio.h>
int main(void) {
    printf("1..0 # SKIP bfloat16 is complete from CUDA 12.2 on\n");
    return 0;
}
#else
#include <cuda_bf16.h>
#define NUMBER __nv_bfloat16
#define PAIR __nv_bfloat162
#define NAMED(x, y) x##bfloat16##y
#define NAMED2(x, y) x##bfloat162##y
enum { FRACTION = 7 };
// Before devices of capability 8.0 there is no fused multiplication and addition of it.
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800 && !defined __CUDACC_CPU__
#define FUSED(with_it, without) (without)
#else
#define FUSED(with_it, without) (with_it)
#endif
#include "../lib/float16_checks.h"

KERNEL(to_numbers, 1, 1) {
    __nv_bfloat16 b = hide(2.5f), big = hide(65280.0f), minus = hide(-2.5f);
    __nv_bfloat16 infinite = bits(0x7f80), nan = bits(0x7fff);
    CHECK(__bfloat162int_rn(b) == 2 && __bfloat162int_rz(minus) == -2 && __bfloat162int_ru(b) == 3);
    CHECK(__bfloat162int_rd(minus) == -3 && __bfloat162uint_rn(minus) == 0);
    CHECK(__bfloat162int_rn(nan) == 0 && __bfloat162int_rz(infinite) == 2147483647);
    CHECK(__bfloat162short_rz(big) == 32767 && __bfloat162ushort_rz(big) == 65280);
    CHECK(__bfloat162ll_rn(big) == 65280 && __bfloat162ull_rz(infinite) == ~0ull);
    CHECK((float)b == 2.5f && (int)b == 2 && (bool)b && !(bool)__nv_bfloat16(0.0f));
    CHECK(is(__int2bfloat16_rn(hide(257)), 256) && is(__int2bfloat16_ru(257), 258));
    CHECK(is(__int2bfloat16_rz(hide(-259)), -258) && is(__int2bfloat16_rd(-257), -258));
    CHECK(is(__uint2bfloat16_rn(hide(0xffffffffu)), 4294967296.0));
    CHECK(is(__uint2bfloat16_rz(hide(0xffffffffu)), 4278190080.0));
    // 2^62 and half a bit of it, and a little more, which neither float nor double holds
    CHECK(is(__ll2bfloat16_rn(hide(0x4040000000000000ll)), 0x1p62));
    CHECK(is(__ll2bfloat16_rn(hide(0x4040000000000001ll)), 0x1.02p62));
    CHECK(is(__ull2bfloat16_ru(hide(0x8000000000000001ull)), 0x1.02p63));
    CHECK(is(__nv_bfloat16(hide(-0x4040000000000001ll)), -0x1.02p62));
    CHECK(is(__short2bfloat16_rn(hide((short)-7)), -7) && is(__nv_bfloat16(hide(7)), 7));
    CHECK(is(__nv_bfloat16(hide(0.1)), 0.10009765625) && is(__nv_bfloat16(__half(b)), 2.5));
    CHECK(is(__nv_bfloat16(hide(1.00390625 + 0x1p-50)), 1.0078125)); // as a float: a tie
    CHECK(__bfloat16_as_short(minus) < 0 && is(__short_as_bfloat16(0x3f80), 1));
    CHECK(are(__bfloat162bfloat162(b), 2.5, 2.5) && __hisinf(CUDART_INF_BF16));
}

int main(void) {
    need_device();
    if (attribute(cudaDevAttrComputeCapabilityMajor) < 8)
        plan_skip_all("bfloat16 is complete from capability 8.0 on");
    return run_tests();
}
#endif
