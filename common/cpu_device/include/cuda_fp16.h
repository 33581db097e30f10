/* cuda_fp16.h of the CPU device: half and half2, IEEE's binary16.  C++ only.
 *
 * Arithmetic is done in float or double and rounded once, so results are those of the standard:
 * float has more than twice the bits of half, and what needs more goes through rounding to odd.
 * Any NaN that comes out of arithmetic is 0x7fff, as on a GPU.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CUDA_FP16_H
#define CPU_DEVICE_CUDA_FP16_H
#define __CUDA_FP16_H__ /* CUDA's own guard */

#ifdef __cplusplus
#include <limits>
#include <math.h>
#include <string.h>
#include "vector_types.h"
#ifdef __CUDACC__
#include "cuda_runtime.h"
#endif

#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline)) /* as in device_functions.h */
#endif

/* ---- Conversion of bits ---- */

namespace cpu_device {
namespace fp16 {

template <class To, class From> inline To bits_as(From from) {
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

enum direction { NEAREST, TO_ZERO, UP, DOWN };

inline float to_float(unsigned short h) {
    unsigned magnitude = h & 0x7fffu;
    /* The exponent moves by 112, and a product with 2^112 does so for subnormal numbers, too. */
    unsigned bits =
        bits_as<unsigned>(bits_as<float>(magnitude << 13) * 5192296858534827628530496329220096.0f);
    if (magnitude >= 0x7c00)
        bits = magnitude << 13 | 0x7f800000;
    return bits_as<float>(bits | (unsigned)(h & 0x8000) << 16);
}

/* To the nearest, ties to even. */
inline unsigned short from_float(float x) {
    unsigned bits = bits_as<unsigned>(x), sign = bits >> 16 & 0x8000, result;
    float magnitude = bits_as<float>(bits & 0x7fffffff);
    if (magnitude != magnitude)
        return 0x7fff;
    if (magnitude >= 65520)
        result = 0x7c00;
    else if (magnitude < 6.103515625e-05f) /* the last bit of 0.5 + x is that of a subnormal half */
        result = bits_as<unsigned>(magnitude + 0.5f) - bits_as<unsigned>(0.5f);
    else
        result = ((bits & 0x7fffffff) + 0xfff + (bits >> 13 & 1) - (112u << 23)) >> 13;
    return (unsigned short)(sign | result);
}

/* Rounded to odd where it is not exact: a later rounding is then right. */
inline float to_odd(double x) {
    float f = (float)x;
    unsigned bits = bits_as<unsigned>(f);
    if (f == x || x != x || bits & 1)
        return f;
    return bits_as<float>(fabs((double)f) < fabs(x) ? bits + 1 : bits - 1);
}

/* The neighbor of a half in the direction of larger (or smaller) numbers. */
inline unsigned short neighbor(unsigned short h, bool larger) {
    if (!(h & 0x7fff))
        return larger ? 0x0001 : 0x8001;
    return (unsigned short)((h & 0x8000) != 0 ? h - (larger ? 1 : -1) : h + (larger ? 1 : -1));
}

inline unsigned short from_double(double x, direction d = NEAREST) {
    unsigned short h = from_float(to_odd(x));
    double rounded = to_float(h);
    if (d == NEAREST || x != x || rounded == x)
        return h;
    bool larger = d == UP || (d == TO_ZERO && x < 0);
    return (rounded < x) == larger ? neighbor(h, larger) : h;
}

/* a * b is exact in double; the sum may not be. */
inline unsigned short fused(double a, double b, double c) {
    double product = a * b, sum = product + c, part = sum - product;
    double error = (product - (sum - part)) + (c - part);
    unsigned long long bits = bits_as<unsigned long long>(sum);
    if (error == error && error != 0 && !(bits & 1))
        sum = bits_as<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
    return from_double(sum);
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

} // namespace fp16
} // namespace cpu_device

/* ---- The types ---- */

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};

#define CPU_DEVICE_HALF_INTEGERS(X)                                                                \
    X(short)                                                                                       \
    X(unsigned short)                                                                              \
    X(int)                                                                                         \
    X(unsigned)                                                                                    \
    X(long)                                                                                        \
    X(unsigned long)                                                                               \
    X(long long)                                                                                   \
    X(unsigned long long)

struct __half {
    unsigned short __x;

