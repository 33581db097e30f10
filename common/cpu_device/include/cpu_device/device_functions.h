/* What kernels may call, with CUDA's names and meanings. C++ only.
 * Long functions are in runtime/math.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_DEVICE_FUNCTIONS_H
#define CPU_DEVICE_DEVICE_FUNCTIONS_H

/* CUDA programs rely on these without naming them. */
#include <assert.h>
#include <limits.h>
#include <new>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <utility>

#include "../cuda_runtime_api.h"
#include "device_abi.h"
#include "device_math.h"
#include "warp.h"

/* In a traced build all of this becomes part of the kernel, so that it counts as the line there. */
#ifdef CPU_DEVICE_TRACE
#include "trace_abi.h"
#define inline inline __attribute__((always_inline))
#define CPU_DEVICE_TRACE_ATOMIC(address, how)                                                      \
    cpu_device_trace_atomic(address, sizeof *(address), how)
#else
#define CPU_DEVICE_TRACE_ATOMIC(address, how) (void)0
#endif

namespace cpu_device {

template <class To, class From> inline To same_bits(From from) {
    static_assert(sizeof(To) >= sizeof(From), "");
    To to = To();
    memcpy(&to, &from, sizeof from);
    return to;
}

} // namespace cpu_device

static const int warpSize __attribute__((unused)) = 32;

/* ---- barriers and fences ---- */

#ifdef CPU_DEVICE_TRACE /* a barrier is known by where it returns to */
static inline void __syncthreads() { cpu_device_barrier(CPU_BARRIER_PLAIN, 0); }
#else
static inline void __syncthreads() { cpu_device_meet(MEET_BARRIER, 0, 0, 0); }
#endif

static inline int __syncthreads_count(int predicate) {
    return cpu_device_barrier(CPU_BARRIER_COUNT, predicate);
}

static inline int __syncthreads_and(int predicate) {
    return cpu_device_barrier(CPU_BARRIER_AND, predicate);
}

static inline int __syncthreads_or(int predicate) {
    return cpu_device_barrier(CPU_BARRIER_OR, predicate);
}

static inline void __syncwarp(unsigned mask = 0xffffffff) {
    cpu_device_meet(MEET_LANES, mask, 0, 0);
}

static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static inline void __nanosleep(unsigned) { cpu_device_yield(); }

static inline void __trap() { cpu_device_trap(cudaErrorLaunchFailure, "__trap()"); }

static inline void __brkpt() { cpu_device_trap(cudaErrorLaunchFailure, "__brkpt()"); }

namespace cpu_device {

template <class T> inline const volatile void *place_of(T *p, int) { return p; }
template <class T> inline const volatile void *place_of(const volatile T &x, long) { return &x; }

/* A volatile array or pointer that a kernel is about to use. */
template <class T> inline T &&in_step(T &&x, int place) {
    cpu_device_step(place_of(x, 0), place, 0);
    return static_cast<T &&>(x);
}
template <class T> inline T &&in_shared_step(T &&x, int place) {
    cpu_device_step(place_of(x, 0), place, 1);
    return static_cast<T &&>(x);
}

} // namespace cpu_device

/* ---- warp votes ---- */

static inline unsigned __activemask(int line = __builtin_LINE()) {
    return cpu_device_active_lanes(line);
}

static inline unsigned __ballot_sync(unsigned mask, int predicate) {
    unsigned where;
    cpu_device_vote(VOTE_BALLOT, mask, predicate, &where);
    return where;
}

static inline int __all_sync(unsigned mask, int predicate) {
    unsigned where;
    return cpu_device_vote(VOTE_ALL, mask, predicate, &where) == where;
}

static inline int __any_sync(unsigned mask, int predicate) {
    unsigned where;
    cpu_device_vote(VOTE_ANY, mask, predicate, &where);
    return where != 0;
}

static inline int __uni_sync(unsigned mask, int predicate) {
    unsigned where;
    return cpu_device_vote(VOTE_UNI, mask, predicate, &where) == where || !where;
}

