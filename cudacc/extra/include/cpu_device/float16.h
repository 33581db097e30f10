/* What half and bfloat16 have in common: the types of one and two, and their functions.  C++ only.
 * cuda_fp16.h and cuda_bf16.h include it once each, with these names set:
 *
 *     __number, __raw           the type, and the plain struct of its bits
 *     __pair, __raw_pair        those of two
 *     __format                  its bits: rounding.h
 *     __named(x, y)             x, the name that conversions have for the type, y
 *     __named2(x, y)            the same for two
 *     CPU_DEVICE_FLOAT16_OPERATORS   if operators are wanted
 *
 * SPDX-License-Identifier: MIT
 */
#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline)) /* as in device_functions.h */
#endif

/* ---- The types ---- */

struct __raw {
    unsigned short x;
};
struct __raw_pair {
    unsigned short x, y;
};

#define CPU_DEVICE_FLOAT16_INTEGERS(X)                                                             \
    X(short)                                                                                       \
    X(unsigned short)                                                                              \
    X(int)                                                                                         \
    X(unsigned)                                                                                    \
    X(long)                                                                                        \
    X(unsigned long)                                                                               \
    X(long long)                                                                                   \
    X(unsigned long long)

struct __number {
    unsigned short __x;

    __number() = default;
    constexpr __number(__raw r) : __x(r.x) {}
    inline __number(float f) : __x(__format::from_float(f)) {}
    inline __number(double d) : __x(cpu_device::float16::rounded<__format>(d)) {}
    /* Of the other kind of 16 bits. */
    template <class Other, class = decltype(Other::__x)>
    explicit inline __number(Other h) : __number((float)h) {}
    inline operator float() const { return __format::to_float(__x); }
    inline operator bool() const { return (__x & 0x7fff) != 0; }
    constexpr operator __raw() const { return __raw{__x}; }
    inline __number &operator=(__raw r) { return __x = r.x, *this; }
    inline __number &operator=(float f) { return *this = __number(f); }
    inline __number &operator=(double d) { return *this = __number(d); }
#define CPU_DEVICE_FLOAT16_INTEGER(T)                                                              \
    inline __number(T n) : __x(cpu_device::float16::rounded<__format>((long double)n)) {}          \
    inline operator T() const { return cpu_device::float16::to_integer<T>((float)*this); }         \
    inline __number &operator=(T n) { return *this = __number(n); }
    CPU_DEVICE_FLOAT16_INTEGERS(CPU_DEVICE_FLOAT16_INTEGER)
#undef CPU_DEVICE_FLOAT16_INTEGER
    inline operator char() const { return cpu_device::float16::to_integer<char>((float)*this); }
    inline operator signed char() const {
        return cpu_device::float16::to_integer<signed char>((float)*this);
    }
    inline operator unsigned char() const {
        return cpu_device::float16::to_integer<unsigned char>((float)*this);
    }
};
#undef CPU_DEVICE_FLOAT16_INTEGERS

struct __attribute__((aligned(4))) __pair {
    __number x, y;

    __pair() = default;
    inline __pair(__number a, __number b) : x(a), y(b) {}
    inline __pair(__raw_pair r) : x(__raw{r.x}), y(__raw{r.y}) {}
    inline operator __raw_pair() const { return __raw_pair{x.__x, y.__x}; }
#ifdef CPU_DEVICE_TRACE /* one access moves both */
    typedef unsigned __attribute__((may_alias)) word;
    inline __pair(const __pair &v) { *(word *)this = *(const word *)&v; }
    inline __pair &operator=(const __pair &v) {
        *(word *)this = *(const word *)&v;
        return *this;
    }
#endif
};

/* ---- Conversions ---- */

static inline __number __named(__ushort_as_, )(unsigned short bits) { return __raw{bits}; }
static inline __number __named(__short_as_, )(short bits) { return __raw{(unsigned short)bits}; }
static inline unsigned short __named(__, _as_ushort)(__number h) { return h.__x; }
static inline short __named(__, _as_short)(__number h) { return (short)h.__x; }

static inline float __named(__, 2float)(__number h) { return (float)h; }
static inline __number __named(__float2, )(float f) { return __number(f); }
static inline __number __named(__double2, )(double d) { return __number(d); }

/* exact: a type that holds any T. */
#define CPU_DEVICE_TO_FLOAT16(from, T, exact, suffix, direction)                                   \
    static inline __number __named(__##from##2, _##suffix)(T x) {                                  \
        using namespace cpu_device::float16;                                                       \
        return __raw{rounded<__format>((exact)x, direction)};                                      \
    }