    __half() = default;
    constexpr __half(__half_raw r) : __x(r.x) {}
    inline __half(float f) : __x(cpu_device::fp16::from_float(f)) {}
    inline __half(double d) : __x(cpu_device::fp16::from_double(d)) {}
    inline operator float() const { return cpu_device::fp16::to_float(__x); }
    inline operator bool() const { return (__x & 0x7fff) != 0; }
    constexpr operator __half_raw() const { return __half_raw{__x}; }
    inline __half &operator=(__half_raw r) { return __x = r.x, *this; }
    inline __half &operator=(float f) { return *this = __half(f); }
    inline __half &operator=(double d) { return *this = __half(d); }
/* An integer of more bits than a double has is infinite as a half. */
#define CPU_DEVICE_HALF_INTEGER(T)                                                                 \
    inline __half(T n) : __half((double)n) {}                                                      \
    inline operator T() const { return cpu_device::fp16::to_integer<T>((float)*this); }            \
    inline __half &operator=(T n) { return *this = __half(n); }
    CPU_DEVICE_HALF_INTEGERS(CPU_DEVICE_HALF_INTEGER)
#undef CPU_DEVICE_HALF_INTEGER
    inline operator char() const { return cpu_device::fp16::to_integer<char>((float)*this); }
    inline operator signed char() const {
        return cpu_device::fp16::to_integer<signed char>((float)*this);
    }
    inline operator unsigned char() const {
        return cpu_device::fp16::to_integer<unsigned char>((float)*this);
    }
};
#undef CPU_DEVICE_HALF_INTEGERS

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    inline __half2(__half a, __half b) : x(a), y(b) {}
    inline __half2(__half2_raw r) : x(__half_raw{r.x}), y(__half_raw{r.y}) {}
    inline operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
#ifdef CPU_DEVICE_TRACE /* one access moves both */
    typedef unsigned __attribute__((may_alias)) word;
    inline __half2(const __half2 &v) { *(word *)this = *(const word *)&v; }
    inline __half2 &operator=(const __half2 &v) {
        *(word *)this = *(const word *)&v;
        return *this;
    }
#endif
};

typedef __half half, nv_half;
typedef __half2 half2, nv_half2;

/* ---- Conversions ---- */

static inline __half __ushort_as_half(unsigned short bits) { return __half_raw{bits}; }
static inline __half __short_as_half(short bits) { return __half_raw{(unsigned short)bits}; }
static inline unsigned short __half_as_ushort(__half h) { return h.__x; }
static inline short __half_as_short(__half h) { return (short)h.__x; }

static inline float __half2float(__half h) { return (float)h; }
static inline __half __float2half(float f) { return __half(f); }
static inline __half __double2half(double d) { return __half(d); }

#define CPU_DEVICE_TO_HALF(from, T, suffix, direction)                                             \
    static inline __half __##from##2half_##suffix(T x) {                                           \
        using namespace cpu_device::fp16;                                                          \
        return __ushort_as_half(from_double((double)x, direction));                                \
    }
#define CPU_DEVICE_HALF_TO(to, T, suffix, rounding)                                                \
    static inline T __half2##to##_##suffix(__half h) {                                             \
        return cpu_device::fp16::to_integer<T>(rounding((float)h));                                \
    }