#define CPU_DEVICE_MATCH(T)                                                                        \
    static inline unsigned __match_any_sync(unsigned mask, T value) {                              \
        unsigned lanes;                                                                            \
        return cpu_device_match(MATCH_ANY, mask, cpu_device::same_bits<unsigned long long>(value), \
                                &lanes);                                                           \
    }                                                                                              \
    static inline unsigned __match_all_sync(unsigned mask, T value, int *predicate) {              \
        unsigned lanes, same;                                                                      \
        same = cpu_device_match(MATCH_ALL, mask, cpu_device::same_bits<unsigned long long>(value), \
                                &lanes);                                                           \
        *predicate = same == lanes;                                                                \
        return *predicate ? lanes : 0;                                                             \
    }
CPU_DEVICE_MATCH(int)
CPU_DEVICE_MATCH(unsigned)
CPU_DEVICE_MATCH(long)
CPU_DEVICE_MATCH(unsigned long)
CPU_DEVICE_MATCH(long long)
CPU_DEVICE_MATCH(unsigned long long)
CPU_DEVICE_MATCH(float)
CPU_DEVICE_MATCH(double)
#undef CPU_DEVICE_MATCH

#define CPU_DEVICE_REDUCE(name, kind)                                                              \
    static inline unsigned __reduce_##name##_sync(unsigned mask, unsigned value) {                 \
        return cpu_device_reduce(kind, mask, value);                                               \
    }
#define CPU_DEVICE_REDUCE_SIGNED(name, kind)                                                       \
    static inline int __reduce_##name##_sync(unsigned mask, int value) {                           \
        return cpu_device_reduce_signed(kind, mask, value);                                        \
    }
CPU_DEVICE_REDUCE(add, REDUCE_ADD)
CPU_DEVICE_REDUCE(min, REDUCE_MIN)
CPU_DEVICE_REDUCE(max, REDUCE_MAX)
CPU_DEVICE_REDUCE(and, REDUCE_AND)
CPU_DEVICE_REDUCE(or, REDUCE_OR)
CPU_DEVICE_REDUCE(xor, REDUCE_XOR)
CPU_DEVICE_REDUCE_SIGNED(add, REDUCE_ADD)
CPU_DEVICE_REDUCE_SIGNED(min, REDUCE_MIN)
CPU_DEVICE_REDUCE_SIGNED(max, REDUCE_MAX)
#undef CPU_DEVICE_REDUCE
#undef CPU_DEVICE_REDUCE_SIGNED

/* ---- warp shuffles ---- */

namespace cpu_device {

template <class T> inline T shuffle(int kind, unsigned mask, T value, unsigned b, int width) {
    unsigned long long bits =
        cpu_device_shuffle(kind, mask, same_bits<unsigned long long>(value), b, width);
    memcpy(&value, &bits,
           sizeof value); /* the low bytes: Linux on both machines is little-endian */
    return value;
}

} // namespace cpu_device

#define CPU_DEVICE_SHUFFLE(T)                                                                      \
    static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {                \
        return cpu_device::shuffle(SHUFFLE_IDX, mask, value, (unsigned)lane, width);               \
    }                                                                                              \
    static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {       \
        return cpu_device::shuffle(SHUFFLE_UP, mask, value, delta, width);                         \
    }                                                                                              \
    static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {     \
        return cpu_device::shuffle(SHUFFLE_DOWN, mask, value, delta, width);                       \
    }                                                                                              \
    static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {            \
        return cpu_device::shuffle(SHUFFLE_XOR, mask, value, (unsigned)bits, width);               \
    }
CPU_DEVICE_SHUFFLE(int)
CPU_DEVICE_SHUFFLE(unsigned)
CPU_DEVICE_SHUFFLE(long)
CPU_DEVICE_SHUFFLE(unsigned long)
CPU_DEVICE_SHUFFLE(long long)
CPU_DEVICE_SHUFFLE(unsigned long long)
CPU_DEVICE_SHUFFLE(float)
CPU_DEVICE_SHUFFLE(double) /* cuda_fp16.h has more */

