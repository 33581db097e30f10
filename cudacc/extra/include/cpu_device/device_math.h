/* CUDA's functions that are too long for a header: extra/runtime/math.c has them, and
 * device_functions.h shows them to kernels. The lists serve declaration and definition alike.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_DEVICE_MATH_H
#define CPU_DEVICE_DEVICE_MATH_H

/* With GNU's library <math.h> brings C++17's special functions, and much of the time that a small
 * program takes to compile: a program gets them from its own <cmath>. std::min, std::max and
 * std::numeric_limits, which came with them, it may have relied on. */
#ifdef __cplusplus
#include <limits>
#ifdef __GLIBCXX__
#include <bits/stl_algobase.h>
#endif
#pragma push_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <math.h>
#pragma pop_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#else
#include <math.h>
#endif
#include <stdlib.h>

#ifndef __THROW /* newer C libraries declare some of these functions: the declarations must agree  \
                 */
#define __THROW
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Arithmetic in four rounding directions: name_rn, name_rz, name_ru, name_rd. V: a qualifier. */
#define CPU_DEVICE_ROUNDED(X, V)                                                                   \
    X(float, __frcp, (V float x), 1 / x)                                                           \
    X(float, __fsqrt, (V float x), sqrtf(x))                                                       \
    X(double, __drcp, (V double x), 1 / x)                                                         \
    X(double, __dsqrt, (V double x), sqrt(x))                                                      \
    X(float, __double2float, (V double x), (float)x)                                               \
    X(float, __int2float, (V int x), (float)x)                                                     \
    X(float, __uint2float, (V unsigned x), (float)x)                                               \
    X(float, __ll2float, (V long long x), (float)x)                                                \
    X(float, __ull2float, (V unsigned long long x), (float)x)                                      \
    X(double, __ll2double, (V long long x), (double)x)                                             \
    X(double, __ull2double, (V unsigned long long x), (double)x)                                   \
    X(float, __fadd, (V float x, V float y), x + y)                                                \
    X(float, __fsub, (V float x, V float y), x - y)                                                \
    X(float, __fmul, (V float x, V float y), (x) * (y))                                            \
    X(float, __fdiv, (V float x, V float y), x / y)                                                \
    X(double, __dadd, (V double x, V double y), x + y)                                             \
    X(double, __dsub, (V double x, V double y), x - y)                                             \
    X(double, __dmul, (V double x, V double y), (x) * (y))                                         \
    X(double, __ddiv, (V double x, V double y), x / y)                                             \
    X(float, __fmaf, (V float x, V float y, V float z), fmaf(x, y, z))                             \
    X(float, __fmaf_ieee, (V float x, V float y, V float z), fmaf(x, y, z))                        \
    X(double, __fma, (V double x, V double y, V double z), fma(x, y, z))

/* Conversion to integers in four directions. What does not fit becomes the nearest limit, NaN
 * becomes the last argument. */
#define CPU_DEVICE_TO_INTEGER(X)                                                                   \
    X(int, __float2int, float, INT_MIN, INT_MAX, 0)                                                \
    X(unsigned, __float2uint, float, 0, UINT_MAX, 0)                                               \
    X(long long, __float2ll, float, LLONG_MIN, LLONG_MAX, LLONG_MIN)                               \
    X(unsigned long long, __float2ull, float, 0, ULLONG_MAX, 1ULL << 63)                           \
    X(int, __double2int, double, INT_MIN, INT_MAX, INT_MIN)                                        \
    X(unsigned, __double2uint, double, 0, UINT_MAX, 1U << 31)                                      \
    X(long long, __double2ll, double, LLONG_MIN, LLONG_MAX, LLONG_MIN)                             \
    X(unsigned long long, __double2ull, double, 0, ULLONG_MAX, 1ULL << 63)

#define CPU_DEVICE_DECLARE(T, name, parameters, expression)                                        \
    T name##_rn parameters;                                                                        \
    T name##_rz parameters;                                                                        \
    T name##_ru parameters;                                                                        \
    T name##_rd parameters;
#define CPU_DEVICE_DECLARE_TO(T, name, A, lowest, highest, nan) CPU_DEVICE_DECLARE(T, name, (A x), )
CPU_DEVICE_ROUNDED(CPU_DEVICE_DECLARE, )
CPU_DEVICE_TO_INTEGER(CPU_DEVICE_DECLARE_TO)
#undef CPU_DEVICE_DECLARE
#undef CPU_DEVICE_DECLARE_TO
float __frsqrt_rn(float x);

/* Functions that libm lacks, each as name(double) and namef(float). */
#define CPU_DEVICE_UNARY(X)                                                                        \
    X(rcbrt)                                                                                       \
    X(sinpi)                                                                                       \
    X(cospi)                                                                                       \
    X(erfcx)                                                                                       \
    X(erfinv)                                                                                      \
    X(erfcinv)                                                                                     \
    X(normcdf)                                                                                     \
    X(normcdfinv)                                                                                  \
    X(cyl_bessel_i0)                                                                               \
    X(cyl_bessel_i1)
#define CPU_DEVICE_DECLARE(name)                                                                   \
    double name(double x) __THROW;                                                                 \
    float name##f(float x) __THROW;
CPU_DEVICE_UNARY(CPU_DEVICE_DECLARE)
#undef CPU_DEVICE_DECLARE

/* And those of several arguments. */
#define CPU_DEVICE_DECLARE(T, suffix)                                                              \
    void sincospi##suffix(T x, T *sine, T *cosine);                                                \
    T rhypot##suffix(T x, T y);                                                                    \
    T norm##suffix(int n, const T *x);                                                             \
    T rnorm##suffix(int n, const T *x);                                                            \
    T norm3d##suffix(T x, T y, T z);                                                               \
    T rnorm3d##suffix(T x, T y, T z);                                                              \
    T norm4d##suffix(T x, T y, T z, T w);                                                          \
    T rnorm4d##suffix(T x, T y, T z, T w);
CPU_DEVICE_DECLARE(double, )
CPU_DEVICE_DECLARE(float, f)
#undef CPU_DEVICE_DECLARE

#ifdef __cplusplus
}
#endif
#endif