#define CPU_DEVICE_HALF_AND(name, T)                                                               \
    CPU_DEVICE_TO_HALF(name, T, rn, NEAREST)                                                       \
    CPU_DEVICE_TO_HALF(name, T, rz, TO_ZERO)                                                       \
    CPU_DEVICE_TO_HALF(name, T, ru, UP)                                                            \
    CPU_DEVICE_TO_HALF(name, T, rd, DOWN)                                                          \
    CPU_DEVICE_HALF_TO(name, T, rn, rintf)                                                         \
    CPU_DEVICE_HALF_TO(name, T, rz, truncf)                                                        \
    CPU_DEVICE_HALF_TO(name, T, ru, ceilf)                                                         \
    CPU_DEVICE_HALF_TO(name, T, rd, floorf)
CPU_DEVICE_HALF_AND(short, short)
CPU_DEVICE_HALF_AND(ushort, unsigned short)
CPU_DEVICE_HALF_AND(int, int)
CPU_DEVICE_HALF_AND(uint, unsigned)
CPU_DEVICE_HALF_AND(ll, long long)
CPU_DEVICE_HALF_AND(ull, unsigned long long)
CPU_DEVICE_TO_HALF(float, float, rn, NEAREST)
CPU_DEVICE_TO_HALF(float, float, rz, TO_ZERO)
CPU_DEVICE_TO_HALF(float, float, ru, UP)
CPU_DEVICE_TO_HALF(float, float, rd, DOWN)
CPU_DEVICE_HALF_TO(char, signed char, rz, truncf)
CPU_DEVICE_HALF_TO(uchar, unsigned char, rz, truncf)
#undef CPU_DEVICE_TO_HALF
#undef CPU_DEVICE_HALF_TO
#undef CPU_DEVICE_HALF_AND

static inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
static inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
static inline __half2 __half2half2(__half a) { return __half2(a, a); }
static inline __half __low2half(__half2 v) { return v.x; }
static inline __half __high2half(__half2 v) { return v.y; }
static inline float __low2float(__half2 v) { return (float)v.x; }
static inline float __high2float(__half2 v) { return (float)v.y; }
static inline __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
static inline __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
static inline __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
static inline __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
static inline __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
static inline __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
static inline __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
static inline __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
static inline float2 __half22float2(__half2 v) { return make_float2((float)v.x, (float)v.y); }

/* ---- Functions: of a half, and of both in a half2 ---- */

#define CPU_DEVICE_HALF_1(name, name2, expression)                                                 \
    static inline __half name(__half h) {                                                          \
        float x = (float)h;                                                                        \
        (void)x;                                                                                   \
        return expression;                                                                         \
    }                                                                                              \
    static inline __half2 name2(__half2 v) { return __half2(name(v.x), name(v.y)); }
#define CPU_DEVICE_HALF_2(name, name2, expression)                                                 \
    static inline __half name(__half a, __half b) {                                                \
        float x = (float)a, y = (float)b;                                                          \
        return expression;                                                                         \
    }                                                                                              \
    static inline __half2 name2(__half2 v, __half2 w) {                                            \
        return __half2(name(v.x, w.x), name(v.y, w.y));                                            \
    }
#define CPU_DEVICE_HALF_3(name, name2, expression)                                                 \
    static inline __half name(__half a, __half b, __half c) {                                      \
        __half f = __ushort_as_half(cpu_device::fp16::fused((float)a, (float)b, (float)c));        \
        return expression;                                                                         \
    }                                                                                              \
    static inline __half2 name2(__half2 u, __half2 v, __half2 w) {                                 \
        return __half2(name(u.x, v.x, w.x), name(u.y, v.y, w.y));                                  \
    }

namespace cpu_device {
namespace fp16 {

inline __half saturated(__half h) {
    float x = (float)h;
    return x > 0 ? (x < 1 ? h : __half(1.0f)) : __half(0.0f); /* NaN is 0 */
}
inline __half not_negative(__half h) { return (float)h < 0 ? __half(0.0f) : h; }
/* Of two zeros of different sign the positive one is the larger. */
inline __half larger(__half a, __half b) {
    float x = (float)a, y = (float)b;
    return x > y || (x == y && !signbit(x)) ? a : b;
}
inline __half smaller(__half a, __half b) {
    float x = (float)a, y = (float)b;
    return x < y || (x == y && signbit(x)) ? a : b;
}
/* NaN loses. */
inline __half number(__half a, __half b, __half otherwise) {
    bool no_a = (float)a != (float)a, no_b = (float)b != (float)b;
    return no_a && no_b ? __ushort_as_half(0x7fff) : no_a ? b : no_b ? a : otherwise;
}
inline __half nan_or(float x, float y, __half otherwise) {
    return x != x || y != y ? __ushort_as_half(0x7fff) : otherwise;
}

} // namespace fp16
} // namespace cpu_device

