/* Complex numbers out of float2 and double2, in C and C++. Division and absolute value scale their
 * operands as CUDA's do, so that they overflow no earlier and round the same.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_CUCOMPLEX_H
#define CPU_DEVICE_CUCOMPLEX_H
#define CU_COMPLEX_H_ /* CUDA's own guard, which programs ask for */
#include <float.h>
#include <math.h>
#include "cuda_runtime_api.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* T: of the parts; C: the type; f: what ends the names of the functions for float. */
#define CPU_DEVICE_COMPLEX(T, C, f, largest)                                                       \
    static inline T cuCreal##f(C x) { return x.x; }                                                \
    static inline T cuCimag##f(C x) { return x.y; }                                                \
    static inline C make_##C(T real, T imaginary) {                                                \
        C x;                                                                                       \
        x.x = real;                                                                                \
        x.y = imaginary;                                                                           \
        return x;                                                                                  \
    }                                                                                              \
    static inline C cuConj##f(C x) { return make_##C(x.x, -x.y); }                                 \
    static inline C cuCadd##f(C x, C y) { return make_##C(x.x + y.x, x.y + y.y); }                 \
    static inline C cuCsub##f(C x, C y) { return make_##C(x.x - y.x, x.y - y.y); }                 \
    static inline C cuCmul##f(C x, C y) {                                                          \
        return make_##C(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                             \
    }                                                                                              \
    static inline C cuCfma##f(C x, C y, C d) {                                                     \
        T real = x.x * y.x + d.x, imaginary = x.x * y.y + d.y;                                     \
        return make_##C(-(x.y * y.y) + real, x.y * y.x + imaginary);                               \
    }                                                                                              \
    static inline C cuCdiv##f(C x, C y) {                                                          \
        T scale = 1 / (fabs##f(y.x) + fabs##f(y.y));                                               \
        C a = make_##C(x.x * scale, x.y * scale), b = make_##C(y.x * scale, y.y * scale);          \
        T inverse = 1 / (b.x * b.x + b.y * b.y);                                                   \
        return make_##C((a.x * b.x + a.y * b.y) * inverse, (a.y * b.x - a.x * b.y) * inverse);     \
    }                                                                                              \
    static inline T cuCabs##f(C x) {                                                               \
        T a = fabs##f(x.x), b = fabs##f(x.y), high = a > b ? a : b, low = a > b ? b : a;           \
        if (high == 0 || high > largest || low > largest)                                          \
            return high + low;                                                                     \
        return high * sqrt##f(1 + low / high * (low / high));                                      \
    }
CPU_DEVICE_COMPLEX(float, cuFloatComplex, f, FLT_MAX)
CPU_DEVICE_COMPLEX(double, cuDoubleComplex, , DBL_MAX)
#undef CPU_DEVICE_COMPLEX

static inline cuComplex make_cuComplex(float real, float imaginary) {
    return make_cuFloatComplex(real, imaginary);
}
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) {
    return make_cuDoubleComplex(x.x, x.y);
}
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
    return make_cuFloatComplex((float)x.x, (float)x.y);
}
#endif
