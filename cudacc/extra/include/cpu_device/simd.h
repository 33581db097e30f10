/* simd.h: CUDA's functions on a word as two halfwords or four bytes: __vadd2, __vadd4 and so on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_SIMD_H
#define CPU_DEVICE_SIMD_H

namespace cpu_device {

/* f(x, y) of each part of a and b, as T; what it gives is cut to the bits of a part. */
template <class T, class Function> inline unsigned each_part(unsigned a, unsigned b, Function f) {
    const unsigned bits = 8 * sizeof(T), mask = (1u << bits) - 1;
    unsigned result = 0;
    for (unsigned shift = 0; shift < 32; shift += bits)
        result |= ((unsigned)f((int)(T)(a >> shift), (int)(T)(b >> shift)) & mask) << shift;
    return result;
}

template <class T> inline int saturated(int x) {
    const int low = (T)-1 < 0 ? -(1 << (8 * sizeof(T) - 1)) : 0,
              high = low + (1 << 8 * sizeof(T)) - 1;
    return x < low ? low : x > high ? high : x;
}

} // namespace cpu_device

#define CPU_DEVICE_SIMD_2(name, T, expression)                                                     \
    static inline unsigned name(unsigned a, unsigned b) {                                          \
        return cpu_device::each_part<T>(a, b, [](int x, int y) -> int { return expression; });     \
    }
#define CPU_DEVICE_SIMD_1(name, T, expression)                                                     \
    static inline unsigned name(unsigned a) {                                                      \
        return cpu_device::each_part<T>(a, 0, [](int x, int) -> int { return expression; });       \
    }
/* All bits of a part, or its last one. */
#define CPU_DEVICE_SIMD_COMPARE(name, n, T, condition)                                             \
    CPU_DEVICE_SIMD_2(__vcmp##name##n, T, condition ? -1 : 0)                                      \
    CPU_DEVICE_SIMD_2(__vset##name##n, T, condition ? 1 : 0)
#define CPU_DEVICE_SIMD_ORDER(n, s, T)                                                             \
    CPU_DEVICE_SIMD_2(__vmax##s##n, T, x > y ? x : y)                                              \
    CPU_DEVICE_SIMD_2(__vmin##s##n, T, x < y ? x : y)                                              \
    CPU_DEVICE_SIMD_2(__vabsdiff##s##n, T, x > y ? x - y : y - x)                                  \
    CPU_DEVICE_SIMD_COMPARE(gt##s, n, T, x > y)                                                    \
    CPU_DEVICE_SIMD_COMPARE(ge##s, n, T, x >= y)                                                   \
    CPU_DEVICE_SIMD_COMPARE(lt##s, n, T, x < y)                                                    \
    CPU_DEVICE_SIMD_COMPARE(le##s, n, T, x <= y)                                                   \
    static inline unsigned __vsad##s##n(unsigned a, unsigned b) { /* the sum of differences */     \
        unsigned sum = 0, difference = __vabsdiff##s##n(a, b);                                     \
        for (unsigned i = 0; i < n; i++)                                                           \
            sum += difference >> 32 / n * i & (0xffffffffu >> (32 - 32 / n));                      \
        return sum;                                                                                \
    }
#define CPU_DEVICE_SIMD(n, S, U)                                                                   \
    CPU_DEVICE_SIMD_2(__vadd##n, U, x + y)                                                         \
    CPU_DEVICE_SIMD_2(__vaddss##n, S, cpu_device::saturated<S>(x + y))                             \
    CPU_DEVICE_SIMD_2(__vaddus##n, U, cpu_device::saturated<U>(x + y))                             \
    CPU_DEVICE_SIMD_2(__vsub##n, U, x - y)                                                         \
    CPU_DEVICE_SIMD_2(__vsubss##n, S, cpu_device::saturated<S>(x - y))                             \
    CPU_DEVICE_SIMD_2(__vsubus##n, U, cpu_device::saturated<U>(x - y))                             \
    CPU_DEVICE_SIMD_2(__vhaddu##n, U, (x + y) >> 1)                                                \
    CPU_DEVICE_SIMD_2(__vavgu##n, U, (x + y + 1) >> 1)                                             \
    CPU_DEVICE_SIMD_2(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1)                                  \
    CPU_DEVICE_SIMD_1(__vabs##n, S, x < 0 ? -x : x)                                                \
    CPU_DEVICE_SIMD_1(__vabsss##n, S, cpu_device::saturated<S>(x < 0 ? -x : x))                    \
    CPU_DEVICE_SIMD_1(__vneg##n, S, -x)                                                            \
    CPU_DEVICE_SIMD_1(__vnegss##n, S, cpu_device::saturated<S>(-x))                                \
    CPU_DEVICE_SIMD_COMPARE(eq, n, U, x == y)                                                      \
    CPU_DEVICE_SIMD_COMPARE(ne, n, U, x != y)                                                      \
    CPU_DEVICE_SIMD_ORDER(n, s, S)                                                                 \
    CPU_DEVICE_SIMD_ORDER(n, u, U)

CPU_DEVICE_SIMD(2, short, unsigned short)
CPU_DEVICE_SIMD(4, signed char, unsigned char)

#undef CPU_DEVICE_SIMD
#undef CPU_DEVICE_SIMD_1
#undef CPU_DEVICE_SIMD_2
#undef CPU_DEVICE_SIMD_COMPARE
#undef CPU_DEVICE_SIMD_ORDER

#endif
