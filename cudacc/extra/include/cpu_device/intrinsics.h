/* intrinsics.h: functions that are an instruction or few on a GPU: integers, bits, fast
 * math; atomic additions of vectors, pauses; overloads of mathematical functions; hints to the
 * compiler, address spaces. The end of device_functions.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_INTRINSICS_H
#define CPU_DEVICE_INTRINSICS_H

/* ---- atomic additions of vectors ---- */

/* Compute capability 9.0: every member by itself. */
#define CPU_DEVICE_ATOMIC_ADD_VECTOR(T, scope, members)                                            \
    static inline T atomicAdd##scope(T *address, T value) {                                        \
        T old;                                                                                     \
        const float *from = &value.x;                                                              \
        float *to = &address->x, *result = &old.x;                                                 \
        for (int i = 0; i < members; i++)                                                          \
            result[i] = atomicAdd##scope(&to[i], from[i]);                                         \
        return old;                                                                                \
    }
CPU_DEVICE_ATOMIC_ADD_VECTOR(float2, , 2)
CPU_DEVICE_ATOMIC_ADD_VECTOR(float2, _block, 2)
CPU_DEVICE_ATOMIC_ADD_VECTOR(float2, _system, 2)
CPU_DEVICE_ATOMIC_ADD_VECTOR(float4, , 4)
CPU_DEVICE_ATOMIC_ADD_VECTOR(float4, _block, 4)
CPU_DEVICE_ATOMIC_ADD_VECTOR(float4, _system, 4)
#undef CPU_DEVICE_ATOMIC_ADD_VECTOR

/* ---- pauses and stops ---- */

static inline void __nanosleep(unsigned) { cpu_device_yield(); }

static inline void __trap() { cpu_device_trap(cudaErrorLaunchFailure, "__trap()"); }

static inline void __brkpt() { cpu_device_trap(cudaErrorLaunchFailure, "__brkpt()"); }

/* ---- integers ---- */

static inline int __popc(unsigned x) { return __builtin_popcount(x); }

static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }

static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }

static inline int __ffs(int x) { return __builtin_ffs(x); }

static inline int __ffsll(long long x) { return __builtin_ffsll(x); }

/* Where the offset-th bit of mask is set from `base` on, downwards if it is negative; 0: at `base`
 * itself. */
static inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    unsigned rest = (unsigned)(offset < 0 ? -offset : offset) + !offset, at = base;
    for (; at < 32; at += offset < 0 ? ~0u : 1)
        if ((mask >> at & 1 && !--rest) || !offset)
            break;
    return at < 32 && !rest ? at : ~0u;
}

static inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

static inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

/* Byte i of the result is the byte of y:x that the i-th hexadecimal digit of s names (0 to 7). */
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned byte = s >> 4 * i & 7;
        result |= (unsigned)(bytes >> 8 * byte & 0xff) << 8 * i;
    }
    return result;
}

/* 32 bits out of hi:lo, shifted by the low five bits, or (c) by at most 32. */
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
    return (unsigned)(((unsigned long long)hi << 32 | lo) << (shift & 31) >> 32);
}

static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
    return (unsigned)(((unsigned long long)hi << 32 | lo) >> (shift & 31));
}

static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
    return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}

static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
    return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

static inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }

static inline unsigned __umulhi(unsigned x, unsigned y) {
    return (unsigned)((unsigned long long)x * y >> 32);
}

static inline long long __mul64hi(long long x, long long y) {
    return (long long)((__int128)x * y >> 64);
}

static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}

/* The low 32 bits of the product of two 24-bit numbers. */
static inline int __mul24(int x, int y) {
    int a = (int)((unsigned)x << 8) >> 8, b = (int)((unsigned)y << 8) >> 8;
    return (int)((unsigned)a * (unsigned)b);
}

static inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }

static inline unsigned __sad(int x, int y, unsigned z) {
    return z + (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x);
}

static inline unsigned __usad(unsigned x, unsigned y, unsigned z) {
    return z + (x > y ? x - y : y - x);
}

static inline int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }

static inline int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }

static inline unsigned __uhadd(unsigned x, unsigned y) {
    return (unsigned)(((unsigned long long)x + y) >> 1);
}

static inline unsigned __urhadd(unsigned x, unsigned y) {
    return (unsigned)(((unsigned long long)x + y + 1) >> 1);
}

/* Dot products: four bytes by four bytes; two halves by the low or the high two bytes. */
static inline int __dp4a(int a, int b, int c) {
    unsigned sum = (unsigned)c;
    for (int i = 0; i < 32; i += 8)
        sum += (unsigned)((signed char)(a >> i) * (signed char)(b >> i));
    return (int)sum;
}

static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8)
        c += (a >> i & 0xff) * (b >> i & 0xff);
    return c;
}

static inline int __dp4a(char4 a, char4 b, int c) {
    return __dp4a(cpu_device::same_bits<int>(a), cpu_device::same_bits<int>(b), c);
}

static inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
    return __dp4a(cpu_device::same_bits<unsigned>(a), cpu_device::same_bits<unsigned>(b), c);
}

