// SPDX-License-Identifier: MIT
// Vector types and dim3: sizes, alignments, make_ functions and use in unions and initializers,
// on the host and in a kernel. The same numbers hold for nvcc and for cudacc.
#include "../../../tests/lib/device.h"
#include <type_traits>

#if !defined(__CUDACC_CPU__) && CUDART_VERSION >= 13000 // deprecates double4 and related types
#pragma nv_diag_suppress 1444
#pragma nv_diag_suppress 20199
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

// name, element, alignments of the types with 2 and with 4 elements
#define FAMILIES(X)                                                                                \
    X(char, signed char, 2, 4)                                                                     \
    X(uchar, unsigned char, 2, 4)                                                                  \
    X(short, short, 4, 8)                                                                          \
    X(ushort, unsigned short, 4, 8)                                                                \
    X(int, int, 8, 16)                                                                             \
    X(uint, unsigned int, 8, 16)                                                                   \
    X(long, long, 16, 16)                                                                          \
    X(ulong, unsigned long, 16, 16)                                                                \
    X(longlong, long long, 16, 16)                                                                 \
    X(ulonglong, unsigned long long, 16, 16)                                                       \
    X(float, float, 8, 16)                                                                         \
    X(double, double, 16, 16)

#if CUDART_VERSION >= 13000
#define BOTH_WAYS(X, name) X(name##4_16a, 32, 16) X(name##4_32a, 32, 32)
#define ALIGNED_BY_NAME(X)                                                                         \
    BOTH_WAYS(X, long)                                                                             \
    BOTH_WAYS(X, ulong)                                                                            \
    BOTH_WAYS(X, longlong)                                                                         \
    BOTH_WAYS(X, ulonglong)                                                                        \
    BOTH_WAYS(X, double)
#else
#define ALIGNED_BY_NAME(X)
#endif

// Each type with the size and alignment it has to have: asserted by whoever reads this, the host's
// compiler and the device's.
#define FAMILY_TYPES(X, name, T, alignment2, alignment4)                                           \
    X(name##1, sizeof(T), alignof(T))                                                              \
    X(name##2, 2 * sizeof(T), alignment2)                                                          \
    X(name##3, 3 * sizeof(T), alignof(T))                                                          \
    X(name##4, 4 * sizeof(T), alignment4)

#define CHECK_TYPE(type, size, alignment)                                                          \
    static_assert(sizeof(type) == (size) && alignof(type) == (alignment), #type);                  \
    static_assert(std::is_trivially_copyable<type>::value, #type);
#define CHECK_FAMILY(name, T, alignment2, alignment4)                                              \
    FAMILY_TYPES(CHECK_TYPE, name, T, alignment2, alignment4)
FAMILIES(CHECK_FAMILY)
ALIGNED_BY_NAME(CHECK_TYPE)
CHECK_TYPE(dim3, 12, 4)

// The number of things that are wrong.
__host__ __device__ static int count_errors(void) {
    int errors = 0;
#define MAKE_FAMILY(name, T, alignment2, alignment4)                                               \
    {                                                                                              \
        name##1 a = make_##name##1(1);                                                             \
        name##2 b = make_##name##2(1, 2);                                                          \
        name##3 c = make_##name##3(1, 2, 3);                                                       \
        name##4 d = make_##name##4(1, 2, 3, 4);                                                    \
        errors += !(a.x == 1 && b.x == 1 && b.y == 2 && c.x == 1 && c.y == 2 && c.z == 3);         \
        errors += !(d.x == 1 && d.y == 2 && d.z == 3 && d.w == 4);                                 \
    }
    FAMILIES(MAKE_FAMILY)
#define MAKE_TYPE(type, size, alignment)                                                           \
    {                                                                                              \
        type v = make_##type(1, 2, 3, 4);                                                          \
        errors += !(v.x == 1 && v.y == 2 && v.z == 3 && v.w == 4);                                 \
    }
    ALIGNED_BY_NAME(MAKE_TYPE)

    float4 list = {1, 2, 3, 4}, zero = {}, copy;
    copy = list;
    errors += !(copy.x == 1 && copy.w == 4 && zero.x == 0 && zero.w == 0);

    union {
        float4 vector;
        float element[4];
    } both;
    both.vector = make_float4(6, 7, 8, 9);
    errors += !(both.element[0] == 6 && both.element[3] == 9);

    float2 array[2] = {{1, 2}, {3, 4}};
    float4 wide = *reinterpret_cast<float4 *>(&both), narrow = {array[1].x, array[1].y, 0, 0};
    errors += !(wide.y == 7 && narrow.y == 4);

    dim3 nothing, line(5), plane(5, 6), box(5, 6, 7), braces = {8, 9}, number = 3;
    errors += !(nothing.x == 1 && nothing.y == 1 && nothing.z == 1);
    errors += !(line.x == 5 && line.y == 1 && plane.y == 6 && plane.z == 1 && box.z == 7);
    errors += !(braces.x == 8 && braces.y == 9 && braces.z == 1 && number.x == 3);
    uint3 from_dim3 = box;
    dim3 from_uint3 = make_uint3(1, 2, 3);
    errors += !(from_dim3.z == 7 && from_uint3.y == 2);
    return errors;
}

__global__ void count(int *errors) { *errors = count_errors(); }

int main(void) {
    need_device();
    ok(count_errors() == 0, "vector types and dim3 on the host");

    MEMORY(int, d_errors, sizeof *d_errors);
    count<<<1, 1>>>(d_errors);
    must(cudaGetLastError());
    ok(value_at(d_errors) == 0, "vector types and dim3 in a kernel");
    return done_testing();
}
