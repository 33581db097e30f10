// SPDX-License-Identifier: MIT
// Device functions: what CUDA promises of them, checked on a GPU and on the CPU device alike.
#include "../lib/kernel_checks.h"
#include <cuComplex.h>
#include <cuda_profiler_api.h>
#include <driver_functions.h>
#include <limits.h>
#include <math.h>
#include <type_traits>

__device__ static bool near(double value, double expected, double tolerance) {
    return fabs(value - expected) <= tolerance * fabs(expected);
}

template <class T> __device__ static bool same(T value, T expected) {
    return value == expected && signbit(value) == signbit(expected);
}

// ---- integers and bits ----

KERNEL(integers, 1, 1) {
    CHECK(__popc(hide(0xf0f0f0f1u)) == 17 && __popc(hide(0u)) == 0);
    CHECK(__popcll(hide(0xffffffff00000001ull)) == 33);
    CHECK(__clz(hide(0)) == 32 && __clz(hide(1)) == 31 && __clz(hide(-1)) == 0);
    CHECK(__clzll(hide(0ll)) == 64 && __clzll(hide(1ll << 40)) == 23);
    CHECK(__ffs(hide(0)) == 0 && __ffs(hide(8)) == 4 && __ffs(hide(INT_MIN)) == 32);
    CHECK(__ffsll(hide(0ll)) == 0 && __ffsll(hide(1ll << 40)) == 41);
    CHECK(__fns(hide(0x2cu), 0, 1) == 2 && __fns(hide(0x2cu), 2, 2) == 3);
    CHECK(__fns(hide(0x2cu), 31, -1) == 5 && __fns(hide(0x2cu), 5, -3) == 2);
    CHECK(__fns(hide(0x2cu), 3, 0) == 3 && __fns(hide(0x2cu), 4, 0) == ~0u);
    CHECK(__fns(hide(0x2cu), 3, 3) == ~0u && __fns(hide(0x2cu), 1, -1) == ~0u);
    CHECK(__brev(hide(0x00000001u)) == 0x80000000u && __brev(hide(0x12345678u)) == 0x1e6a2c48u);
    CHECK(__brevll(hide(1ull)) == 1ull << 63);
    CHECK(__brevll(hide(0x0123456789abcdefull)) == 0xf7b3d591e6a2c480ull);
    CHECK(__byte_perm(hide(0x33221100u), hide(0x77665544u), 0x7531) == 0x77553311u);
    CHECK(__byte_perm(hide(0x33221180u), hide(0u), 0x8888) == 0x80808080u); // bit 3 is ignored
    CHECK(__funnelshift_l(hide(0x80000000u), hide(1u), 1) == 3);
    CHECK(__funnelshift_l(hide(5u), hide(9u), 32) == 9 && __funnelshift_l(5, hide(9u), 33) == 18);
    CHECK(__funnelshift_lc(hide(5u), hide(9u), 32) == 5 && __funnelshift_lc(5, hide(9u), 99) == 5);
    CHECK(__funnelshift_r(hide(2u), hide(1u), 1) == 0x80000001u);
    CHECK(__funnelshift_r(hide(5u), hide(9u), 32) == 5);
    CHECK(__funnelshift_rc(hide(5u), hide(9u), 32) == 9 && __funnelshift_rc(5, hide(9u), 99) == 9);

    CHECK(__mulhi(hide(INT_MIN), 2) == -1 && __mulhi(hide(1 << 30), 8) == 2);
    CHECK(__umulhi(hide(0xffffffffu), 0xffffffffu) == 0xfffffffeu);
    CHECK(__mul64hi(hide(LLONG_MIN), 2) == -1 && __mul64hi(hide(1ll << 62), 8) == 2);
    CHECK(__umul64hi(hide(ULLONG_MAX), ULLONG_MAX) == ULLONG_MAX - 1);
    CHECK(__mul24(hide(-3), 5) == -15 && __mul24(hide(0x01000002), 3) == 6);
    CHECK(__mul24(hide(0x00ffffff), 7) == -7); // bit 23 is the sign
    CHECK(__umul24(hide(0xff000002u), 3) == 6);
    CHECK(__umul24(hide(0x00ffffffu), 0x00ffffffu) == 0xfe000001u);
    CHECK(__sad(hide(-3), 5, 10) == 18 && __sad(hide(INT_MAX), INT_MIN, 0) == 0xffffffffu);
    CHECK(__usad(hide(3u), 5, 10) == 12 && __usad(hide(5u), 3, 10) == 12);
    CHECK(__hadd(hide(INT_MAX), INT_MAX) == INT_MAX && __hadd(hide(-3), 0) == -2);
    CHECK(__rhadd(hide(INT_MAX), INT_MAX - 1) == INT_MAX && __rhadd(hide(-3), 0) == -1);
    CHECK(__uhadd(hide(UINT_MAX), UINT_MAX - 1) == UINT_MAX - 1);
    CHECK(__urhadd(hide(UINT_MAX), UINT_MAX - 1) == UINT_MAX);
#if ARCH >= 610
    CHECK(__dp4a(hide(0x01ff0380), 0x02020202, 100) == 100 + 2 * (1 - 1 + 3 - 128));
    CHECK(__dp4a(hide(0x01ff0380u), 0x02020202u, 100u) == 100 + 2 * (1 + 255 + 3 + 128));
    char4 signed_bytes = make_char4(1, -2, 3, -4);
    CHECK(__dp4a(signed_bytes, signed_bytes, hide(1)) == 31);
    CHECK(__dp2a_lo(hide(0x0002ffff), 0x04030201, 10) == 10 - 1 + 2 * 2);
    CHECK(__dp2a_hi(hide(0x0002ffff), 0x04030201, 10) == 10 - 3 + 2 * 4);
    CHECK(__dp2a_lo(hide(0x0002ffffu), 0x040302ffu, 10u) == 10 + 65535u * 255 + 2 * 2);
    CHECK(__dp2a_hi(hide(0x0002ffffu), 0x04ff02ffu, 10u) == 10 + 65535u * 255 + 2 * 4);
#endif
}

