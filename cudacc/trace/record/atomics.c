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
#define ATOMICS(T, bits)                                                                           \
    T __tsan_atomic##bits##_load(const volatile T *p, int order) {                                 \
        (void)order;                                                                               \
        atomic(p, bits);                                                                           \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                               \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile T *p, T v, int order) {                              \
        (void)order;                                                                               \
        atomic(p, bits);                                                                           \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                              \
    T __tsan_atomic##bits##_exchange(volatile T *p, T v, int order) {                              \
        (void)order;                                                                               \
        atomic(p, bits);                                                                           \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *p, T expected, T v, int order,        \
                                                 int failed) {                                     \
        (void)order, (void)failed;                                                                 \
        atomic(p, bits);                                                                           \
        __atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
        return expected;                                                                           \
    }                                                                                              \
    ATOMIC_COMPARE(T, bits, strong)                                                                \
    ATOMIC_COMPARE(T, bits, weak)                                                                  \
    ATOMIC_FETCH(T, bits, add)                                                                     \
    ATOMIC_FETCH(T, bits, sub)                                                                     \
    ATOMIC_FETCH(T, bits, and)                                                                     \
    ATOMIC_FETCH(T, bits, or)                                                                      \
    ATOMIC_FETCH(T, bits, xor)                                                                     \
    ATOMIC_FETCH(T, bits, nand)
#define ATOMIC_COMPARE(T, bits, kind)                                                              \
    int __tsan_atomic##bits##_compare_exchange_##kind(volatile T *p, T *expected, T v, int order,  \
                                                      int failed) {                                \
        (void)order, (void)failed;                                                                 \
        atomic(p, bits);                                                                           \
        return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }
#define ATOMIC_FETCH(T, bits, operation)                                                           \
    T __tsan_atomic##bits##_fetch_##operation(volatile T *p, T v, int order) {                     \
        (void)order;                                                                               \
        atomic(p, bits);                                                                           \
        return __atomic_fetch_##operation(p, v, __ATOMIC_SEQ_CST);                                 \
    }
ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)