#define CPU_DEVICE_FLOAT16_TO(to, T, suffix, rounding)                                             \
    static inline T __named(__, 2##to##_##suffix)(__number h) {                                    \
        return cpu_device::float16::to_integer<T>(rounding((float)h));                             \
    }
#define CPU_DEVICE_TO_FLOAT16_IN_ALL_DIRECTIONS(name, T, exact)                                    \
    CPU_DEVICE_TO_FLOAT16(name, T, exact, rn, NEAREST)                                             \
    CPU_DEVICE_TO_FLOAT16(name, T, exact, rz, TO_ZERO)                                             \
    CPU_DEVICE_TO_FLOAT16(name, T, exact, ru, UP)                                                  \
    CPU_DEVICE_TO_FLOAT16(name, T, exact, rd, DOWN)
#define CPU_DEVICE_FLOAT16_AND(name, T)                                                            \
    CPU_DEVICE_TO_FLOAT16_IN_ALL_DIRECTIONS(name, T, long double)                                  \
    CPU_DEVICE_FLOAT16_TO(name, T, rn, rintf)                                                      \
    CPU_DEVICE_FLOAT16_TO(name, T, rz, truncf)                                                     \
    CPU_DEVICE_FLOAT16_TO(name, T, ru, ceilf)                                                      \
    CPU_DEVICE_FLOAT16_TO(name, T, rd, floorf)
CPU_DEVICE_FLOAT16_AND(short, short)
CPU_DEVICE_FLOAT16_AND(ushort, unsigned short)
CPU_DEVICE_FLOAT16_AND(int, int)
CPU_DEVICE_FLOAT16_AND(uint, unsigned)
CPU_DEVICE_FLOAT16_AND(ll, long long)
CPU_DEVICE_FLOAT16_AND(ull, unsigned long long)
CPU_DEVICE_TO_FLOAT16_IN_ALL_DIRECTIONS(float, float, double)
CPU_DEVICE_FLOAT16_TO(char, signed char, rz, truncf)
CPU_DEVICE_FLOAT16_TO(uchar, unsigned char, rz, truncf)
#undef CPU_DEVICE_TO_FLOAT16
#undef CPU_DEVICE_FLOAT16_TO
#undef CPU_DEVICE_TO_FLOAT16_IN_ALL_DIRECTIONS
#undef CPU_DEVICE_FLOAT16_AND

static inline __pair __named2(__halves2, )(__number a, __number b) { return __pair(a, b); }
static inline __pair __named2(make_, )(__number a, __number b) { return __pair(a, b); }
static inline __number __named(__low2, )(__pair v) { return v.x; }
static inline __number __named(__high2, )(__pair v) { return v.y; }
static inline float __low2float(__pair v) { return (float)v.x; }
static inline float __high2float(__pair v) { return (float)v.y; }
static inline __pair __named2(__low2, )(__pair v) { return __pair(v.x, v.x); }
static inline __pair __named2(__high2, )(__pair v) { return __pair(v.y, v.y); }
static inline __pair __named2(__lows2, )(__pair a, __pair b) { return __pair(a.x, b.x); }
static inline __pair __named2(__highs2, )(__pair a, __pair b) { return __pair(a.y, b.y); }
static inline __pair __lowhigh2highlow(__pair v) { return __pair(v.y, v.x); }
static inline __pair __named2(__float2, _rn)(float f) { return __pair(f, f); }
static inline __pair __named2(__floats2, _rn)(float a, float b) { return __pair(a, b); }
static inline __pair __named2(__float22, _rn)(float2 v) { return __pair(v.x, v.y); }
static inline float2 __named2(__, 2float2)(__pair v) { return make_float2((float)v.x, (float)v.y); }

/* ---- Functions: of a number, and of both in a pair ---- */

#define CPU_DEVICE_FLOAT16_1(name, name2, expression)                                              \
    static inline __number name(__number h) {                                                      \
        float x = (float)h;                                                                        \
        (void)x;                                                                                   \
        return expression;                                                                         \
    }                                                                                              \
    static inline __pair name2(__pair v) { return __pair(name(v.x), name(v.y)); }
#define CPU_DEVICE_FLOAT16_2(name, name2, expression)                                              \
    static inline __number name(__number a, __number b) {                                          \
        float x = (float)a, y = (float)b;                                                          \
        return expression;                                                                         \
    }                                                                                              \
    static inline __pair name2(__pair v, __pair w) {                                               \
        return __pair(name(v.x, w.x), name(v.y, w.y));                                             \
    }
