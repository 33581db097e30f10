/*
 * atomics.c: carries out the atomic operations of a traced program. cpu_device_trace_atomic has
 * recorded them before.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trace/record/record.h"

/* Host code may use an atomic as a flag that kernels set or wait for. */
static void atomic(const volatile void *p, unsigned bits) {
    if (recorder_state == ON_HOST && trace_unwaited)
        trace_streams_host((const void *)p, bits / 8, TRACE_ATOMIC, NULL, 1);
}

#pragma GCC visibility push(default)

/* The compiler calls these for the __atomic functions. */
#define ATOMIC(R, bits, name, parameters, result)                                                  \
    R __tsan_atomic##bits##_##name parameters {                                                    \
        (void)order;                                                                               \
        atomic(p, bits);                                                                           \
        return result;                                                                             \
    }
#define ORDERS int order, int failed __attribute__((unused))
#define SWAPS(expected)                                                                            \
    __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define FETCH(T, bits, operation)                                                                  \
    ATOMIC(T, bits, fetch_##operation, (volatile T * p, T v, int order),                           \
           __atomic_fetch_##operation(p, v, __ATOMIC_SEQ_CST))
#define ATOMICS(T, bits)                                                                           \
    ATOMIC(T, bits, load, (const volatile T *p, int order), __atomic_load_n(p, __ATOMIC_SEQ_CST))  \
    ATOMIC(void, bits, store, (volatile T * p, T v, int order),                                    \
           __atomic_store_n(p, v, __ATOMIC_SEQ_CST))                                               \
    ATOMIC(T, bits, exchange, (volatile T * p, T v, int order),                                    \
           __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST))                                            \
    ATOMIC(T, bits, compare_exchange_val, (volatile T * p, T expected, T v, ORDERS),               \
           (SWAPS(&expected), expected))                                                           \
    ATOMIC(int, bits, compare_exchange_strong, (volatile T * p, T * expected, T v, ORDERS),        \
           SWAPS(expected))                                                                        \
    ATOMIC(int, bits, compare_exchange_weak, (volatile T * p, T * expected, T v, ORDERS),          \
           SWAPS(expected))                                                                        \
    FETCH(T, bits, add)                                                                            \
    FETCH(T, bits, sub)                                                                            \
    FETCH(T, bits, and)                                                                            \
    FETCH(T, bits, or)                                                                             \
    FETCH(T, bits, xor)                                                                            \
    FETCH(T, bits, nand)
ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)
