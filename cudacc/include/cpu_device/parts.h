/*
 * parts.h: what a kernel calls that runs its whole block from cut to cut (translate/split.c): at a
 * barrier, and at a warp function, all threads do the part before it, then all the part after it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_PARTS_H
#define CPU_DEVICE_PARTS_H

#include "kernel_abi.h"
#include "warp.h"

namespace cpu_device {

/* A kernel begins, that can run its whole block: true if it has. Not where a class is copied for
 * each thread (launch.h: argument). */
template <class... Parameters, class... Arguments>
bool in_parts(bool (*block)(Parameters...), Arguments &...a) {
    if (cpu_device_one_by_one || threadIdx.x || threadIdx.y || threadIdx.z ||
        blockDim.x * blockDim.y * blockDim.z == 1 || !all_bytes<Parameters...>)
        return false;
    cpu_device_one_by_one = CPU_DEVICE_IN_PARTS;
    bool done = block(a...);
    cpu_device_one_by_one = done ? CPU_DEVICE_DONE : 0;
    return done;
}
template <class T> bool is_aligned(T *p) {
    typedef typename std::conditional<std::is_void<T>::value, char, T>::type type;
    return (size_t)p % alignof(type) == 0;
}
/* Memory for a variable of a thread that is used after a cut. */
template <class T> union kept {
    typename std::remove_const<T>::type it;
    kept() {}
    ~kept() {}
};
/* An array is made within a struct: for a `new` of an array type with fewer values than elements
 * clang 14 writes past its end. */
template <class T> struct held { T it; };
template <class T> T converted(T x) { return x; }
template <class T> constexpr bool is_object = std::is_class<T>::value || std::is_union<T>::value;

/* What the text of a kernel takes for granted (translate/uses.h). A number, or an address: */
template <class T>
constexpr bool is_number = (std::is_arithmetic<T>::value || std::is_pointer<T>::value) &&
                           !std::is_volatile<T>::value;
/* A name of a type, which may have to be that of a number, and not one of a variable: */
template <class T, bool number = false> constexpr bool is_type() { return !number || is_number<T>; }
#if __cplusplus >= 201703L
template <const volatile auto &, bool = false> constexpr bool is_type() { return false; }
#endif
/* Numbers, or where they are; a function from numbers to one. */
template <class T>
constexpr bool is_of_numbers = (std::is_arithmetic<T>::value || std::is_void<T>::value) &&
                               !std::is_volatile<T>::value;
template <class T> constexpr bool is_of_numbers<T *> = is_of_numbers<T>;
template <class T> constexpr bool is_of_numbers<T *const> = is_of_numbers<T>;
template <class T> constexpr bool is_of_numbers<T[]> = is_of_numbers<T>;
template <class T, size_t n> constexpr bool is_of_numbers<T[n]> = is_of_numbers<T>;
template <class T> constexpr bool is_of_numbers<T()> = is_of_numbers<T>;
template <class T, class First, class... Others>
constexpr bool is_of_numbers<T(First, Others...)> =
    is_of_numbers<T(Others...)> ? is_of_numbers<First> : false;
/* A name from outside of the kernel, by its type and that of an expression: it never changes. */
template <class T, class Expression>
constexpr bool is_constant = (is_number<T> || std::is_enum<T>::value) &&
                             !std::is_reference<T>::value &&
                             (!std::is_reference<Expression>::value || std::is_const<T>::value);
/* What has elements by the language's own []. */
template <class T>
constexpr bool has_elements = std::is_pointer<T>::value || std::is_array<T>::value;
/* It need not be destroyed; and a copy of its bytes is a copy. */
template <class T> constexpr bool is_dropped = std::is_trivially_destructible<T>::value;
template <class T> constexpr bool is_kept = std::is_trivially_copyable<T>{} && is_dropped<T>;

/* gcc makes vectors of its loop, or two loops where it says `t >= step ? ...`; the threads stay in
 * their order. */
#ifdef __clang__
#define CPU_DEVICE_VECTORS
#else
#define CPU_DEVICE_VECTORS                                                                         \
    __attribute__((optimize("tree-loop-vectorize", "vect-cost-model=dynamic", "split-loops",       \
                            "no-tree-loop-distribution", "no-tree-loop-distribute-patterns")))
