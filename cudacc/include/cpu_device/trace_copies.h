/*
 * trace_copies.h: how a traced program copies structs of plain data (translate/structs.c): in
 * pieces as wide as their alignment, at most 16 bytes, as nvcc does. gcc would take them whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_COPIES_H
#define CPU_DEVICE_TRACE_COPIES_H

#include <stddef.h>
#include <type_traits>

#define CPU_DEVICE_INLINE inline __attribute__((always_inline))

namespace cpu_device {

template <size_t Bytes> struct piece {
    typedef unsigned type __attribute__((vector_size(Bytes), may_alias));
};
/* Not aligned: to the tracer parts of a copied struct, which may be padding (hooks.c, range()). */
template <> struct piece<4> { typedef unsigned type __attribute__((may_alias, aligned(1))); };
template <> struct piece<2> { typedef unsigned short type __attribute__((may_alias, aligned(1))); };
template <> struct piece<1> { typedef unsigned char type; };

/* A member of a struct: where it is, and how its type, or its elements', is aligned. */
struct member {
    size_t offset, bytes, alignment;
};

/* A bit for each word of 4 bytes that these bytes have a part in; 0: there are too few bits. */
constexpr unsigned long words(size_t offset, size_t bytes) {
    return !bytes || offset + bytes > 256 ? 0
                                          : (2ul << (offset + bytes - 1) / 4) - (1ul << offset / 4);
}
constexpr unsigned long words_of(size_t, const member &) { return 0; }
template <class... More>
constexpr unsigned long words_of(size_t alignment, const member &m, const member &next,
                                 More... more) {
    return (m.alignment == alignment ? words(m.offset, m.bytes) : 0) |
           (alignment == 1 ? words(m.offset + m.bytes, next.offset - m.offset - m.bytes) : 0) |
           words_of(alignment, next, more...);
}
constexpr bool has_gap(const member &, const member &) { return false; }
template <class... More>
constexpr bool has_gap(const member &m, const member &next, const member &then, More... more) {
    return m.offset + m.bytes != next.offset || has_gap(next, then, more...);
}

/* The words of a struct that hold both a number of 2 bytes and single ones, be these padding at its
 * end: nvcc loads their halves, but stores them whole, and neither with their neighbors. With a gap
 * between its members a struct moves as mere bytes. The last one is the end of the struct. */
constexpr unsigned long mixed_words() { return 0; }
template <class... More> constexpr unsigned long mixed_words(const member &first, More... more) {
    return has_gap(first, more...) ? 0 : words_of(2, first, more...) & words_of(1, first, more...);
}

/* Do its members leave bytes free? */
constexpr bool is_padded() { return false; }
template <class... More> constexpr bool is_padded(const member &first, More... more) {
    return has_gap(first, more..., member{0, 0, 0}); /* at their end, too */
}

/* One piece. Its first words may be mixed: a bit for each. */
template <size_t Bytes> struct mover {
    typedef typename piece<Bytes>::type word;
    template <unsigned long mixed> static CPU_DEVICE_INLINE word load(const void *from) {
        return *(const word *)from;
    }
    template <unsigned long mixed> static CPU_DEVICE_INLINE void store(void *to, word value) {
        *(word *)to = value;
    }
};
template <> struct mover<4> {
    typedef unsigned word;
    template <unsigned long mixed> static CPU_DEVICE_INLINE word load(const void *from) {
        if (!(mixed & 1))
            return *(const piece<4>::type *)from;
        __asm__("" : "+r"(from)); /* or the compiler makes one load of both, or aligned ones */
        word low = ((const piece<2>::type *)from)[0], high = ((const piece<2>::type *)from)[1];
        __asm__("" : "+r"(high));
        return low | high << 16;
    }
    template <unsigned long mixed> static CPU_DEVICE_INLINE void store(void *to, word value) {
        *(piece<4>::type *)to = value;
    }
};
template <> struct mover<8> {
    typedef piece<8>::type word;
    template <unsigned long mixed> static CPU_DEVICE_INLINE word load(const void *from) {
        if (!(mixed & 3))
            return *(const word *)from;
        return word{mover<4>::load<mixed>(from),
                    mover<4>::load<(mixed >> 1)>((const char *)from + 4)};
    }
    template <unsigned long mixed> static CPU_DEVICE_INLINE void store(void *to, word value) {
        if (mixed & 3) {
            mover<4>::store<0>(to, value[0]);
            mover<4>::store<0>((char *)to + 4, value[1]);
        } else {
            *(word *)to = value;
        }
    }
};