#define CPU_DEVICE_FLOAT16_3(name, name2, expression)                                              \
    static inline __number name(__number a, __number b, __number c) {                              \
        __number f = __raw{cpu_device::float16::fused<__format>((float)a, (float)b, (float)c)};    \
        return expression;                                                                         \
    }                                                                                              \
    static inline __pair name2(__pair u, __pair v, __pair w) {                                     \
        return __pair(name(u.x, v.x, w.x), name(u.y, v.y, w.y));                                   \
    }

namespace cpu_device {
namespace float16 {

inline __number saturated(__number h) {
    float x = (float)h;
    return x > 0 ? (x < 1 ? h : __number(1.0f)) : __number(0.0f); /* NaN is 0 */
}
inline __number not_negative(__number h) { return (float)h < 0 ? __number(0.0f) : h; }
/* Of two zeros of different sign the positive one is the larger. */
inline __number larger(__number a, __number b) {
    float x = (float)a, y = (float)b;
    return x > y || (x == y && !signbit(x)) ? a : b;
}
inline __number smaller(__number a, __number b) {
    float x = (float)a, y = (float)b;
    return x < y || (x == y && signbit(x)) ? a : b;
}
/* NaN loses. */
inline __number number(__number a, __number b, __number otherwise) {
    bool no_a = (float)a != (float)a, no_b = (float)b != (float)b;
    return no_a && no_b ? __number(__raw{0x7fff}) : no_a ? b : no_b ? a : otherwise;
}
inline __number nan_or(float x, float y, __number otherwise) {
    return x != x || y != y ? __number(__raw{0x7fff}) : otherwise;
}

} // namespace float16
} // namespace cpu_device

/* A product of two small ones has bits that are too small for a float. */
CPU_DEVICE_FLOAT16_2(__hadd, __hadd2, __number(x + y))
CPU_DEVICE_FLOAT16_2(__hsub, __hsub2, __number(x - y))
CPU_DEVICE_FLOAT16_2(__hmul, __hmul2, __number((double)x *y))
CPU_DEVICE_FLOAT16_2(__hdiv, __h2div, __number(x / y))
CPU_DEVICE_FLOAT16_2(__hadd_rn, __hadd2_rn, __number(x + y))
CPU_DEVICE_FLOAT16_2(__hsub_rn, __hsub2_rn, __number(x - y))
CPU_DEVICE_FLOAT16_2(__hmul_rn, __hmul2_rn, __number((double)x *y))
CPU_DEVICE_FLOAT16_2(__hadd_sat, __hadd2_sat, cpu_device::float16::saturated(__number(x + y)))
CPU_DEVICE_FLOAT16_2(__hsub_sat, __hsub2_sat, cpu_device::float16::saturated(__number(x - y)))
CPU_DEVICE_FLOAT16_2(__hmul_sat, __hmul2_sat,
                     cpu_device::float16::saturated(__number((double)x *y)))
CPU_DEVICE_FLOAT16_3(__hfma, __hfma2, f)
CPU_DEVICE_FLOAT16_3(__hfma_sat, __hfma2_sat, cpu_device::float16::saturated(f))
CPU_DEVICE_FLOAT16_3(__hfma_relu, __hfma2_relu, cpu_device::float16::not_negative(f))
CPU_DEVICE_FLOAT16_1(__hneg, __hneg2, __raw{(unsigned short)(h.__x ^ 0x8000)})
CPU_DEVICE_FLOAT16_1(__habs, __habs2, __raw{(unsigned short)(h.__x & 0x7fff)})

CPU_DEVICE_FLOAT16_2(__hmax, __hmax2,
                     (void(x), void(y),
                      cpu_device::float16::number(a, b, cpu_device::float16::larger(a, b))))
CPU_DEVICE_FLOAT16_2(__hmin, __hmin2,
                     (void(x), void(y),
                      cpu_device::float16::number(a, b, cpu_device::float16::smaller(a, b))))
CPU_DEVICE_FLOAT16_2(__hmax_nan, __hmax2_nan,
                     cpu_device::float16::nan_or(x, y, cpu_device::float16::larger(a, b)))
CPU_DEVICE_FLOAT16_2(__hmin_nan, __hmin2_nan,
                     cpu_device::float16::nan_or(x, y, cpu_device::float16::smaller(a, b)))

