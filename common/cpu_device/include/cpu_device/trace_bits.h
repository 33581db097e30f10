/*
 * trace_bits.h: how device code in a traced build tells the tracer that it is about to use a
 * bit-field (translate/bits.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_BITS_H
#define CPU_DEVICE_TRACE_BITS_H

#include <type_traits>
#include "trace_abi.h"

namespace cpu_device {

/* Where the bits of a field lie, tried out before main(). */
template <class Field, class T> cpu_device_bits measure_bits(unsigned bytes) {
    alignas(T) unsigned char object[sizeof(T)] = {0};
    cpu_device_bits b = {};
    unsigned first = 0, last = sizeof object - 1;
    cpu_device_trace_has_bits();
    Field::fill(*reinterpret_cast<T *>(object), ~0ull);
    while (first < last && !object[first])
        first++;
    while (last > first && !object[last])
        last--;
    b.offset = first / bytes * bytes;
    b.first = first - b.offset;
    b.length = last - first + 1;
    if (bytes > 8 || b.first + b.length > bytes)
        return {};
    b.bytes = bytes;
    for (unsigned i = last + 1; i-- > b.offset;)
        b.mask = b.mask << 8 | object[i];
    return b;
}
template <class Field, class T, unsigned bytes> struct bits_of {
    static const cpu_device_bits value;
};
template <class Field, class T, unsigned bytes>
const cpu_device_bits bits_of<Field, T, bytes>::value = measure_bits<Field, T>(bytes);

/* Around a call that is no side effect to gcc: what it knows of memory stays. */
template <class Field, unsigned bytes, class T>
inline __attribute__((always_inline)) void note_bits(T &x, bool written) {
    unsigned now;
    __asm__ volatile("" : "=r"(now));
    now = cpu_device_trace_bits(&x, &bits_of<Field, typename std::remove_cv<T>::type, bytes>::value,
                                written, now);
    __asm__ volatile("" : : "r"(now));
}

} // namespace cpu_device
#endif