/* ---- atomics ----
 * Each returns the old value. Relaxed, as on a GPU: order needs a fence. One that changes nothing
 * may stand in a loop that waits: it gives way, but only when it has read, since it is noted
 * before. */

namespace cpu_device {

template <class T, class Operation> inline T atomic(T *address, Operation operation) {
    T old, changed;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    do
        changed = operation(old);
    while (!__atomic_compare_exchange(address, &old, &changed, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED));
    return old;
}

template <class T> inline T atomic_exchange(T *address, T value) {
    T old;
    __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
    if (!memcmp(&old, &value, sizeof old))
        cpu_device_polled();
    return old;
}

template <class T> inline T atomic_compare_exchange(T *address, T compare, T value) {
    if (!__atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        cpu_device_polled();
    return compare;
}

} // namespace cpu_device

/* Three scopes, one meaning: the CPU device has one kind of memory. The tracer knows them. */
#define CPU_DEVICE_SCOPE 0
#define CPU_DEVICE_SCOPE_block CPU_DEVICE_ATOMIC_BLOCK
#define CPU_DEVICE_SCOPE_system 0
#define CPU_DEVICE_ATOMIC_SCOPE(T, name, scope, body)                                              \
    static inline T name##scope(T *address, T value) {                                             \
        CPU_DEVICE_TRACE_ATOMIC(address, CPU_DEVICE_SCOPE##scope);                                 \
        body                                                                                       \
    }
#define CPU_DEVICE_ATOMIC(T, name, body)                                                           \
    CPU_DEVICE_ATOMIC_SCOPE(T, name, , body)                                                       \
    CPU_DEVICE_ATOMIC_SCOPE(T, name, _block, body)                                                 \
    CPU_DEVICE_ATOMIC_SCOPE(T, name, _system, body)
#define CPU_DEVICE_ATOMIC_FETCH(T, name, operation)                                                \
    CPU_DEVICE_ATOMIC(T, name,                                                                     \
                      T old = __atomic_fetch_##operation(address, value, __ATOMIC_RELAXED);        \
                      if (!value) cpu_device_polled(); return old;)
#define CPU_DEVICE_ATOMIC_LOOP(T, name, expression)                                                \
    CPU_DEVICE_ATOMIC(                                                                             \
        T, name, return cpu_device::atomic(address, [value](T old) -> T { return expression; });)
#define CPU_DEVICE_ATOMIC_CAS(T, scope)                                                            \
    static inline T atomicCAS##scope(T *address, T compare, T value) {                             \
        CPU_DEVICE_TRACE_ATOMIC(address, CPU_DEVICE_ATOMIC_COMPARE | CPU_DEVICE_SCOPE##scope);     \
        return cpu_device::atomic_compare_exchange(address, compare, value);                       \
    }

/* min, max and the bit operations */
#define CPU_DEVICE_ATOMICS(T)                                                                      \
    CPU_DEVICE_ATOMIC_LOOP(T, atomicMin, value < old ? value : old)                                \
    CPU_DEVICE_ATOMIC_LOOP(T, atomicMax, value > old ? value : old)                                \
    CPU_DEVICE_ATOMIC(T, atomicAnd, return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);)  \
    CPU_DEVICE_ATOMIC_FETCH(T, atomicOr, or)                                                       \
    CPU_DEVICE_ATOMIC_FETCH(T, atomicXor, xor)
CPU_DEVICE_ATOMICS(int)
CPU_DEVICE_ATOMICS(unsigned)
CPU_DEVICE_ATOMICS(long long)
CPU_DEVICE_ATOMICS(unsigned long long)

CPU_DEVICE_ATOMIC_FETCH(int, atomicAdd, add)
CPU_DEVICE_ATOMIC_FETCH(unsigned, atomicAdd, add)
CPU_DEVICE_ATOMIC_FETCH(unsigned long long, atomicAdd, add)
CPU_DEVICE_ATOMIC_LOOP(float, atomicAdd, old + value)
CPU_DEVICE_ATOMIC_LOOP(double, atomicAdd, old + value)
CPU_DEVICE_ATOMIC_FETCH(int, atomicSub, sub)
CPU_DEVICE_ATOMIC_FETCH(unsigned, atomicSub, sub)