/* The pieces from number `at` on. All loads come before the stores: it may be the same place. */
template <size_t Bytes, unsigned long mixed, int count> struct pieces {
    static CPU_DEVICE_INLINE void move(char *to, const char *from) {
        typename mover<Bytes>::word first = mover<Bytes>::template load<mixed>(from);
        pieces<Bytes, (mixed >> Bytes / 4), count - 1>::move(to + Bytes, from + Bytes);
        mover<Bytes>::template store<mixed>(to, first);
    }
};
template <size_t Bytes, unsigned long mixed> struct pieces<Bytes, mixed, 0> {
    static CPU_DEVICE_INLINE void move(char *, const char *) {}
};
/* Where no word is mixed. */
template <size_t Bytes, int count> struct pieces<Bytes, 0, count> {
    static CPU_DEVICE_INLINE void move(char *to, const char *from) {
        typedef typename piece<Bytes>::type word;
        word words[count];
        for (int i = 0; i < count; i++)
            words[i] = ((const word *)from)[i];
        for (int i = 0; i < count; i++)
            ((word *)to)[i] = words[i];
    }
};
template <size_t Bytes> struct pieces<Bytes, 0, 0> {
    static CPU_DEVICE_INLINE void move(char *, const char *) {}
};

template <unsigned long mixed, class T> CPU_DEVICE_INLINE void move_pieces(T *to, const T *from) {
    enum { BYTES = alignof(T) < 16 ? alignof(T) : 16 };
    pieces<BYTES, mixed, sizeof(T) / BYTES>::move((char *)to, (const char *)from);
}

/* Is T one of structs.c, not what is derived from one, and are its copies bytes? */
template <class T> constexpr bool in_pieces(typename T::cpu_device_in_pieces *) {
    return std::is_same<T, typename T::cpu_device_in_pieces>::value && __is_trivially_copyable(T);
}
template <class T> constexpr bool in_pieces(...) { return false; }

/* The value with which a variable begins. */
template <class T,
          bool = in_pieces<T>(nullptr) && std::is_trivially_default_constructible<T>::value>
struct value_of {
    CPU_DEVICE_INLINE T operator<<=(const T &from) const { return from; }
};
template <class T> struct value_of<T, true> {
    CPU_DEVICE_INLINE T operator<<=(const T &from) const {
        T to;
        move_pieces<T::cpu_mixed_words()>(&to, &from);
        return to;
    }
};

/* What a T is assigned: `a = b` is `a = target<decltype(a)>() <<= b`. A struct that moves in
 * pieces has an operator for `moved`, besides those of C++, which stay what they are. */
template <class T> struct moved {
    const T *from;
    template <class From, class = typename std::enable_if<
                              std::is_same<T, typename std::decay<From>::type>::value>::type>
    CPU_DEVICE_INLINE moved(From &&from) : from(__builtin_addressof(from)) {}
    CPU_DEVICE_INLINE operator T() const { return *from; }
};
template <class T, bool = std::is_scalar<T>::value> struct target_of {
    constexpr CPU_DEVICE_INLINE T operator<<=(T value) const { return value; }
};
template <class T> struct target_of<T, false> {
    template <class From, bool scalar = false>
    using given = typename std::enable_if<
        std::is_scalar<typename std::decay<From>::type>::value == scalar,
        typename std::conditional<std::is_same<T, typename std::decay<From>::type>::value &&
                                      in_pieces<T>(nullptr),
                                  moved<T>, From>::type>::type;
    template <class From>
    constexpr CPU_DEVICE_INLINE given<From, true> operator<<=(From value) const {
        return value;
    }
    template <class From>
    constexpr CPU_DEVICE_INLINE given<From &&> operator<<=(From &&value) const {
        return static_cast<given<From &&>>(value);
    }
};
template <class T> struct target : target_of<typename std::decay<T>::type> {};

} // namespace cpu_device
#undef CPU_DEVICE_INLINE
#endif