// ---- two halfwords, four bytes in a word ----

KERNEL(parts_of_words, 1, 1) {
    unsigned a = hide(0x7f80ff01u), b = hide(0x01ff0101u), h = hide(0x7fff8000u);
    CHECK(__vadd4(a, b) == 0x807f0002u && __vadd2(a, b) == 0x817f0002u);
    CHECK(__vaddss4(a, b) == 0x7f800002u && __vaddus4(a, b) == 0x80ffff02u);
    CHECK(__vaddss2(h, 0x0001ffff) == 0x7fff8000u && __vaddus2(0xffff8000u, h) == 0xffffffffu);
    CHECK(__vsub4(a, b) == 0x7e81fe00u && __vsub2(h, 0xffffffffu) == 0x80008001u);
    CHECK(__vsubss4(0x80807f00u, 0x017fff80u) == 0x80807f7fu && __vsubus4(b, a) == 0x007f0000u);
    CHECK(__vsubus2(0x00010005u, 0x00020003u) == 2 && __vsubss2(h, 0xffff0001u) == 0x7fff8000u);
    CHECK(__vabs4(a) == 0x7f800101u && __vabsss4(a) == 0x7f7f0101u && __vabs2(h) == h);
    CHECK(__vneg4(a) == 0x818001ffu && __vnegss4(a) == 0x817f01ffu && __vnegss2(h) == 0x80017fffu);
    CHECK(__vavgu4(a, b) == 0x40c08001u && __vhaddu4(a, b) == 0x40bf8001u);
    CHECK(__vavgs4(hide(0x0380fdfeu), 0x0280fefeu) == 0x0380fdfeu);
    CHECK(__vavgs2(0xfffe0003u, hide(0xffff0004u)) == 0xfffe0004u);
    CHECK(__vmaxs4(a, b) == 0x7fff0101u && __vmaxu4(a, b) == 0x7fffff01u);
    CHECK(__vmins4(a, b) == 0x0180ff01u && __vminu4(a, b) == 0x01800101u);
    CHECK(__vmaxs2(h, 0) == 0x7fff0000u && __vminu2(h, 0x80000001u) == 0x7fff0001u);
    CHECK(__vabsdiffu4(a, b) == 0x7e7ffe00u && __vabsdiffs4(a, b) == 0x7e7f0200u);
    CHECK(__vsadu4(a, b) == 0x7e + 0x7f + 0xfe && __vsads4(a, b) == 0x7e + 0x7f + 2);
    CHECK(__vsadu2(h, 0) == 0xffff && __vsads2(hide(0x00050000u), 0x00030007u) == 9);
    CHECK(__vcmpeq4(a, b) == 0xffu && __vcmpne4(a, b) == 0xffffff00u && __vseteq4(a, b) == 1);
    CHECK(__vcmpgts4(a, b) == 0xff000000u && __vcmpgtu4(a, b) == 0xff00ff00u);
    CHECK(__vcmpges4(a, b) == 0xff0000ffu && __vcmpgeu4(a, b) == 0xff00ffffu);
    CHECK(__vcmplts2(h, 0) == 0xffffu && __vcmpltu2(h, 0xffff0000u) == 0xffff0000u);
    CHECK(__vcmples4(a, b) == 0x00ffffffu && __vsetleu4(a, b) == 0x00010001u);
    CHECK(__vsetgts2(h, 0) == 0x00010000u && __vsetne2(h, 0x7fff0000u) == 1);
}