CPU_DEVICE_ATOMIC(int, atomicExch, return cpu_device::atomic_exchange(address, value);)
CPU_DEVICE_ATOMIC(unsigned, atomicExch, return cpu_device::atomic_exchange(address, value);)
CPU_DEVICE_ATOMIC(unsigned long long, atomicExch,
                  return cpu_device::atomic_exchange(address, value);)
CPU_DEVICE_ATOMIC(float, atomicExch, return cpu_device::atomic_exchange(address, value);)

/* Count up to value and start again at 0; count down from value and start again there. */
CPU_DEVICE_ATOMIC_LOOP(unsigned, atomicInc, old >= value ? 0 : old + 1)
CPU_DEVICE_ATOMIC_LOOP(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)

CPU_DEVICE_ATOMIC_CAS(int, )
CPU_DEVICE_ATOMIC_CAS(int, _block)
CPU_DEVICE_ATOMIC_CAS(int, _system)
CPU_DEVICE_ATOMIC_CAS(unsigned, )
CPU_DEVICE_ATOMIC_CAS(unsigned, _block)
CPU_DEVICE_ATOMIC_CAS(unsigned, _system)
CPU_DEVICE_ATOMIC_CAS(unsigned long long, )
CPU_DEVICE_ATOMIC_CAS(unsigned long long, _block)
CPU_DEVICE_ATOMIC_CAS(unsigned long long, _system)
CPU_DEVICE_ATOMIC_CAS(unsigned short, )
CPU_DEVICE_ATOMIC_CAS(unsigned short, _block)
CPU_DEVICE_ATOMIC_CAS(unsigned short, _system)

#undef CPU_DEVICE_SCOPE
#undef CPU_DEVICE_SCOPE_block
#undef CPU_DEVICE_SCOPE_system
#undef CPU_DEVICE_ATOMIC_SCOPE
#undef CPU_DEVICE_ATOMIC
#undef CPU_DEVICE_ATOMIC_FETCH
#undef CPU_DEVICE_ATOMIC_LOOP
#undef CPU_DEVICE_ATOMIC_CAS
#undef CPU_DEVICE_ATOMICS

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

/* ---- loads and stores with a cache hint, which the CPU device ignores ---- */

namespace cpu_device {

/* The types that CUDA has them for. */
template <class T> struct hinted {};
#define CPU_DEVICE_HINTED(T)                                                                       \
    template <> struct hinted<T> { typedef T type; };
#define CPU_DEVICE_HINTED_2_4(name)                                                                \
    CPU_DEVICE_HINTED(name##2)                                                                     \
    CPU_DEVICE_HINTED(name##4)
CPU_DEVICE_HINTED(char)
CPU_DEVICE_HINTED(signed char)
CPU_DEVICE_HINTED(unsigned char)
CPU_DEVICE_HINTED(short)
CPU_DEVICE_HINTED(unsigned short)
CPU_DEVICE_HINTED(int)
CPU_DEVICE_HINTED(unsigned)
CPU_DEVICE_HINTED(long)
CPU_DEVICE_HINTED(unsigned long)
CPU_DEVICE_HINTED(long long)
CPU_DEVICE_HINTED(unsigned long long)
CPU_DEVICE_HINTED(float)
CPU_DEVICE_HINTED(double)
CPU_DEVICE_HINTED_2_4(char)
CPU_DEVICE_HINTED_2_4(uchar)
CPU_DEVICE_HINTED_2_4(short)
CPU_DEVICE_HINTED_2_4(ushort)
CPU_DEVICE_HINTED_2_4(int)
CPU_DEVICE_HINTED_2_4(uint)
CPU_DEVICE_HINTED_2_4(float)
CPU_DEVICE_HINTED(longlong2)
CPU_DEVICE_HINTED(ulonglong2)
CPU_DEVICE_HINTED(double2)
#undef CPU_DEVICE_HINTED_2_4
#undef CPU_DEVICE_HINTED

} // namespace cpu_device

#define CPU_DEVICE_LOAD(name)                                                                      \
    template <class T> static inline typename cpu_device::hinted<T>::type name(const T *address) { \
        return *address;                                                                           \
    }
CPU_DEVICE_LOAD(__ldg)
CPU_DEVICE_LOAD(__ldca)
CPU_DEVICE_LOAD(__ldcg)
CPU_DEVICE_LOAD(__ldcs)
CPU_DEVICE_LOAD(__ldlu)
CPU_DEVICE_LOAD(__ldcv)
#undef CPU_DEVICE_LOAD

#define CPU_DEVICE_STORE(name)                                                                     \
    template <class T>                                                                             \
    static inline void name(T *address, typename cpu_device::hinted<T>::type value) {              \
        *address = value;                                                                          \
    }
CPU_DEVICE_STORE(__stwb)
CPU_DEVICE_STORE(__stcg)
CPU_DEVICE_STORE(__stcs)
CPU_DEVICE_STORE(__stwt)
#undef CPU_DEVICE_STORE

/* ---- integers ---- */

static inline int __popc(unsigned x) { return __builtin_popcount(x); }

static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }

static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }

