/* Device functions that are too long for a header: directed rounding, conversions, the functions
 * that libm lacks.
 *
 * The special functions are computed in long double and rounded once. That is slow, and at least
 * as accurate as CUDA's own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/runtime.h"
#pragma GCC visibility push(default)
#include "extra/include/cpu_device/device_math.h"
#pragma GCC visibility pop
#include <fenv.h>
#include <float.h>
#include <limits.h>

/* ---- rounding ---- */

/* Operands and result are volatile so that the operation stays between the two fesetround(). */
#define DIRECTED(T, name, direction, parameters, expression)                                       \
    T name parameters {                                                                            \
        int saved = fegetround();                                                                  \
        fesetround(direction);                                                                     \
        volatile T result = expression;                                                            \
        fesetround(saved);                                                                         \
        return result;                                                                             \
    }
#define ROUNDED(T, name, parameters, expression)                                                   \
    T name##_rn parameters { return expression; }                                                  \
    DIRECTED(T, name##_rz, FE_TOWARDZERO, parameters, expression)                                  \
    DIRECTED(T, name##_ru, FE_UPWARD, parameters, expression)                                      \
    DIRECTED(T, name##_rd, FE_DOWNWARD, parameters, expression)
CPU_DEVICE_ROUNDED(ROUNDED, volatile)

/* In double the two roundings before the last never reach a wrong float: all floats of two binades
 * were compared. */
float __frsqrt_rn(float x) { return (float)(1 / sqrt((double)x)); }

/* highest + 1 is a power of two, exact in floating point. */
#define DEFINE_TO_DIRECTION(T, name, A, integral, lowest, highest, nan)                            \
    T name(A x) {                                                                                  \
        double v = integral;                                                                       \
        double above = 2.0 * (double)((highest) / 2 + 1);                                          \
        return v != v ? nan : v <= (double)(lowest) ? lowest : v >= above ? highest : (T)v;        \
    }
#define DEFINE_TO(T, name, A, lowest, highest, nan)                                                \
    DEFINE_TO_DIRECTION(T, name##_rn, A, rint(x), lowest, highest, nan)                            \
    DEFINE_TO_DIRECTION(T, name##_rz, A, x, lowest, highest, nan)                                  \
    DEFINE_TO_DIRECTION(T, name##_ru, A, ceil(x), lowest, highest, nan)                            \
    DEFINE_TO_DIRECTION(T, name##_rd, A, floor(x), lowest, highest, nan)
CPU_DEVICE_TO_INTEGER(DEFINE_TO)

/* ---- functions that libm lacks ---- */

typedef long double wide;
static const wide PI = 3.14159265358979323846264338327950288L;
static const wide SQRT_PI = 1.77245385090551602729816748334114518L;
static const wide SQRT_HALF = 0.707106781186547524400844362104849039L;

static wide wide_rcbrt(wide x) { return 1 / cbrtl(x); }

/* x lies in [-1, 1] after an exact reduction; near multiples of 1/2 the other function is exact. */
static wide wide_sinpi(wide x) {
    wide r = remainderl(x, 2);
    if (r > 0.5L)
        r = 1 - r;
    if (r < -0.5L)
        r = -1 - r;
    if (r == 0)
        return copysignl(0, x);
    return fabsl(r) <= 0.25L ? sinl(PI * r) : copysignl(cosl(PI * (0.5L - fabsl(r))), r);
}

static wide wide_cospi(wide x) {
    wide r = fabsl(remainderl(x, 2));
    if (r == 0.5L)
        return 0;
    return r <= 0.25L ? cosl(PI * r) : r < 0.75L ? sinl(PI * (0.5L - r)) : -cosl(PI * (1 - r));
}

/* exp(x*x) * erfc(x). Far out the asymptotic series: its terms shrink until n = x*x. */
static wide wide_erfcx(wide x) {
    if (x < 12)
        return expl(x * x) * erfcl(x);
    wide sum = 1, term = 1;
    for (int n = 1; n < 30; n++) {
        term *= -(2 * n - 1) / (2 * x * x);
        sum += term;
    }
    return sum / (x * SQRT_PI);
}

static wide wide_erfinv(wide x);

/* Halley's method on erfc(y) = x, from a start that is good to some percent. */
static wide wide_erfcinv(wide x) {
    if (x != x || x < 0 || x > 2)
        return (wide)NAN;
    if (x == 0)
        return HUGE_VALL;
    if (x == 2)
        return -HUGE_VALL;
    if (fabsl(1 - x) <= 0.5L)
        return wide_erfinv(1 - x);  /* there erfc loses what erf keeps */
    wide small = x < 1 ? x : 2 - x; /* exact: x has the precision of a double */
    wide log_part = logl(small * (2 - small)), half = 2 / (PI * 0.147L) + log_part / 2;
    wide y = sqrtl(sqrtl(half * half - log_part / 0.147L) - half);
    for (int i = 0; i < 4; i++) {
        wide step = (erfcl(y) - small) * SQRT_PI / -2 * expl(y * y);
        y -= step / (1 + y * step);
    }
    return x < 1 ? y : -y;
}

static wide wide_erfinv(wide x) {
    if (fabsl(x) > 0.5L || x != x)
        return wide_erfcinv(1 - x);
    wide y = x * SQRT_PI / 2;
    for (int i = 0; i < 5; i++) {
        wide step = (erfl(y) - x) * SQRT_PI / 2 * expl(y * y);
        y -= step / (1 + y * step);
    }
    return y;
}

static wide wide_normcdf(wide x) { return erfcl(-x * SQRT_HALF) / 2; }

static wide wide_normcdfinv(wide x) { return wide_erfcinv(2 * x) / -SQRT_HALF; }

/* The modified Bessel function of order 0 or 1. */
static wide bessel_i(int order, wide x) {
    if (x != x)
        return x;
    wide size = fabsl(x), term = 1, sum = 1;
    if (size < 40) { /* power series */
        for (int n = 1; term > sum * LDBL_EPSILON / 4; n++) {
            term *= size * size / 4 / n / (n + order);
            sum += term;
        }
        sum *= order ? size / 2 : 1;
    } else { /* asymptotic series */
        for (int n = 1; n < 60; n++) {
            term *= ((2 * n - 1) * (2 * n - 1) - 4 * order) / (8 * size * n);
            sum += term;
        }
        sum *= isinf(size) ? HUGE_VALL : expl(size) / sqrtl(2 * PI * size);
    }
    return order && x < 0 ? -sum : sum;
}

static wide wide_cyl_bessel_i0(wide x) { return bessel_i(0, x); }

static wide wide_cyl_bessel_i1(wide x) { return bessel_i(1, x); }

#define DEFINE_UNARY(name)                                                                         \
    double name(double x) { return (double)wide_##name(x); }                                       \
    float name##f(float x) { return (float)wide_##name(x); }
CPU_DEVICE_UNARY(DEFINE_UNARY)

void sincospi(double x, double *sine, double *cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}

void sincospif(float x, float *sine, float *cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}

/* An infinite member wins over NaN, as in hypot. */
#define DEFINE_WIDE_NORM(name, T)                                                                  \
    static wide name(int n, const T *x) {                                                          \
        wide sum = 0;                                                                              \
        int infinite = 0;                                                                          \
        for (int i = 0; i < n; i++) {                                                              \
            infinite |= isinf(x[i]) != 0;                                                          \
            sum += (wide)x[i] * x[i];                                                              \
        }                                                                                          \
        return infinite ? HUGE_VALL : sqrtl(sum);                                                  \
    }
DEFINE_WIDE_NORM(wide_norm, double)
DEFINE_WIDE_NORM(wide_normf, float)

#define DEFINE_NORM(T, name, parameters, ...)                                                      \
    T name parameters {                                                                            \
        double v[] = {__VA_ARGS__};                                                                \
        return (T)wide_norm((int)(sizeof v / sizeof *v), v);                                       \
    }                                                                                              \
    T r##name parameters {                                                                         \
        double v[] = {__VA_ARGS__};                                                                \
        return (T)(1 / wide_norm((int)(sizeof v / sizeof *v), v));                                 \
    }
DEFINE_NORM(double, norm3d, (double x, double y, double z), x, y, z)
DEFINE_NORM(float, norm3df, (float x, float y, float z), x, y, z)
DEFINE_NORM(double, norm4d, (double x, double y, double z, double w), x, y, z, w)
DEFINE_NORM(float, norm4df, (float x, float y, float z, float w), x, y, z, w)

double norm(int n, const double *x) { return (double)wide_norm(n, x); }

float normf(int n, const float *x) { return (float)wide_normf(n, x); }

double rnorm(int n, const double *x) { return (double)(1 / wide_norm(n, x)); }

float rnormf(int n, const float *x) { return (float)(1 / wide_normf(n, x)); }

double rhypot(double x, double y) {
    double v[] = {x, y};
    return (double)(1 / wide_norm(2, v));
}

float rhypotf(float x, float y) {
    double v[] = {x, y};
    return (float)(1 / wide_norm(2, v));
}