CPU_DEVICE_FLOAT16_1(hfloor, h2floor, __number(floorf(x)))
CPU_DEVICE_FLOAT16_1(hceil, h2ceil, __number(ceilf(x)))
CPU_DEVICE_FLOAT16_1(htrunc, h2trunc, __number(truncf(x)))
CPU_DEVICE_FLOAT16_1(hrint, h2rint, __number(rintf(x)))
CPU_DEVICE_FLOAT16_1(hsqrt, h2sqrt, __number(sqrt((double)x)))
CPU_DEVICE_FLOAT16_1(hrsqrt, h2rsqrt, __number(1 / sqrt((double)x)))
CPU_DEVICE_FLOAT16_1(hrcp, h2rcp, __number(1 / (double)x))
CPU_DEVICE_FLOAT16_1(hexp, h2exp, __number(exp((double)x)))
CPU_DEVICE_FLOAT16_1(hexp2, h2exp2, __number(exp2((double)x)))
CPU_DEVICE_FLOAT16_1(hexp10, h2exp10, __number(pow(10.0, (double)x)))
CPU_DEVICE_FLOAT16_1(hlog, h2log, __number(log((double)x)))
CPU_DEVICE_FLOAT16_1(hlog2, h2log2, __number(log2((double)x)))
CPU_DEVICE_FLOAT16_1(hlog10, h2log10, __number(log10((double)x)))
CPU_DEVICE_FLOAT16_1(hsin, h2sin, __number(sin((double)x)))
CPU_DEVICE_FLOAT16_1(hcos, h2cos, __number(cos((double)x)))
CPU_DEVICE_FLOAT16_1(htanh, h2tanh, __number(tanh((double)x)))
CPU_DEVICE_FLOAT16_1(htanh_approx, h2tanh_approx, __number(tanh((double)x)))

/* ---- Comparisons ---- */

static inline bool __hisnan(__number h) { return (h.__x & 0x7fff) > __format::INFINITE; }
static inline int __hisinf(__number h) {
    return (h.__x & 0x7fff) != __format::INFINITE ? 0 : h.__x & 0x8000 ? -1 : 1;
}
static inline __pair __hisnan2(__pair v) {
    return __pair(__number(__hisnan(v.x) ? 1.0f : 0.0f), __number(__hisnan(v.y) ? 1.0f : 0.0f));
}