static inline int __dp2a_lo(int a, int b, int c) {
    return (int)((unsigned)c + (unsigned)((short)a * (signed char)b) +
                 (unsigned)((short)(a >> 16) * (signed char)(b >> 8)));
}

static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}

static inline int __dp2a_lo(short2 a, char4 b, int c) {
    return __dp2a_lo(cpu_device::same_bits<int>(a), cpu_device::same_bits<int>(b), c);
}

static inline unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
    return __dp2a_lo(cpu_device::same_bits<unsigned>(a), cpu_device::same_bits<unsigned>(b), c);
}

static inline int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }

static inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
    return __dp2a_lo(a, b >> 16, c);
}

static inline int __dp2a_hi(short2 a, char4 b, int c) {
    return __dp2a_hi(cpu_device::same_bits<int>(a), cpu_device::same_bits<int>(b), c);
}

static inline unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
    return __dp2a_hi(cpu_device::same_bits<unsigned>(a), cpu_device::same_bits<unsigned>(b), c);
}

#include "simd.h"

/* ---- the same bits as another type ---- */

static inline int __float_as_int(float x) { return cpu_device::same_bits<int>(x); }

static inline unsigned __float_as_uint(float x) { return cpu_device::same_bits<unsigned>(x); }

static inline float __int_as_float(int x) { return cpu_device::same_bits<float>(x); }

static inline float __uint_as_float(unsigned x) { return cpu_device::same_bits<float>(x); }

static inline long long __double_as_longlong(double x) {
    return cpu_device::same_bits<long long>(x);
}

static inline double __longlong_as_double(long long x) { return cpu_device::same_bits<double>(x); }

static inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }

static inline int __double2loint(double x) { return (int)__double_as_longlong(x); }

static inline double __hiloint2double(int hi, int lo) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}

static inline double __int2double_rn(int x) { return x; }

static inline double __uint2double_rn(unsigned x) { return x; }

/* ---- fast, less exact functions of CUDA: here as exact as the plain ones ----
 * The C library declares some of these names, hence extern "C" and __THROW. */

static inline float fdividef(float x, float y) { return x / y; }

static inline double fdivide(double x, double y) { return x / y; }

static inline float __fdividef(float x, float y) { return x / y; }

static inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; /* NaN gives 0 */ }

extern "C" {
inline float __sinf(float x) __THROW { return sinf(x); }

inline float __cosf(float x) __THROW { return cosf(x); }

inline float __tanf(float x) __THROW { return tanf(x); }

inline float __tanhf(float x) __THROW { return tanhf(x); }

inline void __sincosf(float x, float *sine, float *cosine) __THROW {
    *sine = sinf(x);
    *cosine = cosf(x);
}

inline float __expf(float x) __THROW { return expf(x); }

inline float __exp10f(float x) __THROW { return exp10f(x); }

inline float __logf(float x) __THROW { return logf(x); }

inline float __log2f(float x) __THROW { return log2f(x); }

inline float __log10f(float x) __THROW { return log10f(x); }

inline float __powf(float x, float y) __THROW { return powf(x, y); }

inline float rsqrtf(float x) __THROW { return 1 / sqrtf(x); }

inline double rsqrt(double x) __THROW { return 1 / sqrt(x); }
}

static inline float rsqrt(float x) { return rsqrtf(x); }

static inline float fdivide(float x, float y) { return x / y; }

/* ---- overloads ----
 * <math.h> and <stdlib.h> bring the ones that C++ has, for abs, sqrt, pow, isnan and so on. */

#define CPU_DEVICE_FLOAT(name)                                                                     \
    static inline float name(float x) { return name##f(x); }
CPU_DEVICE_UNARY(CPU_DEVICE_FLOAT)
CPU_DEVICE_FLOAT(exp10)
CPU_DEVICE_FLOAT(j0)
CPU_DEVICE_FLOAT(j1)
CPU_DEVICE_FLOAT(y0)
CPU_DEVICE_FLOAT(y1)
#undef CPU_DEVICE_FLOAT

static inline float jn(int n, float x) { return jnf(n, x); }

static inline float yn(int n, float x) { return ynf(n, x); }

static inline void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }

static inline void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }

#define CPU_DEVICE_MINMAX(T, prefix)                                                               \
    static inline T prefix##min(T a, T b) { return min(a, b); }                                    \
    static inline T prefix##max(T a, T b) { return max(a, b); }
CPU_DEVICE_MINMAX(unsigned, u)
CPU_DEVICE_MINMAX(long long, ll)
CPU_DEVICE_MINMAX(unsigned long long, ull)
#undef CPU_DEVICE_MINMAX

/* ---- hints to the compiler, address spaces ---- */

#ifndef __clang__
static inline __attribute__((always_inline)) void __builtin_assume(bool truth) {
    if (!truth)
        __builtin_unreachable();
}
#endif

static inline __attribute__((always_inline)) void __assume(bool truth) {
    if (!truth)
        __builtin_unreachable();
}

/* All memory has one kind of address here. */
static inline size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }

static inline size_t __cvta_generic_to_shared(const void *p) { return (size_t)p; }

static inline void *__cvta_global_to_generic(size_t address) { return (void *)address; }

static inline void *__cvta_shared_to_generic(size_t address) { return (void *)address; }

#endif