CPU_DEVICE_HALF_2(__hadd, __hadd2, __half(x + y))
CPU_DEVICE_HALF_2(__hsub, __hsub2, __half(x - y))
CPU_DEVICE_HALF_2(__hmul, __hmul2, __half(x *y))
CPU_DEVICE_HALF_2(__hdiv, __h2div, __half(x / y))
CPU_DEVICE_HALF_2(__hadd_rn, __hadd2_rn, __half(x + y))
CPU_DEVICE_HALF_2(__hsub_rn, __hsub2_rn, __half(x - y))
CPU_DEVICE_HALF_2(__hmul_rn, __hmul2_rn, __half(x *y))
CPU_DEVICE_HALF_2(__hadd_sat, __hadd2_sat, cpu_device::fp16::saturated(__half(x + y)))
CPU_DEVICE_HALF_2(__hsub_sat, __hsub2_sat, cpu_device::fp16::saturated(__half(x - y)))
CPU_DEVICE_HALF_2(__hmul_sat, __hmul2_sat, cpu_device::fp16::saturated(__half(x *y)))
CPU_DEVICE_HALF_3(__hfma, __hfma2, f)
CPU_DEVICE_HALF_3(__hfma_sat, __hfma2_sat, cpu_device::fp16::saturated(f))
CPU_DEVICE_HALF_3(__hfma_relu, __hfma2_relu, cpu_device::fp16::not_negative(f))
CPU_DEVICE_HALF_1(__hneg, __hneg2, __ushort_as_half((unsigned short)(h.__x ^ 0x8000)))
CPU_DEVICE_HALF_1(__habs, __habs2, __ushort_as_half((unsigned short)(h.__x & 0x7fff)))

CPU_DEVICE_HALF_2(__hmax, __hmax2,
                  (void(x), void(y),
                   cpu_device::fp16::number(a, b, cpu_device::fp16::larger(a, b))))
CPU_DEVICE_HALF_2(__hmin, __hmin2,
                  (void(x), void(y),
                   cpu_device::fp16::number(a, b, cpu_device::fp16::smaller(a, b))))
CPU_DEVICE_HALF_2(__hmax_nan, __hmax2_nan,
                  cpu_device::fp16::nan_or(x, y, cpu_device::fp16::larger(a, b)))
CPU_DEVICE_HALF_2(__hmin_nan, __hmin2_nan,
                  cpu_device::fp16::nan_or(x, y, cpu_device::fp16::smaller(a, b)))

CPU_DEVICE_HALF_1(hfloor, h2floor, __half(floorf(x)))
CPU_DEVICE_HALF_1(hceil, h2ceil, __half(ceilf(x)))
CPU_DEVICE_HALF_1(htrunc, h2trunc, __half(truncf(x)))
CPU_DEVICE_HALF_1(hrint, h2rint, __half(rintf(x)))
CPU_DEVICE_HALF_1(hsqrt, h2sqrt, __half(sqrt((double)x)))
CPU_DEVICE_HALF_1(hrsqrt, h2rsqrt, __half(1 / sqrt((double)x)))
CPU_DEVICE_HALF_1(hrcp, h2rcp, __half(1 / (double)x))
CPU_DEVICE_HALF_1(hexp, h2exp, __half(exp((double)x)))
CPU_DEVICE_HALF_1(hexp2, h2exp2, __half(exp2((double)x)))
CPU_DEVICE_HALF_1(hexp10, h2exp10, __half(pow(10.0, (double)x)))
CPU_DEVICE_HALF_1(hlog, h2log, __half(log((double)x)))
CPU_DEVICE_HALF_1(hlog2, h2log2, __half(log2((double)x)))
CPU_DEVICE_HALF_1(hlog10, h2log10, __half(log10((double)x)))
CPU_DEVICE_HALF_1(hsin, h2sin, __half(sin((double)x)))
CPU_DEVICE_HALF_1(hcos, h2cos, __half(cos((double)x)))
CPU_DEVICE_HALF_1(htanh, h2tanh, __half(tanh((double)x)))
CPU_DEVICE_HALF_1(htanh_approx, h2tanh_approx, __half(tanh((double)x)))