// ---- casts and conversions ----

KERNEL(conversions, 1, 1) {
    const float infinite = hide(INFINITY), not_a_number = hide(NAN);
    CHECK(__float_as_int(hide(-1.0f)) == (int)0xbf800000 && __int_as_float(0x40490fdb) > 3.14f);
    CHECK(__float_as_uint(hide(1.0f)) == 0x3f800000 && __uint_as_float(0x3f800000) == 1);
    CHECK(__double_as_longlong(hide(1.0)) == 0x3ff0000000000000ll);
    CHECK(__longlong_as_double(hide(0x4000000000000000ll)) == 2);
    CHECK(__double2hiint(hide(-2.0)) == (int)0xc0000000 && __double2loint(hide(1.0 / 3)) != 0);
    CHECK(__hiloint2double(hide(0x3ff80000), 0) == 1.5);

    CHECK(__float2int_rn(hide(2.5f)) == 2 && __float2int_rn(hide(3.5f)) == 4);
    CHECK(__float2int_rz(hide(-2.9f)) == -2 && __float2int_ru(hide(-2.9f)) == -2);
    CHECK(__float2int_ru(hide(2.1f)) == 3 && __float2int_rd(hide(-2.1f)) == -3);
    CHECK(__float2int_rz(hide(1e10f)) == INT_MAX && __float2int_rz(-infinite) == INT_MIN);
    CHECK(__float2int_rn(not_a_number) == 0);
    CHECK(__float2uint_rn(hide(4294967040.0f)) == 4294967040u && __float2uint_rz(hide(-5.f)) == 0);
    CHECK(__float2uint_ru(hide(0.1f)) == 1 && __float2uint_rd(infinite) == UINT_MAX);
    CHECK(__float2ll_rn(hide(-1e18f)) == -999999984306749440ll);
    CHECK(__float2ll_rd(hide(-0.5f)) == -1 && __float2ll_rz(infinite) == LLONG_MAX);
    CHECK(__float2ll_rn(not_a_number) == LLONG_MIN);
    CHECK(__float2ull_ru(hide(0.5f)) == 1 && __float2ull_rz(hide(1e30f)) == ULLONG_MAX);
    CHECK(__double2int_rn(hide(-2.5)) == -2 && __double2int_ru(hide(2.1)) == 3);
    CHECK(__double2int_rz(hide(3e9)) == INT_MAX && __double2int_rd(hide(-2.1)) == -3);
    CHECK(__double2int_rn(hide((double)NAN)) == INT_MIN);
    CHECK(__double2uint_rn(hide(4294967295.0)) == UINT_MAX && __double2uint_rz(hide(-1.0)) == 0);
    CHECK(__double2ll_rn(hide(9007199254740993.0)) == 9007199254740992ll);
    CHECK(__double2ll_rd(hide(-1.5)) == -2 && __double2ll_ru(hide(-1.5)) == -1);
    CHECK(__double2ull_rz(hide(1.8e19)) == 18000000000000000000ull);

    const float below = 16777216.0f, above = 16777218.0f; // 16777217 lies between
    CHECK(__int2float_rn(hide(16777217)) == below && __int2float_rz(hide(16777217)) == below);
    CHECK(__int2float_ru(hide(16777217)) == above && __int2float_rd(hide(-16777217)) == -above);
    CHECK(__uint2float_ru(hide(16777217u)) == above && __uint2float_rd(hide(16777217u)) == below);
    CHECK(__ll2float_ru(hide(16777217ll)) == above && __ll2float_rz(hide(-16777217ll)) == -below);
    CHECK(__ull2float_ru(hide(ULLONG_MAX)) == 18446744073709551616.0f);
    CHECK(__ull2float_rd(hide(ULLONG_MAX)) == 18446742974197923840.0f);
    CHECK(__int2double_rn(hide(-7)) == -7 && __uint2double_rn(hide(UINT_MAX)) == 4294967295.0);
    CHECK(__ll2double_rn(hide(9007199254740993ll)) == 9007199254740992.0);
    CHECK(__ll2double_ru(hide(9007199254740993ll)) == 9007199254740994.0);
    CHECK(__ull2double_rd(hide(ULLONG_MAX)) == 18446744073709549568.0);
    CHECK(__double2float_rn(hide(1e300)) == infinite && __double2float_rz(hide(1e300)) < infinite);
    CHECK(__double2float_ru(hide(0.1)) > 0.1 && __double2float_rd(hide(0.1)) < 0.1);
}

