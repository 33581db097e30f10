/*
 * math.c: what functions of the mathematical library store or load through a pointer
 * (include/cpu_device/trace_math.h): the library itself is compiled without calls of the tracer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sincos */
#endif
#include "trace/record/record.h"
#include "include/cpu_device/device_math.h"

#pragma GCC visibility push(default)
#define CPU_DEVICE_SEEN(T, name, parameters) T cpu_device_seen_##name parameters;
#include "include/cpu_device/trace_math.h"

#define STORES(p) trace_access(p, sizeof *(p), TRACE_STORE, __builtin_return_address(0))
#define ONE_RESULT(T, name, parameters, result, ...)                                               \
    T cpu_device_seen_##name parameters {                                                          \
        STORES(result);                                                                            \
        return name(__VA_ARGS__);                                                                  \
    }
ONE_RESULT(double, modf, (double x, double *whole), whole, x, whole)
ONE_RESULT(float, modff, (float x, float *whole), whole, x, whole)
ONE_RESULT(double, frexp, (double x, int *exponent), exponent, x, exponent)
ONE_RESULT(float, frexpf, (float x, int *exponent), exponent, x, exponent)
ONE_RESULT(double, remquo, (double x, double y, int *quotient), quotient, x, y, quotient)
ONE_RESULT(float, remquof, (float x, float y, int *quotient), quotient, x, y, quotient)

#define SINE_AND_COSINE(T, name)                                                                   \
    void cpu_device_seen_##name(T x, T *sine, T *cosine) {                                         \
        STORES(sine);                                                                              \
        STORES(cosine);                                                                            \
        name(x, sine, cosine);                                                                     \
    }
SINE_AND_COSINE(double, sincos)
SINE_AND_COSINE(float, sincosf)
SINE_AND_COSINE(double, sincospi)
SINE_AND_COSINE(float, sincospif)

#define NORM(T, name)                                                                              \
    T cpu_device_seen_##name(int n, const T *x) {                                                  \
        for (int i = 0; i < n; i++)                                                                \
            trace_access(&x[i], sizeof x[i], TRACE_LOAD, __builtin_return_address(0));             \
        return name(n, x);                                                                         \
    }
NORM(double, norm)
NORM(float, normf)
NORM(double, rnorm)
NORM(float, rnormf)
#pragma GCC visibility pop