static inline int __ffs(int x) { return __builtin_ffs(x); }

static inline int __ffsll(long long x) { return __builtin_ffsll(x); }

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

/* ---- overloads ----
 * <math.h> and <stdlib.h> bring the ones that C++ has, for abs, sqrt, pow, isnan and so on. */

static inline float rsqrt(float x) { return rsqrtf(x); }

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

static inline float fdivide(float x, float y) { return x / y; }

static inline void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }

static inline void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }

/* CUDA's min and max: for floating point fmin and fmax, so NaN loses; signed with unsigned is
 * unsigned. */
#define CPU_DEVICE_MINMAX(T, A, B)                                                                 \
    static inline T min(A a, B b) {                                                                \
        T x = (T)a, y = (T)b;                                                                      \
        return x < y ? x : y;                                                                      \
    }                                                                                              \
    static inline T max(A a, B b) {                                                                \
        T x = (T)a, y = (T)b;                                                                      \
        return x > y ? x : y;                                                                      \
    }
#define CPU_DEVICE_MINMAX_INTEGER(S, U)                                                            \
    CPU_DEVICE_MINMAX(S, S, S)                                                                     \
    CPU_DEVICE_MINMAX(U, U, U)                                                                     \
    CPU_DEVICE_MINMAX(U, S, U)                                                                     \
    CPU_DEVICE_MINMAX(U, U, S)
CPU_DEVICE_MINMAX_INTEGER(int, unsigned)
CPU_DEVICE_MINMAX_INTEGER(long, unsigned long)
CPU_DEVICE_MINMAX_INTEGER(long long, unsigned long long)
#undef CPU_DEVICE_MINMAX_INTEGER
#undef CPU_DEVICE_MINMAX

#define CPU_DEVICE_MINMAX(T, A, B, suffix)                                                         \
    static inline T min(A a, B b) { return fmin##suffix(a, b); }                                   \
    static inline T max(A a, B b) { return fmax##suffix(a, b); }
CPU_DEVICE_MINMAX(float, float, float, f)
CPU_DEVICE_MINMAX(double, double, double, )
CPU_DEVICE_MINMAX(double, float, double, )
CPU_DEVICE_MINMAX(double, double, float, )
#undef CPU_DEVICE_MINMAX

static inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }

static inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }

static inline long long llmin(long long a, long long b) { return min(a, b); }

static inline long long llmax(long long a, long long b) { return max(a, b); }

static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
    return min(a, b);
}

static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
    return max(a, b);
}

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

#ifdef CPU_DEVICE_TRACE
#undef inline
#endif

#endif