// ---- arithmetic in given rounding directions: down < exact < up, and the even neighbor ----

KERNEL(rounding, 1, 1) {
    const float one = hide(1.0f), tiny = hide(ldexpf(1, -30)), ulp = ldexpf(1, -23);
    CHECK(__fadd_rn(one, tiny) == 1 && __fadd_rz(one, tiny) == 1 && __fadd_rd(one, tiny) == 1);
    CHECK(__fadd_ru(one, tiny) == 1 + ulp && __fsub_rd(one, tiny) == 1 - ulp / 2);
    CHECK(__fsub_rz(one, tiny) == 1 - ulp / 2 && __fsub_ru(one, tiny) == 1);
    CHECK(__fadd_rz(-one, -tiny) == -1 && __fadd_rd(-one, -tiny) == -1 - ulp);
    CHECK(same(__fadd_rd(one, -one), -0.0f) && same(__fadd_rn(one, -one), 0.0f));

    const float third = __fdiv_rn(one, 3);
    CHECK(__float_as_int(third) == 0x3eaaaaab && __float_as_int(__fdiv_rd(one, 3)) == 0x3eaaaaaa);
    CHECK(__float_as_int(__fdiv_ru(one, 3)) == 0x3eaaaaab);
    CHECK(__float_as_int(__fdiv_rz(-one, 3)) == (int)0xbeaaaaaa);
    CHECK(__frcp_rn(hide(3.0f)) == third && __frcp_rd(hide(3.0f)) < third);
    CHECK(__frcp_ru(hide(3.0f)) == third && __frcp_rz(hide(4.0f)) == 0.25f);
    CHECK(__fmul_ru(third, third) > __fmul_rd(third, third));
    CHECK(__fmul_rz(third, third) == __fmul_rd(third, third));
    CHECK(__fmul_ru(hide(1e30f), 1e30f) == INFINITY && __fmul_rz(hide(1e30f), 1e30f) < INFINITY);
    CHECK(__float_as_int(__fsqrt_rd(hide(2.0f))) == 0x3fb504f3);
    CHECK(__float_as_int(__fsqrt_ru(hide(2.0f))) == 0x3fb504f4);
    CHECK(__fsqrt_rn(hide(2.25f)) == 1.5f && __fsqrt_rz(hide(9.0f)) == 3);
    CHECK(__frsqrt_rn(hide(4.0f)) == 0.5f && __float_as_int(__frsqrt_rn(hide(2.0f))) == 0x3f3504f3);
    // (1 + u)(1 - u) - 1 = -u*u, which is lost when the product is rounded first
    CHECK(__fmaf_rn(1 + ulp, hide(1 - ulp), -1) == -ulp * ulp);
    CHECK(__fmaf_ru(one, one, tiny) == 1 + ulp && __fmaf_rd(one, one, tiny) == 1);
    CHECK(__fmaf_rz(-one, one, -tiny) == -1 && __fmaf_rn(one, one, tiny) == 1);
    CHECK(__fmaf_ieee_ru(one, one, tiny) == 1 + ulp);
    // a product and a sum that must not become one fma
    CHECK(__fadd_rn(__fmul_rn(1 + ulp, hide(1 - ulp)), -1) == 0);

    const double d_one = hide(1.0), d_tiny = hide(ldexp(1.0, -60)), d_ulp = ldexp(1.0, -52);
    CHECK(__dadd_rn(d_one, d_tiny) == 1 && __dadd_ru(d_one, d_tiny) == 1 + d_ulp);
    CHECK(__dadd_rz(-d_one, -d_tiny) == -1 && __dadd_rd(-d_one, -d_tiny) == -1 - d_ulp);
    CHECK(__dsub_rd(d_one, d_tiny) == 1 - d_ulp / 2 && __dsub_ru(d_one, d_tiny) == 1);
    const double d_third = __ddiv_rn(d_one, 3);
    CHECK(__double_as_longlong(d_third) == 0x3fd5555555555555ll);
    CHECK(__double_as_longlong(__ddiv_ru(d_one, 3)) == 0x3fd5555555555556ll);
    CHECK(__drcp_rd(hide(3.0)) == d_third && __drcp_ru(hide(3.0)) > d_third);
    CHECK(__dmul_ru(d_third, d_third) > __dmul_rd(d_third, d_third));
    CHECK(__double_as_longlong(__dsqrt_rn(hide(2.0))) == 0x3ff6a09e667f3bcdll);
    CHECK(__double_as_longlong(__dsqrt_rz(hide(2.0))) == 0x3ff6a09e667f3bccll);
    CHECK(__fma_rn(1 + d_ulp, hide(1 - d_ulp), -1) == -d_ulp * d_ulp);
    CHECK(__fma_ru(d_one, d_one, d_tiny) == 1 + d_ulp && __fma_rd(d_one, d_one, d_tiny) == 1);
    CHECK(same(__dadd_rd(d_one, -d_one), -0.0));
}