/* ---- Comparisons ---- */

static inline bool __hisnan(__half h) { return (h.__x & 0x7fff) > 0x7c00; }
static inline int __hisinf(__half h) { return h.__x == 0x7c00 ? 1 : h.__x == 0xfc00 ? -1 : 0; }
static inline __half2 __hisnan2(__half2 v) {
    return __half2(__half(__hisnan(v.x) ? 1.0f : 0.0f), __half(__hisnan(v.y) ? 1.0f : 0.0f));
}

/* Of two halves; of each pair, as 1 or 0; of both pairs; of each pair, as a mask. */
#define CPU_DEVICE_HALF_COMPARE(name, condition)                                                   \
    static inline bool __h##name(__half a, __half b) {                                             \
        float x = (float)a, y = (float)b;                                                          \
        return condition;                                                                          \
    }                                                                                              \
    static inline __half2 __h##name##2(__half2 v, __half2 w) {                                     \
        return __half2(__half(__h##name(v.x, w.x) ? 1.0f : 0.0f),                                  \
                       __half(__h##name(v.y, w.y) ? 1.0f : 0.0f));                                 \
    }                                                                                              \
    static inline bool __hb##name##2(__half2 v, __half2 w) {                                       \
        return __h##name(v.x, w.x) && __h##name(v.y, w.y);                                         \
    }                                                                                              \
    static inline unsigned __h##name##2_mask(__half2 v, __half2 w) {                               \
        return (__h##name(v.x, w.x) ? 0xffffu : 0) | (__h##name(v.y, w.y) ? 0xffff0000u : 0);      \
    }
CPU_DEVICE_HALF_COMPARE(eq, x == y)
CPU_DEVICE_HALF_COMPARE(ne, x<y || x> y)
CPU_DEVICE_HALF_COMPARE(lt, x < y)
CPU_DEVICE_HALF_COMPARE(le, x <= y)
CPU_DEVICE_HALF_COMPARE(gt, x > y)
CPU_DEVICE_HALF_COMPARE(ge, x >= y)
/* with NaN: true */
CPU_DEVICE_HALF_COMPARE(equ, !(x < y || x > y))
CPU_DEVICE_HALF_COMPARE(neu, !(x == y))
CPU_DEVICE_HALF_COMPARE(ltu, !(x >= y))
CPU_DEVICE_HALF_COMPARE(leu, !(x > y))
CPU_DEVICE_HALF_COMPARE(gtu, !(x <= y))
CPU_DEVICE_HALF_COMPARE(geu, !(x < y))
#undef CPU_DEVICE_HALF_COMPARE

/* ---- Operators ---- */

#ifndef __CUDA_NO_HALF_OPERATORS__
#define CPU_DEVICE_HALF_OPERATOR(T, symbol, function)                                              \
    static inline T operator symbol(const T &a, const T &b) { return function(a, b); }             \
    static inline T &operator symbol##=(T &a, const T &b) { return a = function(a, b); }
#define CPU_DEVICE_HALF_OPERATORS(T, plus, minus, times, by, negative)                             \
    CPU_DEVICE_HALF_OPERATOR(T, +, plus)                                                           \
    CPU_DEVICE_HALF_OPERATOR(T, -, minus)                                                          \
    CPU_DEVICE_HALF_OPERATOR(T, *, times)                                                          \
    CPU_DEVICE_HALF_OPERATOR(T, /, by)                                                             \
    static inline T operator+(const T &a) { return a; }                                            \
    static inline T operator-(const T &a) { return negative(a); }                                  \
    static inline T &operator++(T &a) { return a = plus(a, cpu_device::fp16::one(a)); }            \
    static inline T &operator--(T &a) { return a = minus(a, cpu_device::fp16::one(a)); }           \
    static inline T operator++(T &a, int) {                                                        \
        T old = a;                                                                                 \
        ++a;                                                                                       \
        return old;                                                                                \
    }                                                                                              \
    static inline T operator--(T &a, int) {                                                        \
        T old = a;                                                                                 \
        --a;                                                                                       \
        return old;                                                                                \
    }
#define CPU_DEVICE_HALF_COMPARISONS(T, prefix, suffix)                                             \
    static inline bool operator==(const T &a, const T &b) { return prefix##eq##suffix(a, b); }     \
    static inline bool operator!=(const T &a, const T &b) { return prefix##neu##suffix(a, b); }    \
    static inline bool operator<(const T &a, const T &b) { return prefix##lt##suffix(a, b); }      \
    static inline bool operator<=(const T &a, const T &b) { return prefix##le##suffix(a, b); }     \
    static inline bool operator>(const T &a, const T &b) { return prefix##gt##suffix(a, b); }      \
    static inline bool operator>=(const T &a, const T &b) { return prefix##ge##suffix(a, b); }

namespace cpu_device {
namespace fp16 {
inline __half one(__half) { return __half(1.0f); }
inline __half2 one(__half2) { return __float2half2_rn(1.0f); }
} // namespace fp16
} // namespace cpu_device

CPU_DEVICE_HALF_OPERATORS(__half, __hadd, __hsub, __hmul, __hdiv, __hneg)
CPU_DEVICE_HALF_OPERATORS(__half2, __hadd2, __hsub2, __hmul2, __h2div, __hneg2)
CPU_DEVICE_HALF_COMPARISONS(__half, __h, )
CPU_DEVICE_HALF_COMPARISONS(__half2, __hb, 2)
#undef CPU_DEVICE_HALF_OPERATOR
#undef CPU_DEVICE_HALF_OPERATORS
#undef CPU_DEVICE_HALF_COMPARISONS
#endif

#undef CPU_DEVICE_HALF_1
#undef CPU_DEVICE_HALF_2
#undef CPU_DEVICE_HALF_3

/* ---- In kernels: loads and stores with a hint, shuffles, atomics ---- */

#ifdef __CUDACC__
namespace cpu_device {
template <> struct hinted<__half> { typedef __half type; };
template <> struct hinted<__half2> { typedef __half2 type; };
namespace fp16 {
inline __half2 pair(unsigned bits) {
    return __half2_raw{(unsigned short)bits, (unsigned short)(bits >> 16)};
}
} // namespace fp16
} // namespace cpu_device

CPU_DEVICE_SHUFFLE(__half)
CPU_DEVICE_SHUFFLE(__half2)

static inline __half atomicAdd(__half *address, __half value) {
    CPU_DEVICE_TRACE_ATOMIC(address, 0);
    unsigned short old = cpu_device::atomic((unsigned short *)address, [value](unsigned short h) {
        return __half_as_ushort(__hadd(__ushort_as_half(h), value));
    });
    return __ushort_as_half(old);
}
static inline __half2 atomicAdd(__half2 *address, __half2 value) {
    CPU_DEVICE_TRACE_ATOMIC(address, 0);
    unsigned old = cpu_device::atomic((unsigned *)(void *)address, [value](unsigned bits) {
        __half2 sum = __hadd2(cpu_device::fp16::pair(bits), value);
        return sum.x.__x | (unsigned)sum.y.__x << 16;
    });
    return cpu_device::fp16::pair(old);
}
#endif

#undef inline
#endif
#endif
