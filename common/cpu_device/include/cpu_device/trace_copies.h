/*
 * trace_copies.h: how a traced program copies structs of plain data (translate/structs.h): in
 * pieces as wide as their alignment, at most 16 bytes, as nvcc does. gcc would take them whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_COPIES_H
#define CPU_DEVICE_TRACE_COPIES_H

#include <stddef.h>

#define CPU_DEVICE_INLINE inline __attribute__((always_inline))

namespace cpu_device {

template <size_t Bytes> struct piece {
    typedef unsigned type __attribute__((vector_size(Bytes), may_alias));
};
template <> struct piece<4> { typedef unsigned type __attribute__((may_alias)); };
template <> struct piece<2> { typedef unsigned short type __attribute__((may_alias)); };
template <> struct piece<1> { typedef unsigned char type; };

/* Members are at least 4 bytes wide; all loads come before the stores: it may be the same place. */
template <class T> CPU_DEVICE_INLINE void move_pieces(T *to, const T *from) {
    enum { BYTES = alignof(T) < 16 ? alignof(T) : 16, COUNT = sizeof(T) / BYTES };
    typedef typename piece<BYTES>::type word;
    word words[COUNT];
    for (int i = 0; i < COUNT; i++)
        words[i] = ((const word *)from)[i];
    for (int i = 0; i < COUNT; i++)
        ((word *)to)[i] = words[i];
}

/* The value with which a variable begins. */
template <class T, class = void> struct value_of {
    static CPU_DEVICE_INLINE T get(const T &from) { return from; }
};
template <class T> struct value_of<T, typename T::cpu_device_in_pieces> {
    static CPU_DEVICE_INLINE T get(const T &from) {
        T to;
        move_pieces(&to, &from);
        return to;
    }
};

} // namespace cpu_device
#undef CPU_DEVICE_INLINE
#endif