// ---- mathematics ----

KERNEL(fast_math, 1, 1) {
    CHECK(near(__sinf(hide(1.0f)), 0.84147098, 1e-5) && near(__cosf(hide(1.0f)), 0.5403023, 1e-5));
    CHECK(near(__tanf(hide(1.0f)), 1.55740772, 1e-5) && near(__expf(hide(2.0f)), 7.3890561, 1e-5));
    CHECK(near(__exp10f(hide(2.0f)), 100, 1e-5) && near(__powf(hide(3.0f), 4), 81, 1e-5));
    CHECK(near(__logf(hide(7.0f)), 1.9459101491, 1e-5) && near(__log2f(hide(8.0f)), 3, 1e-5));
    CHECK(near(__log10f(hide(1000.0f)), 3, 1e-5) && near(__fdividef(hide(1.0f), 3), 1.0 / 3, 1e-6));
    CHECK(near(fdividef(hide(1.0f), 3), 1.0 / 3, 1e-6));
    float sine, cosine;
    __sincosf(hide(0.5f), &sine, &cosine);
    CHECK(near(sine, 0.4794255386, 1e-5) && near(cosine, 0.8775825619, 1e-5));
    CHECK(__saturatef(hide(-1.0f)) == 0 && __saturatef(hide(0.25f)) == 0.25f);
    CHECK(__saturatef(hide(2.0f)) == 1 && __saturatef(hide(NAN)) == 0);
}

