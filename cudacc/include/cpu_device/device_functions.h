/* What kernels may call, with CUDA's names and meanings. C++ only.
 * Long functions are in extra/runtime/math.c, others in the headers that this one includes.
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
#include <type_traits>
#include <utility>

#include "../cuda_runtime_api.h"
#include "kernel_abi.h"
#include "../../extra/include/cpu_device/device_math.h"
#include "warp.h"

/* In a traced build all of this becomes part of the kernel, so that it counts as the line there. */
#ifdef CPU_DEVICE_TRACE
#include "trace_abi.h"
#define inline inline __attribute__((always_inline))
#define CPU_DEVICE_TRACE_ATOMIC(address, how)                                                      \
    cpu_device_trace_atomic(address, sizeof *(address), how)
#else
#define CPU_DEVICE_TRACE_ATOMIC(address, how)                                                      \
    (void)((size_t)(address) % sizeof *(address) &&                                                \
           (cpu_device_trap(cudaErrorMisalignedAddress, "a misaligned atomic operation"), 0))
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

static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

namespace cpu_device {

template <class T> inline const volatile void *place_of(T *p, int) {
    return (const volatile void *)p;
}
template <class T> inline const volatile void *place_of(const volatile T &x, long) { return &x; }

template <class T> struct pointee : std::remove_pointer<T> {};
template <class T> struct pointee<T *__restrict__> { using type = T; };

/* Is it volatile, or what it points to, or may a class in it have members that are? */
template <class T> constexpr bool has_volatile(bool in_class) {
    using of = typename pointee<std::remove_all_extents_t<std::remove_reference_t<T>>>::type;
    return std::is_volatile<of>::value ||
           (std::is_same<of, T>::value ? in_class && !std::is_scalar<T>::value
                                       : has_volatile<of>(in_class));
}

/* An array or a pointer that a kernel is about to use; its name stands for a volatile one, or (0)
 * only its type may do so. */
template <int only_shared, int by_name, class T> constexpr T &&in_step(T &&x, int place) {
    if (has_volatile<T>(by_name))
        cpu_device_step(place_of(x, 0), place, only_shared);
    return static_cast<T &&>(x);
}
constexpr void in_round(int depth, int begin, int end) {
    if (!__builtin_is_constant_evaluated())
        cpu_device_round(depth, begin, end);
}

} // namespace cpu_device

/* The types of numbers of 4 and 8 bytes. */
#define CPU_DEVICE_NUMBERS(X)                                                                      \
    X(int)                                                                                         \
    X(unsigned)                                                                                    \
    X(long)                                                                                        \
    X(unsigned long)                                                                               \
    X(long long)                                                                                   \
    X(unsigned long long)                                                                          \
    X(float)                                                                                       \
    X(double)

#include "warp_functions.h"
#include "atomics.h"

/* ---- loads and stores with a cache hint, which the CPU device ignores ---- */

namespace cpu_device {

template <class T, class... Types> constexpr bool is_any = false;
template <class T, class First, class... Others>
constexpr bool is_any<T, First, Others...> = std::is_same<T, First>::value || is_any<T, Others...>;

/* The types that CUDA has them for. */
template <class T>
struct hinted
    : std::enable_if<
          is_any<T, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                 unsigned long, long long, unsigned long long, float, double, char2, char4, uchar2,
                 uchar4, short2, short4, ushort2, ushort4, int2, int4, uint2, uint4, float2, float4,
                 longlong2, ulonglong2, double2>,
          T> {};
#undef CPU_DEVICE_NUMBERS

} // namespace cpu_device

#define CPU_DEVICE_LOAD(name, first)                                                               \
    template <class T> static inline typename cpu_device::hinted<T>::type name(const T *address) { \
        first return *address;                                                                     \
    }
CPU_DEVICE_LOAD(__ldg, )
CPU_DEVICE_LOAD(__ldca, )
CPU_DEVICE_LOAD(__ldcg, )
CPU_DEVICE_LOAD(__ldcs, )
CPU_DEVICE_LOAD(__ldlu, )
CPU_DEVICE_LOAD(__ldcv, cpu_device_polled();)
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

/* ---- min and max ---- */

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

#include "../../extra/include/cpu_device/intrinsics.h"

#ifdef CPU_DEVICE_TRACE
#undef inline
#endif

#endif