#endif
template <class Part>
__attribute__((flatten)) CPU_DEVICE_VECTORS CPU_DEVICE_TARGET void run_part(const void *with) {
    const Part part = *static_cast<const Part *>(with); /* that no store of it can change */
    part();
}
template <class Part> bool runs(const Part &part) { return cpu_device_part(run_part<Part>, &part); }

inline uint3 index_of(unsigned t) {
    if (blockDim.y * blockDim.z == 1)
        return {t, 0, 0};
    unsigned rows = t / blockDim.x;
    return {t % blockDim.x, rows % blockDim.y, rows / blockDim.y};
}

/* Where each thread goes by a condition of its own. 1: into the arm, or the next round of the loop;
 * 2: into the `else`; 3: it waits for the next round. And between which threads those are. */
struct choice {
    unsigned threads, from[3], to[3];
    unsigned char arm[1024];
    explicit choice(unsigned n) : threads(n), from{n, n, n}, to{0, 0, 0} { memset(arm, 0, n); }
    void set(unsigned t, unsigned char which) {
        arm[t] = which;
        if (from[which] > t)
            from[which] = t;
        if (to[which] <= t)
            to[which] = t + 1;
    }
    bool any(int which) const { return from[which] < to[which]; }
    void fit(int which) {
        while (from[which] < to[which] && arm[from[which]] != which)
            from[which]++;
        while (from[which] < to[which] && arm[to[which] - 1] != which)
            to[which]--;
    }
    void next() {
        for (unsigned t = 0; t < threads; t++)
            if (arm[t] == 3)
                set(t, 1);
    }
};

/* The 64 bits that a lane hands in, and those that it gets. With the sign bit turned over, signed
 * numbers are in order as unsigned ones. */
template <int operation, class T> constexpr unsigned turned() {
    return (operation == MEET_REDUCE + REDUCE_MIN || operation == MEET_REDUCE + REDUCE_MAX) &&
                   std::is_signed<T>::value
               ? 0x80000000u
               : 0;
}
template <int operation, class T> unsigned long long to_meet(T value) {
    unsigned long long bits = 0;
    static_assert(sizeof value <= sizeof bits, "");
    memcpy(&bits, static_cast<const void *>(&value), sizeof value);
    return bits ^ turned<operation, T>();
}
template <int operation, class T> T from_meet(unsigned long long bits) {
    T value;
    bits ^= turned<operation, T>();
    memcpy(static_cast<void *>(&value), &bits, sizeof value);
    return value;
}

/* All threads of a block have come to a warp function, or those of an arm: value[] becomes what
 * each gets, as by runtime/warp.c. A mask, and an argument, is one for all, or one for each. */
struct meeting {
    unsigned long long *value;
    const bool *gone;   /* threads that have returned; NULL: none */
    const choice *some; /* NULL: all others come */
    unsigned char arm;
    bool last; /* who has gone another way returns without another cut */
    const unsigned *mask, *argument;
    unsigned mask_step, argument_step, width;
};

template <int operation>
unsigned long long met(const meeting &m, unsigned first, unsigned lane, unsigned together,
                       unsigned where, const unsigned long long *old) {
    constexpr int kind = operation - (operation >= MEET_REDUCE    ? MEET_REDUCE
                                      : operation >= MEET_SHUFFLE ? MEET_SHUFFLE
                                      : operation >= MEET_MATCH   ? MEET_MATCH
                                                                  : MEET_VOTE);
    where &= together;
    if (operation >= MEET_REDUCE) {
        unsigned rest = together & (together - 1), result = (unsigned)old[__builtin_ctz(together)];
        for (; rest; rest &= rest - 1)
            result = cpu_device_combine(kind, result, (unsigned)old[__builtin_ctz(rest)]);
        return result;
    }
    if (operation >= MEET_SHUFFLE) {
        unsigned step = m.argument[(first + lane) * m.argument_step] & 31;
        unsigned from = cpu_device_source(kind, lane, step, m.width);
        return old[together >> from & 1 ? from : lane];
    }
    if (operation >= MEET_MATCH) {
        unsigned same = 0;
        for (unsigned rest = together; rest; rest &= rest - 1)
            if (old[__builtin_ctz(rest)] == old[lane])
                same |= rest & -rest;
        return same;
    }
    return kind == VOTE_BALLOT ? where : kind == VOTE_ALL ? where == together : where != 0;
}