KERNEL(mathematics, 1, 1) {
    const double e = 1e-14; // some units in the last place
    CHECK(near(rsqrt(hide(2.0)), 0.70710678118654752, e) && near(rcbrt(hide(27.0)), 1.0 / 3, e));
    CHECK(sinpi(hide(1.0)) == 0 && cospi(hide(0.5)) == 0 && cospi(hide(3.0)) == -1);
    CHECK(near(sinpi(hide(1.0 / 6)), 0.5, e) && near(cospi(hide(2.75)), -0.70710678118654752, e));
    CHECK(near(exp10(hide(-3.0)), 1e-3, e) && exp10(hide(2.0)) > 99);
    CHECK(near(erfcx(hide(0.5)), 0.61569034419292587, e));
    CHECK(near(erfcx(hide(100.0)), 0.0056416137829894330, e));
    CHECK(near(erfinv(hide(0.5)), 0.47693627620446987, e) && isinf(erfinv(hide(1.0))));
    CHECK(near(erfinv(hide(1e-10)), 8.8622692545275801e-11, e) && isnan(erfinv(hide(1.5))));
    CHECK(near(erfcinv(hide(1e-20)), 6.6015806223551426, e) && isinf(erfcinv(hide(0.0))));
    CHECK(near(normcdf(hide(1.0)), 0.84134474606854295, e));
    CHECK(near(normcdf(hide(-10.0)), 7.6198530241605261e-24, e));
    CHECK(near(normcdfinv(hide(0.975)), 1.9599639845400542, e) && isinf(normcdfinv(hide(0.0))));
    CHECK(near(cyl_bessel_i0(hide(1.0)), 1.2660658777520083, e));
    CHECK(near(cyl_bessel_i1(hide(1.0)), 0.56515910399248503, e));
    CHECK(near(cyl_bessel_i0(hide(100.0)), 1.0737517071310738e42, e));
    CHECK(near(norm3d(hide(2.0), 3, 6), 7, e) && near(rnorm3d(hide(2.0), 3, 6), 1.0 / 7, e));
    CHECK(near(norm4d(hide(1.0), 1, 1, 1), 2, e) && near(rnorm4d(hide(1.0), 1, 1, 1), 0.5, e));
    CHECK(near(norm3d(hide(1e200), 1e200, 1e200), 1.7320508075688772e200, e));
    CHECK(near(rhypot(hide(3.0), 4), 0.2, e) && near(hypot(hide(3.0), 4.0), 5, e));
    const double vector[] = {1, 2, 2, 4};
    CHECK(near(norm(4, vector), 5, e) && near(rnorm(4, vector), 0.2, e));
    double sine, cosine;
    sincos(hide(0.5), &sine, &cosine);
    CHECK(near(sine, 0.47942553860420300, e) && near(cosine, 0.87758256189037272, e));
    sincospi(hide(0.25), &sine, &cosine);
    CHECK(near(sine, 0.70710678118654752, e) && near(cosine, 0.70710678118654752, e));

    const double f = 2e-6; // the same in float
    CHECK(near(rsqrtf(hide(2.0f)), 0.70710678, f) && near(rsqrt(hide(2.0f)), 0.70710678, f));
    CHECK(near(rcbrtf(hide(27.0f)), 1.0 / 3, f) && near(sinpif(hide(1.0f / 6)), 0.5, f));
    CHECK(near(erfinvf(hide(0.5f)), 0.47693628, f) && near(erfcinvf(hide(0.5f)), 0.47693628, f));
    CHECK(near(normcdff(hide(1.0f)), 0.84134475, f) && near(erfcxf(hide(0.5f)), 0.61569034, f));
    CHECK(near(normcdfinvf(hide(0.25f)), -0.67448975, f) && near(exp10f(hide(2.0f)), 100, f));
    CHECK(near(cyl_bessel_i0f(hide(1.0f)), 1.2660659, f));
    CHECK(near(cyl_bessel_i1f(hide(-1.0f)), -0.56515910, f));
    CHECK(near(norm3df(hide(2.0f), 3, 6), 7, f) && near(rhypotf(hide(3.0f), 4), 0.2, f));
    CHECK(near(sqrtf(hide(2.0f)), 1.41421356, f) && fmaf(hide(2.0f), 3, 4) == 10);
    CHECK(fminf(hide(NAN), 1) == 1 && fmax(hide(2.0), (double)NAN) == 2);
}

// ---- overloads: types as in CUDA, NaN loses, mixed signs compare as unsigned ----

#define HAS_TYPE(T, ...) static_assert(std::is_same<T, decltype(__VA_ARGS__)>::value, #__VA_ARGS__)

