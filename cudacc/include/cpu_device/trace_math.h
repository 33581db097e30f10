/* Mathematical functions with results, or numbers, where a pointer leads: a list for
 * trace_libc.h and trace/record/math.c.
 *
 * SPDX-License-Identifier: MIT
 */
CPU_DEVICE_SEEN(double, modf, (double x, double *whole))
CPU_DEVICE_SEEN(float, modff, (float x, float *whole))
CPU_DEVICE_SEEN(double, frexp, (double x, int *exponent))
CPU_DEVICE_SEEN(float, frexpf, (float x, int *exponent))
CPU_DEVICE_SEEN(double, remquo, (double x, double y, int *quotient))
CPU_DEVICE_SEEN(float, remquof, (float x, float y, int *quotient))
CPU_DEVICE_SEEN(void, sincos, (double x, double *sine, double *cosine))
CPU_DEVICE_SEEN(void, sincosf, (float x, float *sine, float *cosine))
CPU_DEVICE_SEEN(void, sincospi, (double x, double *sine, double *cosine))
CPU_DEVICE_SEEN(void, sincospif, (float x, float *sine, float *cosine))
CPU_DEVICE_SEEN(double, norm, (int n, const double *x))
CPU_DEVICE_SEEN(float, normf, (int n, const float *x))
CPU_DEVICE_SEEN(double, rnorm, (int n, const double *x))
CPU_DEVICE_SEEN(float, rnormf, (int n, const float *x))
