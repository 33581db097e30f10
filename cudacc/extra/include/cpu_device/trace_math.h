/* Mathematical functions with results, or numbers, where a pointer leads, and what they do there: a
 * list for trace_libc.h and extra/trace/math.c.
 *
 * SPDX-License-Identifier: MIT
 */
CPU_DEVICE_SEEN(double, modf, (double x, double *whole), (x, whole), STORES(whole))
CPU_DEVICE_SEEN(float, modff, (float x, float *whole), (x, whole), STORES(whole))
CPU_DEVICE_SEEN(double, frexp, (double x, int *exponent), (x, exponent), STORES(exponent))
CPU_DEVICE_SEEN(float, frexpf, (float x, int *exponent), (x, exponent), STORES(exponent))
CPU_DEVICE_SEEN(double, remquo, (double x, double y, int *quo), (x, y, quo), STORES(quo))
CPU_DEVICE_SEEN(float, remquof, (float x, float y, int *quo), (x, y, quo), STORES(quo))
CPU_DEVICE_SEEN(void, sincos, (double x, double *s, double *c), (x, s, c), STORES(s) STORES(c))
CPU_DEVICE_SEEN(void, sincosf, (float x, float *s, float *c), (x, s, c), STORES(s) STORES(c))
CPU_DEVICE_SEEN(void, sincospi, (double x, double *s, double *c), (x, s, c), STORES(s) STORES(c))
CPU_DEVICE_SEEN(void, sincospif, (float x, float *s, float *c), (x, s, c), STORES(s) STORES(c))
CPU_DEVICE_SEEN(double, norm, (int n, const double *x), (n, x), LOADS(n, x))
CPU_DEVICE_SEEN(float, normf, (int n, const float *x), (n, x), LOADS(n, x))
CPU_DEVICE_SEEN(double, rnorm, (int n, const double *x), (n, x), LOADS(n, x))
CPU_DEVICE_SEEN(float, rnormf, (int n, const float *x), (n, x), LOADS(n, x))
