/* The bits of half and bfloat16, and what needs no more than those: to float, and to the nearest or
 * next number of 16 bits from float, double and integers.  C++ only.
 *
 * Arithmetic is done in float or double and rounded once, so results are those of the standard:
 * float has more than twice the bits of both, and what needs more goes through rounding to odd.
 * Any NaN that comes out of arithmetic is 0x7fff, as on a GPU.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_ROUNDING_H
#define CPU_DEVICE_ROUNDING_H

#include <limits>
#include <math.h>
#include <string.h>

#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline)) /* as in device_functions.h */
#endif

namespace cpu_device {
namespace float16 {

template <class To, class From> inline To bits_as(From from) {
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

struct half { /* IEEE's binary16 */
    enum { INFINITE = 0x7c00, ONE = 0x3c00 };

    static inline float to_float(unsigned short h) {
        unsigned magnitude = h & 0x7fffu;
        /* The exponent moves by 112; a product with 2^112 does so for subnormal numbers, too. */
        unsigned bits = bits_as<unsigned>(bits_as<float>(magnitude << 13) *
                                          5192296858534827628530496329220096.0f);
        if (magnitude >= INFINITE)
            bits = magnitude << 13 | 0x7f800000;
        return bits_as<float>(bits | (unsigned)(h & 0x8000) << 16);
    }
    /* To the nearest, ties to even. */
    static inline unsigned short from_float(float x) {
        unsigned bits = bits_as<unsigned>(x), sign = bits >> 16 & 0x8000, result;
        float magnitude = bits_as<float>(bits & 0x7fffffff);
        if (magnitude != magnitude)
            return 0x7fff;
        if (magnitude >= 65520)
            result = INFINITE;
        else if (magnitude < 6.103515625e-05f) /* the last bit of 0.5 + x is a subnormal half's */
            result = bits_as<unsigned>(magnitude + 0.5f) - bits_as<unsigned>(0.5f);
        else
            result = ((bits & 0x7fffffff) + 0xfff + (bits >> 13 & 1) - (112u << 23)) >> 13;
        return (unsigned short)(sign | result);
    }
};

struct bfloat16 { /* the upper half of a float */
    enum { INFINITE = 0x7f80, ONE = 0x3f80 };

    static inline float to_float(unsigned short h) { return bits_as<float>((unsigned)h << 16); }
    static inline unsigned short from_float(float x) {
        unsigned bits = bits_as<unsigned>(x);
        return x != x ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
};

enum direction { NEAREST, TO_ZERO, UP, DOWN };

/* Rounded to odd where it is not exact: a later rounding is then right. */
template <class Real> inline float to_odd(Real x) {
    float f = (float)x;
    unsigned bits = bits_as<unsigned>(f);
    if (f == x || x != x || bits & 1)
        return f;
    return bits_as<float>((f < x) == (x > 0) ? bits + 1 : bits - 1);
}

/* The neighbor of a number in the direction of larger (or smaller) numbers. */
inline unsigned short neighbor(unsigned short h, bool larger) {
    if (!(h & 0x7fff))
        return larger ? 0x0001 : 0x8001;
    return (unsigned short)((h & 0x8000) != 0 ? h - (larger ? 1 : -1) : h + (larger ? 1 : -1));
}

/* Of a double; of a long double, which holds any integer. */
template <class Format, class Real> inline unsigned short rounded(Real x, direction d = NEAREST) {
    unsigned short h = Format::from_float(to_odd(x));
    Real nearest = Format::to_float(h);
    if (d == NEAREST || x != x || nearest == x)
        return h;
    bool larger = d == UP || (d == TO_ZERO && x < 0);
    return (nearest < x) == larger ? neighbor(h, larger) : h;
}

/* a * b is exact in double; the sum may not be. */
template <class Format> inline unsigned short fused(double a, double b, double c) {
    double product = a * b, sum = product + c, part = sum - product;
    double error = (product - (sum - part)) + (c - part);
    unsigned long long bits = bits_as<unsigned long long>(sum);
    if (error == error && error != 0 && !(bits & 1))
        sum = bits_as<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
    return rounded<Format>(sum);
}

/* As on a GPU: what does not fit is the nearest limit, NaN is 0, in 64 bits the topmost bit. */
template <class T> inline T to_integer(float x) {
    typedef std::numeric_limits<T> limits;
    if (x != x)
        return sizeof(T) < 8 ? 0 : (T)(1ull << 63);
    if (x >= (float)limits::max())
        return limits::max();
    return x <= (float)limits::min() ? limits::min() : (T)x;
}

} // namespace float16
} // namespace cpu_device

#undef inline
#endif