KERNEL(overloads, 1, 1) {
    HAS_TYPE(int, min(1, 2));
    HAS_TYPE(unsigned, min(1, 2u));
    HAS_TYPE(unsigned, max(2u, 1));
    HAS_TYPE(long, max(1l, 2l));
    HAS_TYPE(unsigned long, min(sizeof(int), sizeof(int)));
    HAS_TYPE(long long, min(1ll, 2ll));
    HAS_TYPE(unsigned long long, max(1ll, 2ull));
    HAS_TYPE(float, min(1.0f, 2.0f));
    HAS_TYPE(double, min(1.0f, 2.0));
    HAS_TYPE(double, max(1.0, 2.0f));
    HAS_TYPE(float, sqrt(1.0f));
    HAS_TYPE(double, sqrt(1.0));
#if CUDART_VERSION >= 12000 // before, sqrt of an int is the host's alone
    HAS_TYPE(double, sqrt(1));
#endif
    HAS_TYPE(float, pow(1.0f, 1.0f));
    HAS_TYPE(double, pow(1.0f, 1));
    HAS_TYPE(float, fma(1.0f, 1.0f, 1.0f));
    HAS_TYPE(float, abs(1.0f));
    HAS_TYPE(long long, abs(1ll));
    HAS_TYPE(float, rsqrt(1.0f));
    HAS_TYPE(float, exp10(1.0f));
    HAS_TYPE(float, erfinv(1.0f));
    HAS_TYPE(float, sinpi(1.0f));
    CHECK(min(hide(-1), 2) == -1 && max(hide(-1), 2u) == 0xffffffffu && min(hide(-1), 2u) == 2);
    CHECK(min(hide(-1ll), 2ll) == -1 && max(hide(1l), 2l) == 2 && min(hide(3ull), 2ull) == 2);
    CHECK(min(hide(NAN), 1.0f) == 1 && max(1.0, hide((double)NAN)) == 1);
    CHECK(abs(hide(-1.5f)) == 1.5f && abs(hide(-3)) == 3 && abs(hide(-3.5)) == 3.5);
    CHECK(umin(hide(3u), 4) == 3 && llmax(hide(-3ll), -4) == -3 && ullmax(hide(3ull), 4) == 4);
    CHECK(isnan(hide(NAN)) && isinf(hide(INFINITY)) && isfinite(hide(1.0)) && signbit(hide(-0.0f)));
    CHECK(!isnan(hide(1.0)) && !isinf(hide(1.0f)) && !isfinite(hide(NAN)) && !signbit(hide(1.0)));
}

// ---- loads and stores with cache hints ----

struct hints {
    float4 f4;
    double2 d2;
    int4 i4;
    uchar4 c4;
    float f;
    double d;
    unsigned long long u;
    long l;
    char c;
    short2 s2;
};

__global__ void hinted(struct hints *in, struct hints *out) {
    __stcs(&out->f4, __ldg(&in->f4));
    __stcg(&out->d2, __ldca(&in->d2));
    __stwb(&out->i4, __ldcg(&in->i4));
    __stwt(&out->c4, __ldcs(&in->c4));
    __stcs(&out->f, __ldlu(&in->f));
    __stcs(&out->d, __ldcv(&in->d));
    __stcs(&out->u, __ldg(&in->u));
    __stcs(&out->l, __ldg(&in->l));
    __stcs(&out->c, __ldg(&in->c));
    __stcs(&out->s2, __ldg(&in->s2));
    CHECK(out->f4.w == 4 && out->d2.y == 6 && out->i4.z == 9 && out->c4.x == 11 && out->f == 12);
    CHECK(out->d == 13 && out->u == 14 && out->l == -15 && out->c == 16 && out->s2.y == -18);
}

// ---- time ----

KERNEL(clocks, 1, 1) {
    long long before = clock64();
    clock_t ticks = clock();
#if ARCH >= 700
    __nanosleep(1000);
#endif
    while (clock() == ticks && clock64() - before < 1 << 30)
        ; // a coarse clock
    CHECK(clock64() > before && clock() != ticks);
    // one counter, not the host's clock()
    before = clock64();
    CHECK(clock() >= before && clock() - before < 1 << 30);
}

// It returns how many arguments it has taken.
KERNEL(printing, 1, 1) {
    CHECK(printf("# %d %s\n", 5, "text") == 2 && printf("#\n") == 0);
    CHECK(printf("# %d%% %*d %5.2f\n", 1, 5, 2, 3.0) == 4);
}

// ---- comparisons and rounding ----

