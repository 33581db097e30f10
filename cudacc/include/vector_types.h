/* The vector types, dim3 and the make_ functions, with CUDA's sizes and alignments.
 * C11 and C++11.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_VECTOR_TYPES_H
#define CPU_DEVICE_VECTOR_TYPES_H

/* In a traced build a whole vector is to be loaded or stored by one access, as on a GPU. A volatile
 * member, which takes no room, keeps gcc from taking the struct apart; from gcc 12 on it needs no
 * name, and `auto [x, y] = v` does not count it. clang takes apart what it copies as a struct:
 * there vectors have functions that copy pieces of at most 16 bytes and, because of these,
 * constructors. */
#if defined CPU_DEVICE_TRACE && defined __cplusplus
#ifdef __clang__
#define CPU_DEVICE_WHOLE(T, name, count)                                                           \
    name() = default;                                                                              \
    __attribute__((always_inline)) name(const name &v) { *this = v; }                              \
    __attribute__((always_inline)) name &operator=(const name &v) {                                \
        enum { BYTES = count * sizeof(T), PIECE = BYTES < 16 ? BYTES : 16 };                       \
        typedef T piece __attribute__((vector_size(PIECE), may_alias));                            \
        for (int i = 0; i < BYTES / PIECE; i++)                                                    \
            ((piece *)this)[i] = ((const piece *)&v)[i];                                           \
        return *this;                                                                              \
    }
#define CPU_DEVICE_WHOLE2(T, name)                                                                 \
    CPU_DEVICE_WHOLE(T, name, 2)                                                                   \
    constexpr name(T x, T y = 0) : x(x), y(y) {}
#define CPU_DEVICE_WHOLE4(T, name)                                                                 \
    CPU_DEVICE_WHOLE(T, name, 4)                                                                   \
    constexpr name(T x, T y = 0, T z = 0, T w = 0) : x(x), y(y), z(z), w(w) {}
#else
#define CPU_DEVICE_WHOLE2(T, name) volatile char CPU_DEVICE_NOTHING;
#define CPU_DEVICE_WHOLE4(T, name) volatile char CPU_DEVICE_NOTHING;
#if __GNUC__ < 12
#define CPU_DEVICE_NOTHING cpu_device_whole[0]
#else
#define CPU_DEVICE_NOTHING : 0
#endif
#endif
#else
#define CPU_DEVICE_WHOLE2(T, name)
#define CPU_DEVICE_WHOLE4(T, name)
#endif

/* A struct of some members, and its make_ function. */
#define CPU_DEVICE_VECTOR(name, attribute, members, parameters, ...)                               \
    struct attribute name {                                                                        \
        members                                                                                    \
    };                                                                                             \
    typedef struct name name;                                                                      \
    static inline name make_##name parameters {                                                    \
        name v = {__VA_ARGS__};                                                                    \
        return v;                                                                                  \
    }

/* One of four members with its own alignment. */
#define CPU_DEVICE_VECTOR4(T, name, alignment)                                                     \
    CPU_DEVICE_VECTOR(name, __attribute__((aligned(alignment))), T x; T y; T z; T w;               \
                      CPU_DEVICE_WHOLE4(T, name), (T x, T y, T z, T w), x, y, z, w)

/* name1 to name4. Types of one and three members keep the alignment of their member. */
#define CPU_DEVICE_VECTORS(T, name, alignment2, alignment4)                                        \
    CPU_DEVICE_VECTOR(name##1, , T x;, (T x), x)                                                   \
    CPU_DEVICE_VECTOR(name##2, __attribute__((aligned(alignment2))), T x; T y;                     \
                      CPU_DEVICE_WHOLE2(T, name##2), (T x, T y), x, y)                             \
    CPU_DEVICE_VECTOR(name##3, , T x; T y; T z;, (T x, T y, T z), x, y, z)                         \
    CPU_DEVICE_VECTOR4(T, name##4, alignment4)

CPU_DEVICE_VECTORS(signed char, char, 2, 4)
CPU_DEVICE_VECTORS(unsigned char, uchar, 2, 4)
CPU_DEVICE_VECTORS(short, short, 4, 8)
CPU_DEVICE_VECTORS(unsigned short, ushort, 4, 8)
CPU_DEVICE_VECTORS(int, int, 8, 16)
CPU_DEVICE_VECTORS(unsigned int, uint, 8, 16)
CPU_DEVICE_VECTORS(long, long, 16, 16)
CPU_DEVICE_VECTORS(unsigned long, ulong, 16, 16)
CPU_DEVICE_VECTORS(long long, longlong, 16, 16)
CPU_DEVICE_VECTORS(unsigned long long, ulonglong, 16, 16)
CPU_DEVICE_VECTORS(float, float, 8, 16)
CPU_DEVICE_VECTORS(double, double, 16, 16)

/* CUDA 13 names the alignment of the 32-byte types; the plain names stay at 16. */
CPU_DEVICE_VECTOR4(long, long4_16a, 16)
CPU_DEVICE_VECTOR4(long, long4_32a, 32)
CPU_DEVICE_VECTOR4(unsigned long, ulong4_16a, 16)
CPU_DEVICE_VECTOR4(unsigned long, ulong4_32a, 32)
CPU_DEVICE_VECTOR4(long long, longlong4_16a, 16)
CPU_DEVICE_VECTOR4(long long, longlong4_32a, 32)
CPU_DEVICE_VECTOR4(unsigned long long, ulonglong4_16a, 16)
CPU_DEVICE_VECTOR4(unsigned long long, ulonglong4_32a, 32)
CPU_DEVICE_VECTOR4(double, double4_16a, 16)
CPU_DEVICE_VECTOR4(double, double4_32a, 32)

#undef CPU_DEVICE_VECTORS
#undef CPU_DEVICE_VECTOR
#undef CPU_DEVICE_VECTOR4
#undef CPU_DEVICE_WHOLE
#undef CPU_DEVICE_WHOLE2
#undef CPU_DEVICE_WHOLE4
#undef CPU_DEVICE_NOTHING

/* In C++ a missing dimension is 1; in C dim3 is a plain struct of the same layout. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
