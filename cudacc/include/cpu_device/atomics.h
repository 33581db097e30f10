/* atomics.h: atomic functions. Part of device_functions.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_ATOMICS_H
#define CPU_DEVICE_ATOMICS_H

/* ---- atomics ----
 * Each returns the old value. Relaxed, as on a GPU: order needs a fence. One that changes nothing
 * may stand in a loop that waits: it gives way, but only when it has read, since it is noted
 * before. */

namespace cpu_device {

template <class T, class Operation> inline T atomic(T *address, Operation operation) {
    T old, changed;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    do
        changed = operation(old);
    while (!__atomic_compare_exchange(address, &old, &changed, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED));
    if (!memcmp(&old, &changed, sizeof old))
        cpu_device_unchanged(address);
    return old;
}

template <class T> inline T atomic_exchange(T *address, T value) {
    T old;
    __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
    if (!memcmp(&old, &value, sizeof old))
        cpu_device_polled();
    return old;
}

template <class T> inline T atomic_compare_exchange(T *address, T compare, T value) {
    if (!__atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED) ||
        !memcmp(&compare, &value, sizeof value))
        cpu_device_polled();
    return compare;
}

} // namespace cpu_device

/* Three scopes, one meaning: the CPU device has one kind of memory. The tracer knows them. */
#define CPU_DEVICE_SCOPE 0
#define CPU_DEVICE_SCOPE_block CPU_DEVICE_ATOMIC_BLOCK
#define CPU_DEVICE_SCOPE_system 0
#define CPU_DEVICE_ATOMIC_SCOPE(T, name, scope, body)                                              \
    static inline T name##scope(T *address, T value) {                                             \
        CPU_DEVICE_TRACE_ATOMIC(address, CPU_DEVICE_SCOPE##scope);                                 \
        body                                                                                       \
    }
#define CPU_DEVICE_ATOMIC(T, name, body)                                                           \
    CPU_DEVICE_ATOMIC_SCOPE(T, name, , body)                                                       \
    CPU_DEVICE_ATOMIC_SCOPE(T, name, _block, body)                                                 \
    CPU_DEVICE_ATOMIC_SCOPE(T, name, _system, body)
#define CPU_DEVICE_ATOMIC_FETCH(T, name, operation)                                                \
    CPU_DEVICE_ATOMIC(T, name,                                                                     \
                      T old = __atomic_fetch_##operation(address, value, __ATOMIC_RELAXED);        \
                      if (!value) cpu_device_polled(); return old;)
#define CPU_DEVICE_ATOMIC_LOOP(T, name, expression)                                                \
    CPU_DEVICE_ATOMIC(                                                                             \
        T, name, return cpu_device::atomic(address, [value](T old) -> T { return expression; });)
#define CPU_DEVICE_ATOMIC_EXCHANGE(T)                                                              \
    CPU_DEVICE_ATOMIC(T, atomicExch, return cpu_device::atomic_exchange(address, value);)
#define CPU_DEVICE_ATOMIC_CAS_SCOPE(T, scope)                                                      \
    static inline T atomicCAS##scope(T *address, T compare, T value) {                             \
        CPU_DEVICE_TRACE_ATOMIC(address, CPU_DEVICE_ATOMIC_COMPARE | CPU_DEVICE_SCOPE##scope);     \
        return cpu_device::atomic_compare_exchange(address, compare, value);                       \
    }
#define CPU_DEVICE_ATOMIC_CAS(T)                                                                   \
    CPU_DEVICE_ATOMIC_CAS_SCOPE(T, )                                                               \
    CPU_DEVICE_ATOMIC_CAS_SCOPE(T, _block)                                                         \
    CPU_DEVICE_ATOMIC_CAS_SCOPE(T, _system)

/* min, max and the bit operations */
#define CPU_DEVICE_ATOMICS(T)                                                                      \
    CPU_DEVICE_ATOMIC_LOOP(T, atomicMin, value < old ? value : old)                                \
    CPU_DEVICE_ATOMIC_LOOP(T, atomicMax, value > old ? value : old)                                \
    CPU_DEVICE_ATOMIC_LOOP(T, atomicAnd, old &value)                                               \
    CPU_DEVICE_ATOMIC_FETCH(T, atomicOr, or)                                                       \
    CPU_DEVICE_ATOMIC_FETCH(T, atomicXor, xor)
CPU_DEVICE_ATOMICS(int)
CPU_DEVICE_ATOMICS(unsigned)
CPU_DEVICE_ATOMICS(long long)
CPU_DEVICE_ATOMICS(unsigned long long)

CPU_DEVICE_ATOMIC_FETCH(int, atomicAdd, add)
CPU_DEVICE_ATOMIC_FETCH(unsigned, atomicAdd, add)
CPU_DEVICE_ATOMIC_FETCH(unsigned long long, atomicAdd, add)
CPU_DEVICE_ATOMIC_LOOP(float, atomicAdd, old + value)
CPU_DEVICE_ATOMIC_LOOP(double, atomicAdd, old + value)
CPU_DEVICE_ATOMIC_FETCH(int, atomicSub, sub)
CPU_DEVICE_ATOMIC_FETCH(unsigned, atomicSub, sub)

CPU_DEVICE_ATOMIC_EXCHANGE(int)
CPU_DEVICE_ATOMIC_EXCHANGE(unsigned)
CPU_DEVICE_ATOMIC_EXCHANGE(unsigned long long)
CPU_DEVICE_ATOMIC_EXCHANGE(float)

/* Count up to value and start again at 0; count down from value and start again there. */
CPU_DEVICE_ATOMIC_LOOP(unsigned, atomicInc, old >= value ? 0 : old + 1)
CPU_DEVICE_ATOMIC_LOOP(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)

CPU_DEVICE_ATOMIC_CAS(int)
CPU_DEVICE_ATOMIC_CAS(unsigned)
CPU_DEVICE_ATOMIC_CAS(unsigned long long)
CPU_DEVICE_ATOMIC_CAS(unsigned short)

#undef CPU_DEVICE_SCOPE
#undef CPU_DEVICE_SCOPE_block
#undef CPU_DEVICE_SCOPE_system
#undef CPU_DEVICE_ATOMIC_SCOPE
#undef CPU_DEVICE_ATOMIC
#undef CPU_DEVICE_ATOMIC_FETCH
#undef CPU_DEVICE_ATOMIC_LOOP
#undef CPU_DEVICE_ATOMIC_EXCHANGE
#undef CPU_DEVICE_ATOMIC_CAS_SCOPE
#undef CPU_DEVICE_ATOMIC_CAS
#undef CPU_DEVICE_ATOMICS

#endif
