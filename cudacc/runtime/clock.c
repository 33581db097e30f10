/*
 * clock.c: the clocks that a kernel reads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/exported.h"
#include <time.h>

long long clock64(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Kernels and host code share this name. In a kernel it counts what clock64() counts; on the host
 * it is the C library's: processor time in microseconds. */
EXPORTED clock_t clock(void) {
    if (cpu_device_in_kernel())
        return (clock_t)clock64();
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
        return (clock_t)-1;
    return (clock_t)(t.tv_sec * CLOCKS_PER_SEC + t.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}
