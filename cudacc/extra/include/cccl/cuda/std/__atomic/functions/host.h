/* Its own: in kernels, too, atomics of libcu++ are what they are on the host, by the compiler. Each
 * tells the tracer what a GPU does, and gives way where a thread may wait for another one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifdef __CUDACC__ /* not a file of C++ */
#ifndef CPU_DEVICE_STD_ATOMIC
#define CPU_DEVICE_STD_ATOMIC
#include <string.h>
#include <type_traits>
namespace cpu_device {
#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline)) /* as in device_functions.h */
template <class T> inline void std_begin(T *p, int order, bool compare) {
    if (order != __ATOMIC_RELAXED && order != __ATOMIC_ACQUIRE)
        __threadfence();
    if (cpu_device_in_kernel())
        cpu_device_trace_atomic(p, sizeof *p, compare ? CPU_DEVICE_ATOMIC_COMPARE : 0);
}
inline void std_end(int order) {
    if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE)
        __threadfence();
}
/* To the tracer those read and write: a load is a volatile one, and a store one after a fence. */
template <unsigned bytes> struct std_word;
template <> struct std_word<1> { typedef unsigned char type; };
template <> struct std_word<2> { typedef unsigned short type; };
template <> struct std_word<4> { typedef unsigned type; };
template <> struct std_word<8> { typedef unsigned long type; };
template <class T> inline void std_load(T *p, typename std::remove_cv<T>::type *v, int order) {
    typedef typename std_word<sizeof(T)>::type word;
    if (cpu_device_in_kernel()) {
        word now = *(const volatile word *)p;
        memcpy(v, &now, sizeof now);
        std_end(order);
    } else {
        __atomic_load(p, v, order);
    }
}
template <class T, class V> inline void std_store(T *p, V *v, int order) {
    typedef typename std_word<sizeof(T)>::type word;
    if (cpu_device_in_kernel()) {
        word now;
        memcpy(&now, v, sizeof now);
        __threadfence();
        *(volatile word *)p = now;
        std_end(order);
    } else {
        __atomic_store(p, v, order);
    }
}
#undef inline
#else
template <class T> inline void std_begin(T *, int, bool) {}
inline void std_end(int) {}
template <class T, class V> inline void std_load(T *p, V *v, int order) {
    __atomic_load(p, v, order);
}
template <class T, class V> inline void std_store(T *p, V *v, int order) {
    __atomic_store(p, v, order);
}
#endif
} // namespace cpu_device
#endif
#define CPU_DEVICE_STD(p, order, compare, result, polls)                                           \
    ({                                                                                             \
        ::cpu_device::std_begin(p, order, compare);                                                \
        auto cpu_result = result;                                                                  \
        ::cpu_device::std_end(order);                                                              \
        if (polls)                                                                                 \
            cpu_device_polled();                                                                   \
        cpu_result;                                                                                \
    })
#define __atomic_load(p, v, o) (::cpu_device::std_load(p, v, o), cpu_device_polled())
#define __atomic_store(p, v, o) ::cpu_device::std_store(p, v, o)
#define __atomic_exchange(p, v, old, o)                                                            \
    CPU_DEVICE_STD(p, o, false, (__atomic_exchange(p, v, old, o), 0), true)
#define __atomic_compare_exchange(p, expected, v, weak, o, failed)                                 \
    CPU_DEVICE_STD(p, o, true, __atomic_compare_exchange(p, expected, v, weak, o, failed),         \
                   !cpu_result)
#define __atomic_fetch_add(p, v, o) CPU_DEVICE_STD(p, o, false, __atomic_fetch_add(p, v, o), !(v))
#define __atomic_fetch_sub(p, v, o) CPU_DEVICE_STD(p, o, false, __atomic_fetch_sub(p, v, o), !(v))
#define __atomic_fetch_and(p, v, o) CPU_DEVICE_STD(p, o, false, __atomic_fetch_and(p, v, o), true)
#define __atomic_fetch_or(p, v, o) CPU_DEVICE_STD(p, o, false, __atomic_fetch_or(p, v, o), true)
#define __atomic_fetch_xor(p, v, o) CPU_DEVICE_STD(p, o, false, __atomic_fetch_xor(p, v, o), true)
#endif
#include_next <cuda/std/__atomic/functions/host.h>
#undef __atomic_store
#undef __atomic_load
#undef __atomic_exchange
#undef __atomic_compare_exchange
#undef __atomic_fetch_add
#undef __atomic_fetch_sub
#undef __atomic_fetch_and
#undef __atomic_fetch_or
#undef __atomic_fetch_xor