/* Of the warp that begins with thread `first`: lanes that come here, and those that never do. */
struct comers {
    unsigned active, missed;
};
inline comers come_to(const meeting &m, unsigned first, unsigned count) {
    unsigned present = ~0u >> (32 - count);
    for (unsigned k = 0; m.gone && k < count; k++)
        present &= ~((unsigned)m.gone[first + k] << k);
    comers c = {present, m.last ? 0 : present};
    for (unsigned k = 0; m.some && k < count; k++) {
        c.active &= ~((unsigned)(m.some->arm[first + k] != m.arm) << k);
        c.missed |= (unsigned)(m.some->arm[first + k] == 3) << k;
    }
    return c;
}

/* A shuffle of a whole warp in which all lanes step alike. */
template <int operation>
CPU_DEVICE_TARGET void shuffle_all(unsigned long long *value, unsigned step) {
    unsigned long long old[32];
    memcpy(old, value, sizeof old);
    if (operation == MEET_SHUFFLE + SHUFFLE_DOWN)
        memcpy(value, old + step, (32 - step) * sizeof *old);
    else if (operation == MEET_SHUFFLE + SHUFFLE_UP)
        memcpy(value + step, old, (32 - step) * sizeof *old);
    else
        for (unsigned k = 0; k < 32; k++)
            value[k] = old[operation == MEET_SHUFFLE + SHUFFLE_XOR ? k ^ step : step];
}

/* The lanes that lane k meets: those in its mask or, if it is not in it itself, all others. */
inline unsigned meets(const meeting &m, unsigned first, unsigned k, comers c) {
    unsigned mask = m.mask[(first + k) * m.mask_step];
    const bool named = mask >> k & 1;
    if (named && (mask & c.missed & ~c.active)) {
        threadIdx = index_of(first + k);
        cpu_device_trap(cudaErrorLaunchTimeout,
                        "waits in a warp function for lanes that do not come to it");
    }
    unsigned together = c.active & (named ? mask : ~mask);
    for (unsigned others = m.mask_step ? together : 0; others; others &= others - 1)
        if (m.mask[first + (unsigned)__builtin_ctz(others)] != mask)
            together &= ~(others & -others);
    return together;
}

template <int operation>
CPU_DEVICE_TARGET void meet_warp(const meeting &m, unsigned first, comers c) {
    const bool each = operation < MEET_VOTE || (operation >= MEET_MATCH && operation < MEET_REDUCE);
    unsigned long long old[32], *value = m.value + first, result = 0;
    unsigned where = 0, known = 0;
    for (unsigned rest = operation == MEET_LANES ? 0 : c.active; rest; rest &= rest - 1) {
        unsigned k = (unsigned)__builtin_ctz(rest);
        old[k] = value[k];
        where |= (unsigned)(old[k] != 0) << k;
    }
    for (unsigned rest = c.active; rest; rest &= rest - 1) {
        unsigned k = (unsigned)__builtin_ctz(rest), together = meets(m, first, k, c);
        if (operation == MEET_LANES)
            continue;
        if (each || together != known)
            result = met<operation>(m, first, k, together, where, old);
        known = together;
        value[k] = result;
    }
}

template <int operation> CPU_DEVICE_TARGET void meet(unsigned threads, const meeting &m) {
    const bool shuffles = operation >= MEET_SHUFFLE && operation < MEET_REDUCE;
    const bool alike = !m.mask_step && m.mask[0] == ~0u && !m.argument_step && m.width == 32;
    unsigned from = m.some ? m.some->from[m.arm] & ~31u : 0;
    unsigned to = m.some ? m.some->to[m.arm] : threads;
    for (unsigned first = from; first < to; first += 32) {
        comers c = come_to(m, first, threads - first < 32 ? threads - first : 32);
        if (shuffles && alike && c.active == ~0u)
            shuffle_all<operation>(m.value + first, m.argument[0] & 31);
        else
            meet_warp<operation>(m, first, c);
    }
}

} // namespace cpu_device
#endif
