/*
 * math.c: what functions of the mathematical library, and of extra/runtime/math.c, store or load
 * through a pointer (trace_math.h): both are compiled without calls of the tracer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sincos */
#endif
#include "trace/record/record.h"
#include "extra/include/cpu_device/device_math.h"

#pragma GCC visibility push(default)
#define PC __builtin_return_address(0)
#define STORES(p) trace_access(p, sizeof *(p), TRACE_STORE, PC);
#define LOADS(n, p)                                                                                \
    for (int i = 0; i < n; i++)                                                                    \
        trace_access(&p[i], sizeof p[i], TRACE_LOAD, PC);
#define CPU_DEVICE_SEEN(T, name, parameters, arguments, seen)                                      \
    T cpu_device_seen_##name parameters;                                                           \
    T cpu_device_seen_##name parameters { seen return name arguments; }
#include "extra/include/cpu_device/trace_math.h"
#pragma GCC visibility pop