/* Of two numbers; of each pair, as 1 or 0; of both pairs; of each pair, as a mask. */
#define CPU_DEVICE_FLOAT16_COMPARE(name, condition)                                                \
    static inline bool __h##name(__number a, __number b) {                                         \
        float x = (float)a, y = (float)b;                                                          \
        return condition;                                                                          \
    }                                                                                              \
    static inline __pair __h##name##2(__pair v, __pair w) {                                        \
        return __pair(__number(__h##name(v.x, w.x) ? 1.0f : 0.0f),                                 \
                      __number(__h##name(v.y, w.y) ? 1.0f : 0.0f));                                \
    }                                                                                              \
    static inline bool __hb##name##2(__pair v, __pair w) {                                         \
        return __h##name(v.x, w.x) && __h##name(v.y, w.y);                                         \
    }                                                                                              \
    static inline unsigned __h##name##2_mask(__pair v, __pair w) {                                 \
        return (__h##name(v.x, w.x) ? 0xffffu : 0) | (__h##name(v.y, w.y) ? 0xffff0000u : 0);      \
    }
CPU_DEVICE_FLOAT16_COMPARE(eq, x == y)
CPU_DEVICE_FLOAT16_COMPARE(ne, x<y || x> y)
CPU_DEVICE_FLOAT16_COMPARE(lt, x < y)
CPU_DEVICE_FLOAT16_COMPARE(le, x <= y)
CPU_DEVICE_FLOAT16_COMPARE(gt, x > y)
CPU_DEVICE_FLOAT16_COMPARE(ge, x >= y)
/* with NaN: true */
CPU_DEVICE_FLOAT16_COMPARE(equ, !(x < y || x > y))
CPU_DEVICE_FLOAT16_COMPARE(neu, !(x == y))
CPU_DEVICE_FLOAT16_COMPARE(ltu, !(x >= y))
CPU_DEVICE_FLOAT16_COMPARE(leu, !(x > y))
CPU_DEVICE_FLOAT16_COMPARE(gtu, !(x <= y))
CPU_DEVICE_FLOAT16_COMPARE(geu, !(x < y))
#undef CPU_DEVICE_FLOAT16_COMPARE

/* ---- Operators ---- */

#ifdef CPU_DEVICE_FLOAT16_OPERATORS
#define CPU_DEVICE_FLOAT16_OPERATOR(T, symbol, function)                                           \
    static inline T operator symbol(const T &a, const T &b) { return function(a, b); }             \
    static inline T &operator symbol##=(T &a, const T &b) { return a = function(a, b); }
#define CPU_DEVICE_FLOAT16_SIGNS(T, plus, minus, times, by, negative)                              \
    CPU_DEVICE_FLOAT16_OPERATOR(T, +, plus)                                                        \
    CPU_DEVICE_FLOAT16_OPERATOR(T, -, minus)                                                       \
    CPU_DEVICE_FLOAT16_OPERATOR(T, *, times)                                                       \
    CPU_DEVICE_FLOAT16_OPERATOR(T, /, by)                                                          \
    static inline T operator+(const T &a) { return a; }                                            \
    static inline T operator-(const T &a) { return negative(a); }                                  \
    static inline T &operator++(T &a) { return a = plus(a, cpu_device::float16::one(a)); }         \
    static inline T &operator--(T &a) { return a = minus(a, cpu_device::float16::one(a)); }        \
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
#define CPU_DEVICE_FLOAT16_COMPARISONS(T, prefix, suffix)                                          \
    static inline bool operator==(const T &a, const T &b) { return prefix##eq##suffix(a, b); }     \
    static inline bool operator!=(const T &a, const T &b) { return prefix##neu##suffix(a, b); }    \
    static inline bool operator<(const T &a, const T &b) { return prefix##lt##suffix(a, b); }      \
    static inline bool operator<=(const T &a, const T &b) { return prefix##le##suffix(a, b); }     \
    static inline bool operator>(const T &a, const T &b) { return prefix##gt##suffix(a, b); }      \
    static inline bool operator>=(const T &a, const T &b) { return prefix##ge##suffix(a, b); }

namespace cpu_device {
namespace float16 {
inline __number one(__number) { return __number(1.0f); }
inline __pair one(__pair) { return __pair(1.0f, 1.0f); }
} // namespace float16
} // namespace cpu_device

CPU_DEVICE_FLOAT16_SIGNS(__number, __hadd, __hsub, __hmul, __hdiv, __hneg)
CPU_DEVICE_FLOAT16_SIGNS(__pair, __hadd2, __hsub2, __hmul2, __h2div, __hneg2)
CPU_DEVICE_FLOAT16_COMPARISONS(__number, __h, )
CPU_DEVICE_FLOAT16_COMPARISONS(__pair, __hb, 2)
#undef CPU_DEVICE_FLOAT16_OPERATOR
#undef CPU_DEVICE_FLOAT16_SIGNS
#undef CPU_DEVICE_FLOAT16_COMPARISONS
#undef CPU_DEVICE_FLOAT16_OPERATORS
#endif

#undef CPU_DEVICE_FLOAT16_1
#undef CPU_DEVICE_FLOAT16_2
#undef CPU_DEVICE_FLOAT16_3

/* ---- In kernels: loads and stores with a hint, shuffles, atomics ---- */

#ifdef __CUDACC__
namespace cpu_device {
template <> struct hinted<__number> { typedef __number type; };
template <> struct hinted<__pair> { typedef __pair type; };
} // namespace cpu_device

CPU_DEVICE_SHUFFLE(__number)
CPU_DEVICE_SHUFFLE(__pair)

static inline __number atomicAdd(__number *address, __number value) {
    CPU_DEVICE_TRACE_ATOMIC(address, 0);
    unsigned short old = cpu_device::atomic((unsigned short *)address, [value](unsigned short h) {
        return __hadd(__raw{h}, value).__x;
    });
    return __raw{old};
}
static inline __pair atomicAdd(__pair *address, __pair value) {
    CPU_DEVICE_TRACE_ATOMIC(address, 0);
    unsigned old = cpu_device::atomic((unsigned *)(void *)address, [value](unsigned bits) {
        __pair sum = __hadd2(__raw_pair{(unsigned short)bits, (unsigned short)(bits >> 16)}, value);
        return sum.x.__x | (unsigned)sum.y.__x << 16;
    });
    return __raw_pair{(unsigned short)old, (unsigned short)(old >> 16)};
}
#endif

#undef __number
#undef __raw
#undef __pair
#undef __raw_pair
#undef __format
#undef __named
#undef __named2
#undef inline
