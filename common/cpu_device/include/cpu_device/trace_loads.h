/*
 * trace_loads.h: what a traced program calls so that it loads as nvcc's program does; which calls
 * these are: translate/loads.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_LOADS_H
#define CPU_DEVICE_TRACE_LOADS_H

namespace cpu_device {

#define CPU_DEVICE_INLINE inline __attribute__((always_inline))

/* Where a value lies. Of what is no variable: a copy, until the end of the expression. */
template <typename T> CPU_DEVICE_INLINE T *place(T &value) { return __builtin_addressof(value); }
template <typename T> CPU_DEVICE_INLINE const T *place(const T &&value) {
    return __builtin_addressof(value);
}

/* Of two types: each is loaded by itself. */
template <typename First, typename Second> struct either {
    bool is_first;
    First first;
    Second second;
    CPU_DEVICE_INLINE auto operator*() const -> decltype(true ? *first : *second) {
        return is_first ? *first : *second;
    }
};
template <typename First, typename Second>
CPU_DEVICE_INLINE either<First, Second> one_of(bool is_first, First first, Second second) {
    return {is_first, first, second};
}
template <typename T> CPU_DEVICE_INLINE T *one_of(bool is_first, T *first, T *second) {
    return is_first ? first : second;
}
template <typename T> CPU_DEVICE_INLINE const T *one_of(bool is_first, const T *first, T *second) {
    return is_first ? first : second;
}
template <typename T> CPU_DEVICE_INLINE const T *one_of(bool is_first, T *first, const T *second) {
    return is_first ? first : second;
}

/* A value that the compiler does not know. */
template <typename T> CPU_DEVICE_INLINE T &&loaded(T &&value) { return static_cast<T &&>(value); }
#define CPU_DEVICE_LOADED(type, place)                                                             \
    CPU_DEVICE_INLINE type loaded(type value) {                                                    \
        __asm__("" : "+" place(value));                                                            \
        return value;                                                                              \
    }
CPU_DEVICE_LOADED(char, "r")
CPU_DEVICE_LOADED(signed char, "r")
CPU_DEVICE_LOADED(unsigned char, "r")
CPU_DEVICE_LOADED(short, "r")
CPU_DEVICE_LOADED(unsigned short, "r")
CPU_DEVICE_LOADED(int, "r")
CPU_DEVICE_LOADED(unsigned, "r")
CPU_DEVICE_LOADED(long, "r")
CPU_DEVICE_LOADED(unsigned long, "r")
CPU_DEVICE_LOADED(long long, "r")
CPU_DEVICE_LOADED(unsigned long long, "r")
#ifdef __aarch64__
CPU_DEVICE_LOADED(float, "w")
CPU_DEVICE_LOADED(double, "w")
#else
CPU_DEVICE_LOADED(float, "x")
CPU_DEVICE_LOADED(double, "x")
#endif
#undef CPU_DEVICE_LOADED
#undef CPU_DEVICE_INLINE
} // namespace cpu_device
#endif