// Neither less, nor equal, nor more: which way does each branch go, one after another?
__device__ static __noinline__ unsigned ways(float x, float y, const bool *more) {
    bool equal_or_nan = !(x >= y) && !(y < x) && !(x < y || x > y) && !(x < y || x > y);
    bool both = !(x == y) && more[0];
    bool differ = !(x == y);
    bool not_both = !(x == y) && !more[1];
    unsigned ordered = x <= y ? 0 : x > y ? 1 : 2;
    return equal_or_nan | both << 1 | differ << 2 | not_both << 3 | ordered << 4;
}
KERNEL(comparisons, 1, 1) {
    const float nan = hide(NAN), one = hide(1.0f), two = hide(2.0f);
    const bool more[2] = {hide(true), hide(false)};
    CHECK(ways(nan, one, more) == 0x2f && ways(one, nan, more) == 0x2f);
    CHECK(ways(nan, nan, more) == 0x2f && ways(one, one, more) == 0);
    CHECK(ways(one, two, more) == 0xe && ways(two, one, more) == 0x1e);
}

// A product and a sum round once, unless rounding is asked for; where the CPU device can.
KERNEL(contraction, 1, 1) {
    const float ulp = 0x1p-23f, a = hide(1 + ulp), b = hide(1 - ulp), c = hide(-1.0f);
    const double d_ulp = 0x1p-52, d_a = hide(1 + d_ulp), d_b = hide(1 - d_ulp), d_c = hide(-1.0);
#if !defined __CUDACC_CPU__ || defined CPU_DEVICE_FUSED
    float product = a * b;
    CHECK(product + c == -ulp * ulp && d_a * d_b + d_c == -d_ulp * d_ulp);
#endif
    CHECK(__fadd_rn(__fmul_rn(a, b), c) == 0 && __dadd_rn(__dmul_rn(d_a, d_b), d_c) == 0);
    CHECK(__fmul_rn(a, b) + c == 0 && __dmul_rn(d_a, d_b) + d_c == 0);
}

// Local arrays may be in registers.
__global__ void local_words(int at) {
    unsigned char bytes[16];
    for (int i = 0; i < 16; i++)
        bytes[i] = (unsigned char)(i + at);
    unsigned *word = (unsigned *)(bytes + at);
#ifdef __CUDACC_CPU__ // a GPU may refuse it
    CHECK(*word == 0x05040302u);
#else
    CHECK(word && at);
#endif
}

// ---- complex numbers ----

KERNEL(complex_numbers, 1, 1) {
    cuDoubleComplex a = make_cuDoubleComplex(hide(1.0), 2), b = make_cuDoubleComplex(3, hide(4.0));
    CHECK(cuCreal(cuCadd(a, b)) == 4 && cuCimag(cuCsub(a, b)) == -2);
    CHECK(cuCreal(cuCmul(a, b)) == -5 && cuCimag(cuCmul(a, b)) == 10);
    CHECK(cuCreal(cuCfma(a, b, b)) == -2 && cuCimag(cuCfma(a, b, b)) == 14);
    CHECK(near(cuCreal(cuCdiv(a, b)), 0.44, 1e-15) && near(cuCimag(cuCdiv(a, b)), 0.08, 1e-14));
    CHECK(near(cuCabs(b), 5, 1e-15) && cuCimag(cuConj(b)) == -4);
    cuComplex f = make_cuComplex(hide(3e30f), 4e30f); // its square is none
    CHECK(near(cuCabsf(f), 5e30, 1e-6) && near(cuCrealf(cuCdivf(f, f)), 1, 1e-6));
    CHECK(cuCimag(cuComplexFloatToDouble(cuComplexDoubleToFloat(a))) == 2);
}

// ---- the host's side ----

TEST(cache_hints) {
    struct hints in;
    memset(&in, 0, sizeof in);
    in.f4 = make_float4(1, 2, 3, 4);
    in.d2 = make_double2(5, 6);
    in.i4 = make_int4(7, 8, 9, 10);
    in.c4 = make_uchar4(11, 0, 0, 0);
    in.f = 12, in.d = 13, in.u = 14, in.l = -15, in.c = 16;
    in.s2 = make_short2(17, -18);
    MEMORY(struct hints, d_in, sizeof in);
    MEMORY(struct hints, d_out, sizeof in);
    must(cudaMemcpy(d_in, &in, sizeof in, TO_DEVICE));
    CHECKED("loads and stores with cache hints", hinted<<<1, 1>>>(d_in, d_out));
}

TEST(others) {
    CHECKED("a misaligned word of a local array", local_words<<<1, 1>>>(1));
    works(cudaProfilerStart(), "cudaProfilerStart");
    works(cudaProfilerStop(), "cudaProfilerStop");
}

int main(void) { return run_tests(); }
